"""Reads and writes JUnit XML, the format of pytest, GoogleTest and most CI systems.

The format has no place for parameters, stages or figures, and has only three elements for results.
The writer stores the rest of a report in properties with this project's name. Other properties may
state facts of the environment: `record_testsuite_property("torch", torch.__version__)` in pytest.
"""

from __future__ import annotations

import datetime as dt
import json
import math
import re
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from accelerator_portal.reports import verdicts
from accelerator_portal.reports.formats.imported_tests import ImportedTests, chosen_suite
from accelerator_portal.reports.formats.junit_xml import (
    CaseElement,
    ResultElement,
    SuiteElement,
    elements,
)
from accelerator_portal.reports.formats.remainder import (
    NAMESPACE,
    Fields,
    Run,
    completed,
    difference,
    fields_of,
    run_fields,
)
from accelerator_portal.reports.outcomes import OUTCOMES, OutcomeGroup, is_outcome
from accelerator_portal.reports.reading import ImportResult, Options, parse_json, refuse
from accelerator_portal.reports.report import Report, Suite, TestEntry
from accelerator_portal.reports.run_facts import named_facts, stated_environment
from accelerator_portal.reports.test_ids import Identified, identified, suite_id, suite_name

_RUN = f"{NAMESPACE}.run"
# A test without these elements passed, or was executed.
_TAGS: Mapping[OutcomeGroup, str] = {
    "failure": "failure",
    "error": "error",
    "skip": "skipped",
    "missing": "skipped",
}
_NO_ZONE = "The times in the file have no time zone. They are read as UTC."


def read_junit(path: Path, options: Options) -> ImportResult:
    """Read a JUnit XML file. Raises ProblemsError with the faults of the file or the suite name."""
    reading = _Reading(path, options)
    for element in elements(path):
        if isinstance(element, SuiteElement):
            reading.suite(element)
        else:
            reading.case(element)
    return reading.found()


class _Reading:
    """Collects the tests, suites and facts of one JUnit XML file; `found` returns the result."""

    def __init__(self, path: Path, options: Options) -> None:
        self._path = path
        self._said = chosen_suite(path, options)
        self._tests = ImportedTests(path, options, may_repeat=True)
        self._suites: dict[str, Suite] = {}
        self._run = Run()
        self._facts: dict[str, str] = {}
        self._moments: list[dt.datetime] = []
        self._zone_is_missing = False

    def case(self, case: CaseElement) -> None:
        identity = named(case)
        try:
            plain = plain_fields(case, self._name(case.suite), identity)
        except ValueError:
            what = f'time="{case.attributes["time"][:40]}" is not a number of seconds'
            self._tests.fault(case.line, what, 'use a format like "1.25"')
            return
        if not identity.name:
            self._tests.fault(case.line, "the test has no name", "name it")
            return
        kept = self._kept(case.line, case.properties, NAMESPACE)
        place, fields = f'"{identity.name[:60]}"', completed(plain, kept)
        self._tests.add(case.line, fields, place=place, device=identity.device)

    def suite(self, suite: SuiteElement) -> None:
        self._times(suite)
        self._facts = {**named_facts(suite.properties), **self._facts}
        if suite.nested and not suite.cases:
            return
        kept = self._kept(suite.line, suite.properties, NAMESPACE)
        name = self._name(suite)
        fields = {"kind": "unit", **kept, "name": name}
        place, line = f'"{name}"', suite.line
        if parsed := self._tests.parsed(Suite, fields, place, line):
            self._suites.setdefault(name, parsed)
            if _RUN in suite.properties:
                kept = self._kept(line, suite.properties, _RUN)
                self._run = self._tests.parsed(Run, kept, place, line) or self._run

    def found(self) -> ImportResult:
        environment = self._tests.environment(self._facts, "properties")
        tests = self._tests.done()
        if not self._suites:
            what = "the file contains no test suite"
            raise refuse(self._path, 1, what, "use a JUnit XML file with results")
        run = self._run
        # A report of this project states the end of its run itself.
        end = None if run.started else max(self._moments, default=None)
        return ImportResult(
            suites=tuple(self._suites.values()),
            tests=tests,
            environment=stated_environment(run.environment, environment),
            started=run.started or min(self._moments, default=None),
            finished=run.finished or end,
            note=run.note or (_NO_ZONE if self._zone_is_missing else None),
        )

    def _name(self, suite: SuiteElement) -> str:
        name = suite.attributes.get("name", "")
        return self._said or suite_name(name) or suite_id(self._path.stem) or "tests"

    def _times(self, suite: SuiteElement) -> None:
        """Record a suite's start and end; invalid times are ignored."""
        with suppress(ValueError, OverflowError):
            moment = _moment(suite.attributes.get("timestamp", ""))
            if moment.tzinfo is None:
                self._zone_is_missing = True
                moment = moment.replace(tzinfo=dt.timezone.utc)
            self._moments.append(moment.astimezone(dt.timezone.utc))
            length = seconds(suite.attributes.get("time", ""))
            self._moments.append(self._moments[-1] + dt.timedelta(seconds=length))

    def _kept(self, line: int, properties: Mapping[str, str], name: str) -> Fields:
        """Return the fields that this project's writer stored as JSON in the property `name`.

        Empty without the property. If its value is not a JSON object, a fault is recorded.
        """
        if name not in properties:
            return {}
        with suppress(ValueError):
            kept = parse_json(properties[name])
            if isinstance(kept, dict):
                return kept
        self._tests.fault(line, f'the property "{name}" is not a JSON object', "remove it")
        return {}


