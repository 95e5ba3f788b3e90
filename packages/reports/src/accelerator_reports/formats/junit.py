"""Reads JUnit XML, the format of pytest, GoogleTest and most CI systems.

Properties may state facts of the environment, as pytest writes them for
`record_testsuite_property("torch", torch.__version__)`.
"""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from accelerator_reports import failure_outcomes
from accelerator_reports.file_reading import (
    ImportOptions,
    ImportResult,
    file_error,
    paused_garbage_collection,
)
from accelerator_reports.formats.imported_tests import ImportedTests, chosen_suite
from accelerator_reports.formats.junit_xml import (
    CaseElement,
    ResultElement,
    SuiteElement,
    junit_elements,
)
from accelerator_reports.outcomes import UNSUCCESSFUL, Outcome, is_outcome
from accelerator_reports.report import Suite
from accelerator_reports.run_environment import facts_from_properties
from accelerator_reports.test_ids import (
    ParsedTestId,
    parse_junit_test_id,
    valid_suite_id,
    valid_suite_name,
)

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
        self._facts: dict[str, str] = {}
        self._moments: list[dt.datetime] = []
        self._zone_is_missing = False

    def case(self, case: CaseElement) -> None:
        identity = _parsed_test_id(case, self._user_suite)
        if not identity.name:
            what, remedy = "the test has no name", "name it"
            self._tests.leave_out(case.line, what, remedy, "without a name")
            return
        fields = _entry_fields(case, self._suite_name(case.suite), identity)
        if case.attributes.get("time") and "duration_s" not in fields:
            what = f'time="{case.attributes["time"][:40]}" is not a number of seconds'
            self._tests.leave_out_value(case.line, what, 'use a format like "1.25"')
        place = f'"{identity.name[:60]}"'
        self._tests.add(case.line, fields, place=place, device=identity.device)

    def suite(self, suite: SuiteElement) -> None:
        self._add_times(suite)
        self._facts = {**facts_from_properties(suite.properties), **self._facts}
        if suite.cases or not suite.nested:
            self._suites.append(Suite(name=self._suite_name(suite), kind="unit"))

    def import_result(self) -> ImportResult:
        result = self._tests.result(
            self._suites,
            self._tests.environment(self._facts, "properties"),
            started=min(self._moments, default=None),
            finished=max(self._moments, default=None),
            note=_NO_ZONE_NOTE if self._zone_is_missing else None,
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
            length = _parse_seconds(suite.attributes.get("time", ""))
            self._moments.append(self._moments[-1] + dt.timedelta(seconds=length))


def _parse_time(text: str) -> dt.datetime:
    """Return the time in an ISO 8601 text, also with `Z`, which Python 3.10 does not accept."""
    text = text.strip()
    return dt.datetime.fromisoformat(f"{text[:-1]}+00:00" if text.endswith("Z") else text)


def _parsed_test_id(case: CaseElement, user_suite: str | None = None) -> ParsedTestId:
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


def _entry_fields(case: CaseElement, suite: str, test: ParsedTestId) -> dict[str, Any]:
    """Return the `TestEntry` fields of a test.

    `suite` is the name of its suite, and `test` is its identity. An invalid time is left out.
    """
    fields: dict[str, Any] = {"suite": suite, "name": test.name, **_outcome_fields(case)}
    if test.parameters:
        fields["parameters"] = dict(test.parameters)
    if time := case.attributes.get("time"):
        with suppress(ValueError):
            fields["duration_s"] = _parse_seconds(time)
    if case.retries:
        fields["metrics"] = {"retries": {"value": float(case.retries), "unit": "1"}}
    return {name: value for name, value in fields.items() if value is not None}


def _parse_seconds(text: str) -> float:
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
