"""Reads and writes JUnit XML, the format of pytest, GoogleTest and most CI systems.

The format has no place for parameters, stages or figures, and has only three elements for results.
The writer stores report fields that the format cannot express in properties with this project's
name. Properties with other names may state facts of the environment, as pytest writes them for
`record_testsuite_property("torch", torch.__version__)`.
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

from accelerator_reports import failure_outcomes
from accelerator_reports.file_reading import (
    ImportOptions,
    ImportResult,
    file_error,
    parse_json,
    paused_garbage_collection,
)
from accelerator_reports.formats.imported_tests import ImportedTests, chosen_suite
from accelerator_reports.formats.junit_xml import (
    CaseElement,
    ResultElement,
    SuiteElement,
    junit_elements,
)
from accelerator_reports.formats.stored_fields import (
    NAMESPACE,
    Fields,
    StoredRun,
    differing_fields,
    entry_fields,
    run_fields,
    with_stored_fields,
)
from accelerator_reports.outcomes import OUTCOMES, UNSUCCESSFUL, Outcome, OutcomeGroup, is_outcome
from accelerator_reports.report import Report, Suite, TestEntry
from accelerator_reports.run_environment import facts_from_properties, merged_environment
from accelerator_reports.test_ids import (
    ParsedTestId,
    parse_junit_test_id,
    valid_suite_id,
    valid_suite_name,
)

_RUN_PROPERTY = f"{NAMESPACE}.run"
# A test without these elements passed, or was executed.
_TAG_BY_GROUP: Mapping[OutcomeGroup, str] = {
    "failure": "failure",
    "error": "error",
    "skip": "skipped",
    "missing": "skipped",
}
# GoogleTest writes status="notrun" and result="suppressed", CTest status="disabled", and NUnit's
# converters status="Inconclusive" or executed="False". Such a test can have no result element.
_STATUS_ATTRIBUTES = ("result", "status", "executed")
_STATUSES_BY_OUTCOME: Mapping[Outcome, str] = {
    "skipped": (
        "disabled excluded expectedfailure ignored skip skipped suppressed todo xfail xfailed"
    ),
    "not-run": (
        "aborted blocked cancelled canceled false incomplete notexecuted notrun notstarted pending"
        " queued untested"
    ),
    "failed": "broken error errored fail failed failure unexpectedpass unexpectedsuccess",
    "timed-out": "timedout timeout",
    "crashed": "crash crashed",
    "test-broken": "notrunnable",
    "executed": "inconclusive unknown warn warning",
}
_OUTCOME_BY_STATUS = {
    word: outcome for outcome, words in _STATUSES_BY_OUTCOME.items() for word in words.split()
}
# pytest and unittest-xml-reporting write these types of a skip.
_EXPECTED_FAILURE_TYPES = {"pytest.xfail", "XFAIL"}
NAMELESS = ("the test has no name", "name it", "without a name")
"""What is wrong with a test without a name, the fix, and why it is left out."""

_NO_ZONE_NOTE = "The times in the file have no time zone. They are read as UTC."


@paused_garbage_collection()
def read_junit(path: Path, options: ImportOptions) -> ImportResult:
    """Read a JUnit XML file. Raises ProblemsError with the faults of the file or the suite name."""
    reading = _JUnitImport(path, options)
    for element in junit_elements(path):
        if isinstance(element, SuiteElement):
            reading.suite(element)
        else:
            reading.case(element)
    return reading.import_result()


class _JUnitImport:
    """Collects the tests, suites and facts of one JUnit XML file for `import_result`."""

    def __init__(self, path: Path, options: ImportOptions) -> None:
        self._path = path
        self._user_suite = chosen_suite(path, options)
        self._tests = ImportedTests(path, options, repeats="apart")
        self._suites: list[Suite] = []
        self._run = StoredRun()
        self._facts: dict[str, str] = {}
        self._moments: list[dt.datetime] = []
        self._zone_is_missing = False

    def case(self, case: CaseElement) -> None:
        identity = parsed_test_id(case, self._user_suite)
        if not identity.name:
            self._tests.leave_out(case.line, *NAMELESS)
            return
        plain_fields = standard_fields(case, self._suite_name(case.suite), identity)
        if case.attributes.get("time") and "duration_s" not in plain_fields:
            what = f'time="{case.attributes["time"][:40]}" is not a number of seconds'
            self._tests.leave_out_value(case.line, what, 'use a format like "1.25"')
        stored_fields = self._stored_fields(case.line, case.properties, NAMESPACE)
        fields = with_stored_fields(plain_fields, stored_fields) if stored_fields else plain_fields
        place = f'"{identity.name[:60]}"'
        self._tests.add(case.line, fields, place=place, device=identity.device)

    def suite(self, suite: SuiteElement) -> None:
        self._add_times(suite)
        self._facts = {**facts_from_properties(suite.properties), **self._facts}
        if suite.nested and not suite.cases:
            return
        stored_fields = self._stored_fields(suite.line, suite.properties, NAMESPACE)
        name = self._suite_name(suite)
        fields = {"kind": "unit", **stored_fields, "name": name}
        label, line = f'"{name}"', suite.line
        if parsed := self._tests.parse_record(Suite, fields, label, line):
            self._suites.append(parsed)
            if _RUN_PROPERTY in suite.properties:
                stored_fields = self._stored_fields(line, suite.properties, _RUN_PROPERTY)
                self._run = (
                    self._tests.parse_record(StoredRun, stored_fields, label, line) or self._run
                )

    def import_result(self) -> ImportResult:
        environment = self._tests.environment(self._facts, "properties")
        run = self._run
        # A report of this project states the end of its run itself.
        end = None if run.started else max(self._moments, default=None)
        result = self._tests.result(
            self._suites,
            merged_environment(run.environment, environment),
            started=run.started or min(self._moments, default=None),
            finished=run.finished or end,
            note=run.note or (_NO_ZONE_NOTE if self._zone_is_missing else None),
        )
        if not self._suites:
            what = "the file contains no test suite"
            raise file_error(self._path, 1, what, "use a JUnit XML file with results")
        return result

    def _suite_name(self, suite: SuiteElement) -> str:
        name = suite.attributes.get("name", "")
        return (
            self._user_suite or valid_suite_name(name) or valid_suite_id(self._path.stem) or "tests"
        )

    def _add_times(self, suite: SuiteElement) -> None:
        """Record a suite's start and end; invalid times are ignored."""
        with suppress(ValueError, OverflowError):
            moment = _parse_time(suite.attributes.get("timestamp", ""))
            if moment.tzinfo is None:
                self._zone_is_missing = True
                moment = moment.replace(tzinfo=dt.timezone.utc)
            self._moments.append(moment.astimezone(dt.timezone.utc))
            length = parse_seconds(suite.attributes.get("time", ""))
            self._moments.append(self._moments[-1] + dt.timedelta(seconds=length))

    def _stored_fields(self, line: int, properties: Mapping[str, str], name: str) -> Fields:
        """Return the fields that this project's writer stored as JSON in the property `name`.

        Empty without the property. If its value is not a JSON object, a fault is recorded.
        """
        if name not in properties:
            return {}
        with suppress(ValueError):
            stored_fields = parse_json(properties[name])
            if isinstance(stored_fields, dict):
                return stored_fields
        self._tests.record_fault(line, f'the property "{name}" is not a JSON object', "remove it")
        return {}


