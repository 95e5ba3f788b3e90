"""Reads and writes the Common Test Report Format (CTRF, ctrf.io); writes JUnit XML."""

from __future__ import annotations

import datetime as dt
import json
import re
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, Literal, get_args
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from accelerator_reports import failure_texts
from accelerator_reports.failure_texts import outcome_of_text
from accelerator_reports.file_reading import ImportOptions, ImportResult, is_finite, load_json
from accelerator_reports.files.fields import Count
from accelerator_reports.formats.imported_tests import (
    EXPORTER,
    ImportedTests,
    chosen_suite,
    parse_document,
)
from accelerator_reports.formats.junit import TAG_BY_GROUP
from accelerator_reports.outcomes import OUTCOMES, Outcome, OutcomeGroup, is_outcome
from accelerator_reports.report import EARLIEST_TIME, Evidence, Report, Suite, TestEntry
from accelerator_reports.report import Environment as RunEnvironment
from accelerator_reports.run_environment import (
    ENVIRONMENT_OPTIONS,
    facts_from_properties,
    merged_environment,
)
from accelerator_reports.test_ids import (
    MAX_CASE,
    ParsedTestId,
    device_or_none,
    dtype_or_none,
    parse_junit_test_id,
    parse_pytest_node_id,
    shortened_with_digest,
    valid_suite_id,
    valid_suite_name,
)

# Models the parts of a file in the Common Test Report Format (CTRF 1.0.0) that `ctrf` reads.
#
# The models are more lenient than CTRF's schema, because real files break it: unknown keys are
# ignored, a suite may be a single string, a duration may be a fraction of a millisecond.

Status = Literal["passed", "failed", "skipped", "pending", "other"]
STATUSES: tuple[Status, ...] = get_args(Status)
MillisecondTime = Annotated[int, Field(ge=0, le=253_402_300_799_999)]  # to the end of the year 9999


def _milliseconds_or_none(value: object) -> object:
    """Return a duration, or None for an invalid one: a test is not left out because of it."""
    return value if is_finite(value) and value >= 0 else None