def junit_text(report: Report) -> str:
    """Return a report as JUnit XML, grouped by suite."""
    by_suite: dict[str, list[TestEntry]] = {suite.name: [] for suite in report.suites}
    for test in report.tests:
        by_suite.setdefault(test.suite, []).append(test)
    suites = {suite.name: suite for suite in report.suites}
    started = {"timestamp": report.started.isoformat()} if report.started else {}
    root = Element("testsuites")
    run: Mapping[str, Any] = {_RUN: run_fields(report)}
    for name, tests in by_suite.items():
        root.append(_suite_element(name, suites.get(name), tests, started, run))
        run = {}
    indent(root, space="")
    # A reader turns a plain carriage return into a line feed; ElementTree leaves it in texts.
    text = tostring(root, encoding="unicode").replace("\r", "&#13;")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'


def _suite_element(
    name: str,
    suite: Suite | None,
    tests: list[TestEntry],
    started: Mapping[str, str],
    run: Mapping[str, Any],
) -> Element:
    cases = [_case(test) for test in tests]
    counts = Counter(result.tag for case in cases for result in case.results)
    numbers = {
        "tests": str(len(cases)),
        "failures": str(counts["failure"]),
        "errors": str(counts["error"]),
        "skipped": str(counts["skipped"]),
        "time": f"{sum(test.duration_s or 0 for test in tests):.3f}",
    }
    element = Element("testsuite", {"name": name, **numbers, **started})
    kept = suite.model_dump(mode="json", exclude_none=True, exclude={"name"}) if suite else {}
    plain = {"kind": "unit"}
    _add_properties(element, {NAMESPACE: difference(kept, plain) if suite else {}, **run})
    for test, case in zip(tests, cases, strict=True):
        left = difference(fields_of(test), plain_fields(case, name, named(case)))
        element.append(_case_element(case, left))
    return element


def _case_element(case: CaseElement, left: Fields) -> Element:
    """Return a `<testcase>` element, with the fields `left` as JSON in a property."""
    element = Element("testcase", dict(case.attributes))
    _add_properties(element, {NAMESPACE: left})
    for result in case.results:
        SubElement(element, result.tag, dict(result.attributes)).text = result.text
    return element


def _case(test: TestEntry) -> CaseElement:
    classname, _, name = test.name.rpartition("::")
    given = {key: str(value) for key, value in sorted(test.parameters.items())}
    plain = [given.pop(key) for key in ("dtype", "case") if key in given]
    inside = "-".join([*(f"{key}={value}" for key, value in given.items()), *plain])
    attributes = {
        "classname": classname or test.suite,
        "name": f"{name}[{inside}]" if inside else name,
    }
    if test.duration_s is not None:
        attributes["time"] = f"{test.duration_s:.6f}"
    case = CaseElement(0, SuiteElement(0, {"name": test.suite}), _fit(attributes))
    if tag := _TAGS.get(OUTCOMES[test.outcome].group):
        kind = "pytest.xfail" if test.raw_status == "xfail" else test.outcome
        said = _fit({"message": test.reason or "", "type": kind})
        case.results.append(ResultElement(tag, said, _fitted(test.log_tail or "")))
    return case