def junit_text(report: Report) -> str:
    """Return a report as JUnit XML, grouped by suite."""
    by_suite: dict[str, list[TestEntry]] = {suite.name: [] for suite in report.suites}
    for test in report.tests:
        by_suite.setdefault(test.suite, []).append(test)
    suites = {suite.name: suite for suite in report.suites}
    started = {"timestamp": report.started.isoformat()} if report.started else {}
    root = Element("testsuites")
    run: Mapping[str, Any] = {_RUN_PROPERTY: run_fields(report)}
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
    cases = [_case_of_test(test) for test in tests]
    counts = Counter(result.tag for case in cases for result in case.results)
    numbers = {
        "tests": str(len(cases)),
        "failures": str(counts["failure"]),
        "errors": str(counts["error"]),
        "skipped": str(counts["skipped"]),
        "time": f"{sum(test.duration_s or 0 for test in tests):.3f}",
    }
    element = Element("testsuite", {"name": name, **numbers, **started})
    suite_fields = (
        suite.model_dump(mode="json", exclude_none=True, exclude={"name"}) if suite else {}
    )
    default_fields = {"kind": "unit"}
    _add_properties(
        element, {NAMESPACE: differing_fields(suite_fields, default_fields) if suite else {}, **run}
    )
    for test, case in zip(tests, cases, strict=True):
        stored_fields = differing_fields(
            entry_fields(test), standard_fields(case, name, parsed_test_id(case))
        )
        element.append(_case_element(case, stored_fields))
    return element