class _CtrfModel(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore", strict=True)


class Attachment(_CtrfModel):
    """A file or address attached to a test."""

    name: str
    path: str


class Test(_CtrfModel):
    """A test in a CTRF file."""

    __test__ = False

    name: Annotated[str, Field(min_length=1)]
    status: Status
    duration: Annotated[float | None, BeforeValidator(_milliseconds_or_none)] = None
    suite: list[str] | str = []
    message: str = ""
    trace: str = ""
    rawStatus: str = ""  # noqa: N815 - CTRF's name
    retries: Count = 0
    flaky: bool = False
    stdout: list[str] = []
    stderr: list[str] = []
    parameters: dict[str, Any] = {}
    attachments: list[Attachment] = []
    extra: Any = None

    @property
    def suites(self) -> list[str]:
        """The suites that contain the test, also if they are one text: `ops > TestX > test_a`."""
        if not isinstance(self.suite, str):
            return self.suite
        return f" > {self.suite}".removesuffix(f" > {self.name}").split(" > ")[1:]

    @property
    def has_node_id(self) -> bool:
        """Whether the name is pytest's node id, which contains the suites: `test_a.py::TestX::b`.

        The plugin pytest-json-ctrf writes such names.
        """
        return any(
            suite.endswith(".py") and self.name.startswith(f"{suite}::")
            for suite in self.suites[:1]
        )


class Summary(_CtrfModel):
    """The number of tests by status, and the run's start and end in milliseconds since 1970."""

    tests: Count
    passed: Count
    failed: Count
    skipped: Count
    pending: Count
    other: Count
    start: MillisecondTime
    stop: MillisecondTime


class Environment(_CtrfModel):
    """The environment in which the tests ran."""

    appName: str = ""  # noqa: N815 - CTRF's name
    appVersion: str = ""  # noqa: N815 - CTRF's name
    osPlatform: str = ""  # noqa: N815 - CTRF's name
    osRelease: str = ""  # noqa: N815 - CTRF's name
    osVersion: str = ""  # noqa: N815 - CTRF's name
    extra: Mapping[str, Any] = {}


class Tool(_CtrfModel):
    """The tool that ran the tests."""

    name: str


class Results(_CtrfModel):
    """The results of a run."""

    tool: Tool
    summary: Summary
    tests: list[Any]
    """The tests, not yet validated. The reader validates each as a `Test`, to name it in errors."""
    environment: Environment = Environment()


class Document(_CtrfModel):
    """A CTRF file."""

    reportFormat: Literal["CTRF"]  # noqa: N815 - CTRF's name
    specVersion: str  # noqa: N815 - CTRF's name
    results: Results


# CTRF's "other" is for outcomes that say nothing about the product.
_STATUS_BY_GROUP: Mapping[OutcomeGroup, Status] = {
    "pass": "passed",
    "unchecked": "other",
    "failure": "failed",
    "error": "other",
    "skip": "skipped",
    "missing": "pending",
}

_OUTCOME_BY_STATUS: Mapping[str, Outcome] = {
    "passed": "passed",
    "skipped": "skipped",
    "pending": "not-run",
}

# What other tools write as rawStatus, in lower case.
_OUTCOME_BY_RAW_STATUS: Mapping[str, Outcome] = {
    "timedout": "timed-out",
    "timeout": "timed-out",
    "crashed": "crashed",
    "xfail": "skipped",
    "xfailed": "skipped",
    "xpass": "passed",
    "xpassed": "passed",
}
_REMEDY = "see the specification at ctrf.io"
_SETUP_RAW_STATUSES = {"setup_failed", "teardown_failed"}  # of pytest-json-ctrf
_NODE_ID = re.compile(r"[^\[]*\.py::")


def read_ctrf(path: Path, options: ImportOptions) -> ImportResult:
    """Read a CTRF file. Raises ProblemsError with the faults of the file or the suite name."""
    user_suite = chosen_suite(path, options)
    data = load_json(path, strict=False)
    results = parse_document(path, Document, data, _REMEDY).results
    fallback = valid_suite_id(results.tool.name) or "tests"
    imported = ImportedTests(path, options, repeats="apart")
    _read_tests(imported, results, options, fallback)
    names = imported.suite_names or [user_suite or fallback]
    return imported.result(
        [Suite(name=name, kind="unit") for name in names],
        _environment(imported, results.environment),
        _time_or_none(results.summary.start),
        _time_or_none(results.summary.stop),
    )


def _read_tests(
    imported: ImportedTests, results: Results, options: ImportOptions, fallback: str
) -> None:
    """Add the tests of the file to `imported`. Tests without a suite get the suite `fallback`.

    If a count in `results.summary` differs from `results.tests`, a fault is recorded. The counts by
    status are not compared if a test cannot be read.
    """
    statuses: Counter[str] = Counter()
    is_exported = results.tool.name == EXPORTER
    for index, record in enumerate(results.tests):
        json_path = f"results.tests[{index}]"
        test = imported.parse_entry(Test, record, json_path, remedy=_REMEDY)
        if test is None:
            continue
        statuses[test.status] += 1
        if test.duration is None:
            what = f"{json_path}.duration is not a number of milliseconds, 0 or more"
            imported.leave_out_value(1, what, "use a number")
        test_id = _parsed_test_id(test, options.suite, is_exported=is_exported)
        fields = _entry_fields(test, test_id, options.suite, fallback)
        if is_exported:
            fields |= _exported_fields(test)
        imported.add(1, fields, place=json_path, device=test_id.device)
    all_are_read = statuses.total() == len(results.tests)
    for count_name in ("tests", *(STATUSES if all_are_read else ())):
        stated_count = getattr(results.summary, count_name)
        actual_count = len(results.tests) if count_name == "tests" else statuses[count_name]
        if stated_count != actual_count:
            summary = f"results.summary.{count_name} is {stated_count:,}"
            what = f"{summary}, but results.tests has {actual_count:,}"
            imported.record_fault(1, what, "create the file again; one of the two is incomplete")


def _environment(imported: ImportedTests, stated: Environment) -> RunEnvironment:
    name = stated.appName.strip().lower()
    version = stated.appVersion.strip()[:200]
    system = " ".join(filter(None, (stated.osPlatform, stated.osRelease, stated.osVersion)))
    is_torch = name in {"torch", "pytorch"}
    facts = {
        "torch": version if version and is_torch else None,
        "packages": {name[:200]: version} if name and version and not is_torch else {},
        "os": system.strip()[:200] or None,
    }
    extra_facts = facts_from_properties(stated.extra)
    return merged_environment(
        imported.environment(extra_facts, "results.environment.extra"),
        imported.environment(facts, "results.environment"),
    )


def _time_or_none(milliseconds: int) -> dt.datetime | None:
    """Return a time, or None before PyTorch existed: tools write 0 for a time that they lack."""
    time = dt.datetime.fromtimestamp(0, dt.timezone.utc) + dt.timedelta(milliseconds=milliseconds)
    return time if time >= EARLIEST_TIME else None


def ctrf_status(outcome: Outcome) -> Status:
    """Return CTRF's status for an outcome, such as `failed` for `wrong-result`."""
    return _STATUS_BY_GROUP[OUTCOMES[outcome].group]


def _entry_fields(
    test: Test, test_id: ParsedTestId, user_suite: str | None, fallback: str
) -> dict[str, Any]:
    """Return the `TestEntry` fields of a test.

    `test_id` is the test's identity. The suite is `user_suite` (the suite that the user named), or
    else the outermost suite of the test, or else `fallback`. A test that is named by pytest's node
    id has the suite `fallback`, as in pytest's JUnit file: its other suites are in the node id.
    """
    top = test.suites[0] if test.suites and not test.has_node_id else fallback
    # The brackets of a node id contain the values of the parameters, also that of the device.
    ctrf_parameters = {} if test.has_node_id and "[" in test.name else test.parameters
    fields: dict[str, Any] = {
        "suite": user_suite or valid_suite_name(top) or fallback,
        "name": test_id.name,
        "duration_s": None if test.duration is None else test.duration / 1000,
        **_outcome_fields(test),
    }
    if parameters := {**test_id.parameters, **_test_parameters(ctrf_parameters)}:
        fields["parameters"] = parameters
    if retries := test.retries or int(test.flaky):
        fields["metrics"] = {"retries": {"value": float(retries), "unit": "1"}}
    if evidence := _evidence(test.attachments):
        fields["evidence"] = evidence
    return {name: value for name, value in fields.items() if value is not None}


def _exported_fields(test: Test) -> dict[str, Any]:
    """Return the `TestEntry` fields that an export of this project states exactly.

    Empty if the outcome contradicts the status.
    """
    extra = test.extra if isinstance(test.extra, dict) else {}
    outcome = str(extra.get("outcome"))
    if not is_outcome(outcome) or ctrf_status(outcome) != test.status:
        return {}
    return {
        "parameters": test.parameters,
        "reason": test.message or None,
        "log_tail": test.trace or None,
        "raw_status": None,
        "duration_s": None,
        **extra,
    }


def _parsed_test_id(test: Test, user_suite: str | None, *, is_exported: bool) -> ParsedTestId:
    """Return the identity of a test (name and parameters), from its name and enclosing suites.

    The outermost suite becomes the report's suite, so it is not part of the test's name. If the
    user named another suite (`user_suite`), the outermost suite is part of the test's name. In a
    file that this project exported, the name contains no parameters.
    """
    outer = [] if test.has_node_id else test.suites
    if outer and (user_suite is None or valid_suite_name(outer[0]) == user_suite):
        outer = outer[1:]
    container = "::".join(filter(None, outer))
    if is_exported:
        return ParsedTestId("::".join(filter(None, (container, test.name))), {})
    if container or not _NODE_ID.match(test.name):
        return parse_junit_test_id(container, test.name)
    return parse_pytest_node_id(test.name)


def _test_parameters(ctrf_parameters: Mapping[str, Any]) -> dict[str, Any]:
    parameters: dict[str, Any] = {}
    for key, value in ctrf_parameters.items():
        name = valid_suite_id(key)
        if name is None or value is None or (name == "device" and device_or_none(str(value))):
            continue
        if name == "dtype":
            parameters[name] = dtype_or_none(str(value)) or value
        elif isinstance(value, str | bool | int | float):
            parameters[name] = (
                shortened_with_digest(value, MAX_CASE) if isinstance(value, str) else value
            )
        else:
            parameters[name] = shortened_with_digest(json.dumps(value, sort_keys=True), MAX_CASE)
    return parameters


def _outcome_fields(test: Test) -> dict[str, Any]:
    raw = test.rawStatus
    outcome: Outcome
    if is_outcome(raw) and ctrf_status(raw) == test.status:
        outcome, raw = raw, ""
    else:
        outcome = _outcome(test, raw.lower())
        raw = raw or ("" if test.status == outcome else test.status)
    reason = failure_texts.reason(test.message)
    group = OUTCOMES[outcome].group
    if group in {"skip", "missing"}:
        reason = reason or failure_texts.NO_REASON
    elif group != "pass":
        reason = reason or failure_texts.reason(test.trace)
    log = failure_texts.log_tail(test.trace if failure_texts.reason(test.message) else "")
    if log is None and group != "pass":
        log = failure_texts.log_tail("\n".join([*test.stdout, *test.stderr]))
    return {
        "outcome": outcome,
        "raw_status": shortened_with_digest(raw, 200) or None,
        "reason": reason,
        "log_tail": log,
    }


def _outcome(test: Test, raw: str) -> Outcome:
    if test.status in _OUTCOME_BY_STATUS:
        return _OUTCOME_BY_STATUS[test.status]
    outcome = _OUTCOME_BY_RAW_STATUS.get(raw)
    if outcome and test.status in {"other", ctrf_status(outcome)}:
        return outcome
    if outcome == "passed":  # unexpectedly, whatever the message says
        return "failed"
    if test.status == "failed" or raw in {"error", "broken"}:
        is_setup = raw in _SETUP_RAW_STATUSES or test.status == "other"
        return failure_texts.error_outcome(test.message, test.trace, is_setup=is_setup)
    return outcome_of_text(test.message) or outcome_of_text(test.trace) or "executed"


def _evidence(attachments: list[Attachment]) -> list[dict[str, str]]:
    """Return the data of an `Evidence` for each attachment that has a web address."""
    records = []
    for attachment in attachments:
        label = shortened_with_digest(attachment.name or "attachment", 200)
        with suppress(ValidationError):
            evidence = Evidence(label=label, url=attachment.path)
            records.append(evidence.model_dump())
    return records


# Writes reports as JUnit XML and CTRF, which CI systems show.
#
# An import of exported CTRF restores the tests. JUnit XML has no place for some of their fields,
# such as stages and most figures, and neither format for all fields of a report.

_CTRF_VERSION = "1.0.0"

# CTRF has a status for exactly these outcomes. Other outcomes are written as `rawStatus`.
_EXACT_OUTCOMES = frozenset({"passed", "failed", "skipped", "not-run"})

# The fields that CTRF's own keys state. The others are written as `extra`.
_CTRF_FIELDS = {"suite", "name", "parameters", "reason", "log_tail", "evidence"}

_EXTRA_FACTS = {*ENVIRONMENT_OPTIONS} - {"torch", "os"}

_LARGEST = 10**9  # of seconds and of attempts: no test takes 30 years


def junit_text(report: Report) -> str:
    """Return a report as JUnit XML, grouped by suite."""
    by_suite: dict[str, list[TestEntry]] = {suite.name: [] for suite in report.suites}
    for test in report.tests:
        by_suite.setdefault(test.suite, []).append(test)
    started = {"timestamp": report.started.isoformat()} if report.started else {}
    root = Element("testsuites", {"name": EXPORTER})
    for name, tests in by_suite.items():
        tags = Counter(_result_tag(test) for test in tests)
        numbers = {
            "tests": str(len(tests)),
            "failures": str(tags["failure"]),
            "errors": str(tags["error"]),
            "skipped": str(tags["skipped"]),
            "time": f"{sum(test.duration_s or 0 for test in tests):.3f}",
        }
        suite = SubElement(root, "testsuite", {"name": name, **numbers, **started})
        _add_properties(suite, report.environment)
        suite.extend(map(_case_element, tests))
    indent(root, space="")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{tostring(root, encoding="unicode")}\n'


def _add_properties(suite: Element, environment: RunEnvironment) -> None:
    facts = {name: getattr(environment, name) for name in ENVIRONMENT_OPTIONS}
    if any(facts.values()):
        properties = SubElement(suite, "properties")
        for name, value in facts.items():
            if value:
                SubElement(properties, "property", {"name": name, "value": value})


def _result_tag(test: TestEntry) -> str | None:
    return TAG_BY_GROUP.get(OUTCOMES[test.outcome].group)


def _case_element(test: TestEntry) -> Element:
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
    if test.outcome == "executed":  # no element of JUnit XML says that nobody checked the result
        attributes["status"] = "inconclusive"
    element = Element("testcase", _xml_safe_attributes(attributes))
    if tag := _result_tag(test):
        is_expected = test.outcome == "skipped" and test.raw_status == "xfail"
        kind = "pytest.xfail" if is_expected else test.outcome
        result_attributes = _xml_safe_attributes({"message": test.reason or "", "type": kind})
        SubElement(element, tag, result_attributes).text = _xml_safe_text(test.log_tail or "")
    return element


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


def ctrf_text(report: Report) -> str:
    """Return a report as CTRF JSON, with one test per line."""
    tests = [_test_record(test) for test in report.tests]
    head = {
        "tool": {"name": EXPORTER},
        "summary": _summary(report, tests),
        "environment": _environment_record(report),
    }
    document = {"reportFormat": "CTRF", "specVersion": _CTRF_VERSION}
    lines = ",\n".join(map(_json, tests))
    return f'{_json(document)[:-1]}, "results": {_json(head)[:-1]}, "tests": [\n{lines}\n]}}}}\n'


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _test_record(test: TestEntry) -> dict[str, Any]:
    parameter_text = ",".join(f"{name}={value}" for name, value in sorted(test.parameters.items()))
    test_id = f"{test.suite}::{test.name}"
    metric = test.metrics.get("retries")
    retries = int(min(metric.value, _LARGEST)) if metric else 0
    record = {
        "testId": f"{test_id}[{parameter_text}]" if parameter_text else test_id,
        "name": test.name,
        "status": ctrf_status(test.outcome),
        "duration": round(min(test.duration_s or 0, _LARGEST) * 1000),
        "suite": [test.suite],
        "rawStatus": test.raw_status if test.outcome in _EXACT_OUTCOMES else test.outcome,
        "message": test.reason,
        "trace": test.log_tail,
        "parameters": dict(test.parameters) or None,
        "retries": retries if retries > 0 else None,
        "flaky": True if retries > 0 and test.outcome == "passed" else None,
        "attachments": [
            {
                "name": evidence.label,
                "contentType": "application/octet-stream",
                "path": evidence.url,
            }
            for evidence in test.evidence
        ]
        or None,
        "extra": test.model_dump(mode="json", exclude_defaults=True, exclude=_CTRF_FIELDS),
    }
    return {name: value for name, value in record.items() if value is not None}


def _summary(report: Report, tests: list[dict[str, Any]]) -> dict[str, int]:
    counts = Counter(test["status"] for test in tests)
    start = _milliseconds(report.started)
    return {
        "tests": len(tests),
        **{word: counts[word] for word in STATUSES},
        "flaky": sum("flaky" in test for test in tests),
        "suites": len(report.suites),
        "start": start,
        "stop": _milliseconds(report.finished) or start,
    }


def _milliseconds(moment: dt.datetime | None) -> int:
    return max(0, int(moment.timestamp() * 1000)) if moment else 0


def _environment_record(report: Report) -> dict[str, Any]:
    environment, trigger = report.environment, report.trigger
    torch = {"appName": "torch", "appVersion": environment.torch} if environment.torch else {}
    optional_values = {
        "osVersion": environment.os,
        "repositoryName": trigger.repository,
        "commit": trigger.commit,
        "extra": environment.model_dump(include=_EXTRA_FACTS, exclude_none=True),
    }
    return torch | {name: value for name, value in optional_values.items() if value}