def _add_properties(element: Element, values: Mapping[str, Fields]) -> None:
    written = {name: json.dumps(value) for name, value in values.items() if value}
    if written:
        properties = SubElement(element, "properties")
        for name, value in written.items():
            SubElement(properties, "property", {"name": name, "value": value})


def _fit(attributes: Mapping[str, str]) -> dict[str, str]:
    return {name: _fitted(value) for name, value in attributes.items()}


def _fitted(text: str) -> str:
    """Return a text in which `#x1B` replaces the character ESC, as pytest writes it.

    The other characters that XML forbids are replaced in the same way.
    """
    return re.sub(
        "[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]",
        lambda found: f"#x{ord(found[0]):02X}",
        text,
    )


def _moment(text: str) -> dt.datetime:
    """Return the time in an ISO 8601 text. Python 3.10's `fromisoformat` does not accept `Z`."""
    text = text.strip()
    return dt.datetime.fromisoformat(f"{text[:-1]}+00:00" if text.endswith("Z") else text)


_EXPECTED = "It is expected to fail."


def named(case: CaseElement) -> Identified:
    """Return the identity of a test case.

    The name of the test contains the file, which PyTorch's CI writes in the attribute `file` and
    pytest in `classname`. A class name that equals the suite's name is not part of the test's name.
    """
    classname = case.attributes.get("classname", "")
    if classname == case.suite.attributes.get("name"):
        classname = ""
    file = case.attributes.get("file", "")
    if classname and "." not in classname and file.endswith(".py"):
        module = file.removesuffix(".py").replace("/", ".").removeprefix("test.")
        classname = classname if classname == module else f"{module}.{classname}"
    return identified(classname, case.attributes.get("name", ""))


def plain_fields(case: CaseElement, suite: str, test: Identified) -> dict[str, Any]:
    """Return the fields of a `TestEntry` that the file states; `suite` is the suite's name.

    `test` is the identity of the test. Raises ValueError if the time is not a number of seconds.
    """
    fields: dict[str, Any] = {"suite": suite, "name": test.name, **_verdict(case)}
    if test.parameters:
        fields["parameters"] = dict(test.parameters)
    if case.attributes.get("time"):
        fields["duration_s"] = seconds(case.attributes["time"])
    if case.retries:
        fields["metrics"] = {"retries": {"value": float(case.retries), "unit": "1"}}
    return {name: value for name, value in fields.items() if value is not None}


def seconds(text: str) -> float:
    """Return the number of seconds in a text such as `1,234.5`.

    Raises ValueError if it is not a number, or is negative or infinite.
    """
    value = float(text.replace(",", ""))
    if not 0 <= value < math.inf:
        raise ValueError(text)
    return value


def _verdict(case: CaseElement) -> dict[str, Any]:
    results = sorted(case.results, key=lambda result: result.tag == "skipped")
    if not results:
        started = case.attributes.get("status") != "notrun"  # GoogleTest's word
        return {"outcome": "passed"} if started else _left_out("not-run", "notrun", "")
    result = results[0]
    message, kind = result.attributes.get("message", ""), result.attributes.get("type", "")
    if result.tag == "skipped":
        said = message or result.text
        if kind == "pytest.xfail":
            return _left_out("skipped", "xfail", said or _EXPECTED)
        if is_outcome(kind):  # written by this project
            return {**_left_out(kind, "", said), "log_tail": verdicts.log_tail(case.output)}
        return _left_out("skipped", "skipped", said)
    return _broken(result, message, kind, case.output)


def _left_out(outcome: str, raw: str, why: str) -> dict[str, Any]:
    reason = verdicts.reason(why) or verdicts.NO_REASON
    return {"outcome": outcome, "raw_status": raw or None, "reason": reason}


def _broken(result: ResultElement, message: str, kind: str, output: str) -> dict[str, Any]:
    reason = verdicts.reason(message)
    tail = result.text if reason else ""
    own = is_outcome(kind)  # written by this project
    said = {
        "reason": reason or verdicts.reason(result.text) or verdicts.reason("" if own else kind),
        "log_tail": verdicts.log_tail(tail) or verdicts.log_tail(output),
    }
    if own:
        return {"outcome": kind, **said}
    text = f"{kind}: {message}" if kind and kind not in message else message
    if result.tag == "error":
        outcome = verdicts.of_error(text, result.text, kind)
    else:
        outcome = verdicts.of_failure(text, result.text)
    return {"outcome": outcome, "raw_status": result.tag, **said}