def _case_element(case: CaseElement, stored_fields: Fields) -> Element:
    """Return the `<testcase>` element of `case`, with `stored_fields` as JSON in a property."""
    element = Element("testcase", dict(case.attributes))
    _add_properties(element, {NAMESPACE: stored_fields})
    for result in case.results:
        SubElement(element, result.tag, dict(result.attributes)).text = result.text
    return element


def _case_of_test(test: TestEntry) -> CaseElement:
    classname, _, name = test.name.rpartition("::")
    parameter_texts = {key: str(value) for key, value in sorted(test.parameters.items())}
    plain_values = [parameter_texts.pop(key) for key in ("dtype", "case") if key in parameter_texts]
    inside = "-".join(
        [*(f"{key}={value}" for key, value in parameter_texts.items()), *plain_values]
    )
    attributes = {
        "classname": classname or test.suite,
        "name": f"{name}[{inside}]" if inside else name,
    }
    if test.duration_s is not None:
        attributes["time"] = f"{test.duration_s:.6f}"
    case = CaseElement(0, SuiteElement(0, {"name": test.suite}), _xml_safe_attributes(attributes))
    if tag := _TAG_BY_GROUP.get(OUTCOMES[test.outcome].group):
        kind = "pytest.xfail" if test.raw_status == "xfail" else test.outcome
        result_attributes = _xml_safe_attributes({"message": test.reason or "", "type": kind})
        case.results.append(
            ResultElement(tag, result_attributes, _xml_safe_text(test.log_tail or ""))
        )
    return case


def _add_properties(element: Element, values: Mapping[str, Fields]) -> None:
    json_by_name = {name: json.dumps(value) for name, value in values.items() if value}
    if json_by_name:
        properties = SubElement(element, "properties")
        for name, value in json_by_name.items():
            SubElement(properties, "property", {"name": name, "value": value})


def _xml_safe_attributes(attributes: Mapping[str, str]) -> dict[str, str]:
    return {name: _xml_safe_text(value) for name, value in attributes.items()}


def _xml_safe_text(text: str) -> str:
    """Return a text in which `#x1B` replaces the character ESC, as pytest writes it.

    The other characters that XML forbids are replaced in the same way.
    """
    return re.sub(
        "[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]",
        lambda found: f"#x{ord(found[0]):02X}",
        text,
    )


def _parse_time(text: str) -> dt.datetime:
    """Return the time in an ISO 8601 text, also with `Z`, which Python 3.10 does not accept."""
    text = text.strip()
    return dt.datetime.fromisoformat(f"{text[:-1]}+00:00" if text.endswith("Z") else text)


def parsed_test_id(case: CaseElement, user_suite: str | None = None) -> ParsedTestId:
    """Return the identity of a test: its name and its parameters.

    The name includes the test's file. PyTorch's CI writes the file in the attribute `file`, and
    pytest in `classname`. A `classname` that equals the suite's name is not part of the test's
    name, unless the user named another suite (`user_suite`): it may be what tells tests of several
    suites apart.
    """
    classname = case.attributes.get("classname", "")
    is_suite = classname == case.suite.attributes.get("name")
    if is_suite and user_suite in {None, valid_suite_name(classname)}:
        classname = ""
    file = case.attributes.get("file", "")
    if classname and "." not in classname and file.endswith(".py"):
        module = file.removesuffix(".py").replace("/", ".").removeprefix("test.")
        classname = classname if classname == module else f"{module}.{classname}"
    return parse_junit_test_id(classname, case.attributes.get("name", ""))


def standard_fields(case: CaseElement, suite: str, test: ParsedTestId) -> dict[str, Any]:
    """Return the `TestEntry` fields that JUnit's own attributes and elements of a test state.

    `suite` is the name of its suite, and `test` is its identity. An invalid time is left out.
    """
    fields: dict[str, Any] = {"suite": suite, "name": test.name, **_outcome_fields(case)}
    if test.parameters:
        fields["parameters"] = dict(test.parameters)
    if time := case.attributes.get("time"):
        with suppress(ValueError):
            fields["duration_s"] = parse_seconds(time)
    if case.retries:
        fields["metrics"] = {"retries": {"value": float(case.retries), "unit": "1"}}
    return {name: value for name, value in fields.items() if value is not None}


def parse_seconds(text: str) -> float:
    """Return the number of seconds in a text such as `1,234.5`.

    Raises ValueError if it is not a number, or is negative or infinite.
    """
    value = float(text.replace(",", ""))
    if not 0 <= value < math.inf:
        raise ValueError(text)
    return value


def _outcome_fields(case: CaseElement) -> dict[str, Any]:
    results = sorted(case.results, key=lambda result: result.tag == "skipped")
    if not results:
        return _attribute_fields(case)
    result = results[0]
    message, kind = result.attributes.get("message", ""), result.attributes.get("type", "")
    if result.tag == "skipped":
        skip_reason = message or result.text
        if kind in _EXPECTED_FAILURE_TYPES:
            return _skip_fields(
                "skipped", "xfail", skip_reason or failure_outcomes.EXPECTED_FAILURE_REASON
            )
        if is_outcome(kind):  # written by this project
            return {
                **_skip_fields(kind, "", skip_reason),
                "log_tail": failure_outcomes.log_tail(case.output),
            }
        return _skip_fields("skipped", "skipped", skip_reason)
    return _failure_fields(result, message, kind, case.output)


def _attribute_fields(case: CaseElement) -> dict[str, Any]:
    """Return the outcome of a test without a result element: `passed`, unless attributes differ."""
    for name in _STATUS_ATTRIBUTES:
        if not (word := case.attributes.get(name)):
            continue
        outcome = _OUTCOME_BY_STATUS.get("".join(filter(str.isalpha, word.lower())))
        if outcome in UNSUCCESSFUL:
            log_tail = failure_outcomes.log_tail(case.output)
            return {"outcome": outcome, "raw_status": word[:200], "log_tail": log_tail}
        if outcome:
            return _skip_fields(outcome, word[:200], "")
    return {"outcome": "passed"}


def _skip_fields(outcome: str, raw: str, skip_reason: str) -> dict[str, Any]:
    reason = failure_outcomes.reason(skip_reason) or failure_outcomes.NO_REASON
    return {"outcome": outcome, "raw_status": raw or None, "reason": reason}


def _failure_fields(result: ResultElement, message: str, kind: str, output: str) -> dict[str, Any]:
    reason = failure_outcomes.reason(message)
    tail = result.text if reason else ""
    is_own_outcome = is_outcome(kind)  # written by this project
    texts = {
        "reason": reason
        or failure_outcomes.reason(result.text)
        or failure_outcomes.reason("" if is_own_outcome else kind),
        "log_tail": failure_outcomes.log_tail(tail) or failure_outcomes.log_tail(output),
    }
    if is_own_outcome:
        return {"outcome": kind, **texts}
    text = f"{kind}: {message}" if kind and kind not in message else message
    if result.tag == "error":
        outcome = failure_outcomes.error_outcome(text, result.text, kind)
    else:
        outcome = failure_outcomes.failure_outcome(text, result.text)
    return {"outcome": outcome, "raw_status": result.tag, **texts}
