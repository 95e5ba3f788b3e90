"""Reads JUnit XML, the format of pytest, GoogleTest and most CI systems.

Properties may state facts of the environment, as pytest writes them for
`record_testsuite_property("torch", torch.__version__)`.
"""

from __future__ import annotations

import datetime as dt
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

from accelerator_reports import failure_outcomes
from accelerator_reports.file_reading import (
    ImportOptions,
    ImportResult,
    file_error,
    paused_garbage_collection,
)
from accelerator_reports.files.text_file import one_line
from accelerator_reports.files.wording import count
from accelerator_reports.formats.imported_tests import EXPORTER, ImportedTests, chosen_suite
from accelerator_reports.formats.junit_xml import (
    CaseElement,
    ResultElement,
    SuiteElement,
    junit_elements,
)
from accelerator_reports.outcomes import OUTCOMES, UNSUCCESSFUL, Outcome, OutcomeGroup, is_outcome
from accelerator_reports.report import EARLIEST_TIME, Suite
from accelerator_reports.run_environment import facts_from_properties
from accelerator_reports.test_ids import (
    MAX_SUITE,
    ParsedTestId,
    parse_junit_test_id,
    valid_suite_id,
    valid_suite_name,
)

# GoogleTest writes status="notrun" and result="suppressed", CTest status="disabled", and NUnit's
# converters status="Inconclusive" or executed="False". Such a test can have no result element.
_STATUS_ATTRIBUTES = ("result", "status", "outcome")
_FLAGS = ("executed", "success", "passed", "skipped")  # their value is true or false
_STATUSES_BY_OUTCOME: Mapping[Outcome, str] = {
    "skipped": (
        "disabled excluded expectedfailure ignored skip skipped skippedtrue suppressed todo xfail"
        " xfailed"
    ),
    "not-run": (
        "aborted blocked cancelled canceled executedfalse false incomplete notexecuted notrun"
        " notstarted pending queued untested"
    ),
    "failed": (
        "broken error errored fail failed failure passedfalse regression successfalse"
        " unexpectedpass unexpectedsuccess"
    ),
    "timed-out": "timedout timeout",
    "crashed": "crash crashed",
    "test-broken": "notrunnable",
    "executed": "inconclusive unknown warn warning",
}
_OUTCOME_BY_STATUS = {
    word: outcome for outcome, words in _STATUSES_BY_OUTCOME.items() for word in words.split()
}
_EXACT_FAILURES = {"timed-out", "crashed"}
# pytest and unittest-xml-reporting write these types of a skip.
_EXPECTED_FAILURE_TYPES = {"pytest.xfail", "XFAIL"}
TAG_BY_GROUP: Mapping[OutcomeGroup, str] = {
    "failure": "failure",
    "error": "error",
    "skip": "skipped",
    "missing": "skipped",
}
"""The result element of an outcome's group, in files that this project exports."""
# A pass of a test, or only that it ran to its end.
_PASSED_WORDS = frozenset(
    re.findall(
        r"\w+",
        "complete completed done executed executedtrue finished fixed good ok pass passed"
        " passedtrue run skippedfalse success successful successtrue succeeded true xpass xpassed",
    )
)
# unittest, nose2 and unittest-xml-reporting name these in place of a test.
_SETUP_NAME = re.compile(r"\b(?:setUp|tearDown)(?:Class|Module)\b|_ErrorHolder\b|_FailedTest\b")
_THOUSANDS = re.compile(r"[1-9]\d{0,2}(?:,\d{3})+(?:\.\d*)?")
_MOST_NAMED = 5
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
        self._unknown: Counter[str] = Counter()
        self._missing: Counter[str] = Counter()

    def case(self, case: CaseElement) -> None:
        identity, outcome_fields = _parsed_test_id(case, self._user_suite), _outcome_fields(case)
        if not identity.name and outcome_fields["outcome"] in UNSUCCESSFUL:  # of the suite itself
            identity = parse_junit_test_id("", case.suite.name or "suite")
        if not identity.name:
            what, remedy = "the test has no name", "name it"
            self._tests.leave_out(case.line, what, remedy, "without a name")
            return
        fields = _entry_fields(case, self._suite_name(case.suite), identity, outcome_fields)
        if time := case.attributes.get("time"):
            try:
                fields["duration_s"] = _parse_seconds(time)
            except ValueError:
                what = f'time="{time[:40]}" is not a number of seconds'
                self._tests.leave_out_value(case.line, what, 'use a format like "1.25"')
        if not case.results and (case.unknown or "raw_status" in fields):
            self._unknown.update(_unknown_words(case))
        if fields["outcome"] in UNSUCCESSFUL:
            case.suite.failures += sum(result.tag != "skipped" for result in case.results) or 1
        place = f'"{identity.name[:60]}"'
        self._tests.add(case.line, fields, place=place, device=identity.device)

    def suite(self, suite: SuiteElement) -> None:
        self._add_times(suite)
        self._check_counts(suite)
        self._unknown.update({f"<{tag}>": number for tag, number in suite.unknown.items()})
        self._facts = {**facts_from_properties(suite.properties), **self._facts}
        if suite.cases or not suite.nested:
            self._suites.append(Suite(name=self._suite_name(suite), kind="unit"))

    def import_result(self) -> ImportResult:
        result = self._tests.result(
            self._suites,
            self._tests.environment(self._facts, "properties"),
            started=min(self._moments, default=None),
            finished=max(self._moments, default=None),
            note=" ".join(self._notes()) or None,
        )
        if not self._suites:
            what = "the file contains no test suite"
            raise file_error(self._path, 1, what, "use a JUnit XML file with results")
        return result

    def _notes(self) -> Iterator[str]:
        if self._zone_is_missing:
            yield _NO_ZONE_NOTE
        if self._missing:
            yield f"The file counts {_missing_text(self._missing)} that it does not contain."
        if self._unknown:
            most = [
                f"{word} ({number:,})" for word, number in self._unknown.most_common(_MOST_NAMED)
            ]
            more = ["…"] if len(self._unknown) > _MOST_NAMED else []
            yield f"Tests with an unknown status or element: {', '.join([*most, *more])}."

    def _check_counts(self, suite: SuiteElement) -> None:
        """Warn if a suite counts results that it does not contain.

        pytest also counts subtests and failed tear-downs as tests, which have no test case.
        """
        stated_tests, stated_failures = suite.stated("tests"), suite.stated("failures", "errors")
        missing = Counter(failure=stated_failures - suite.failures)
        tests = suite.cases + suite.inner_tests
        missing["test"] = 0 if suite.is_of_pytest else stated_tests - tests
        if missing := +missing:
            what = f"the suite counts {_missing_text(missing)} that it does not contain"
            self._tests.warn(suite.line, what, "create the file again, with all results")
            self._missing += missing
        if suite.outer:
            suite.outer.inner_tests += tests + missing["test"]
            suite.outer.failures += suite.failures + missing["failure"]

    def _suite_name(self, suite: SuiteElement) -> str:
        name = self._user_suite or valid_suite_name(suite.name)
        return name or valid_suite_id(self._path.stem) or "tests"

    def _add_times(self, suite: SuiteElement) -> None:
        """Record a suite's start and end; invalid times are ignored."""
        with suppress(ValueError, OverflowError):
            stated = _parse_time(suite.attributes.get("timestamp", ""))
            moment = stated if stated.tzinfo else stated.replace(tzinfo=dt.timezone.utc)
            if moment < EARLIEST_TIME:  # the suite did not start, or the clock was not set
                return
            self._zone_is_missing |= stated.tzinfo is None
            self._moments.append(moment.astimezone(dt.timezone.utc))
            length = _parse_seconds(suite.attributes.get("time", ""))
            self._moments.append(self._moments[-1] + dt.timedelta(seconds=length))


def _missing_text(missing: Counter[str]) -> str:
    return " and ".join(count(number, noun) for noun, number in sorted(missing.items()))


def _parse_time(text: str) -> dt.datetime:
    """Return the time in an ISO 8601 text, also with `Z`, which Python 3.10 does not accept."""
    text = text.strip()
    return dt.datetime.fromisoformat(f"{text[:-1]}+00:00" if text.endswith("Z") else text)


def _parsed_test_id(case: CaseElement, user_suite: str | None = None) -> ParsedTestId:
    """Return the identity of a test: its name and its parameters.

    The name includes the test's file. PyTorch's CI writes the file in the attribute `file`, and
    pytest in `classname`. A `classname` that equals the suite's name is not part of the test's
    name, unless it tells tests of several suites apart: the user named another suite
    (`user_suite`), or the suite's name is not wholly in its id. A class that could not be set up
    is a test without a name. Its name is the class.
    """
    name, classname = case.attributes.get("name", ""), case.attributes.get("classname", "")
    if name and classname == case.suite.name and _is_told_by_suite(classname, user_suite):
        classname = ""
    file = case.attributes.get("file", "")
    if classname and "." not in classname and file.endswith(".py"):
        module = file.removesuffix(".py").replace("/", ".").removeprefix("test.")
        classname = classname if classname == module else f"{module}.{classname}"
    return parse_junit_test_id(classname, name)


@lru_cache(maxsize=4096)  # a class has many tests
def _is_told_by_suite(classname: str, user_suite: str | None) -> bool:
    suite = valid_suite_name(classname)
    is_whole = suite == classname or (classname.isascii() and len(classname) <= MAX_SUITE)
    return is_whole and user_suite in {None, suite}


def _entry_fields(
    case: CaseElement, suite: str, test: ParsedTestId, outcome_fields: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the `TestEntry` fields of a test, without its duration.

    `suite` is the name of its suite, `test` is its identity, and `outcome_fields` are the fields
    about its outcome.
    """
    fields: dict[str, Any] = {"suite": suite, "name": test.name, **outcome_fields}
    if test.parameters:
        fields["parameters"] = test.parameters
    if case.retries:
        fields["metrics"] = {"retries": {"value": float(case.retries), "unit": "1"}}
    return {name: value for name, value in fields.items() if value is not None}


def _parse_seconds(text: str) -> float:
    """Return the number of seconds in a text such as `1,234.5`.

    Raises ValueError if it is not a number, is negative or infinite, or has a decimal comma.
    """
    value = float(text.replace(",", "") if "," in text and _THOUSANDS.fullmatch(text) else text)
    if not 0 <= value < math.inf:
        raise ValueError(text)
    return value


def _outcome_fields(case: CaseElement) -> dict[str, Any]:
    results = sorted(case.results, key=lambda result: result.tag == "skipped")
    if not results:
        return _attribute_fields(case)
    result = results[0]
    message, kind = result.attributes.get("message", ""), result.attributes.get("type", "")
    is_exported = case.suite.outer is not None and case.suite.outer.name == EXPORTER
    if is_exported and is_outcome(kind) and TAG_BY_GROUP.get(OUTCOMES[kind].group) == result.tag:
        reason, log_tail = failure_outcomes.reason(message), failure_outcomes.log_tail(result.text)
        return {"outcome": kind, "reason": reason, "log_tail": log_tail}
    if result.tag == "skipped":
        skip_reason = message or result.text
        if kind in _EXPECTED_FAILURE_TYPES:
            return _skip_fields(
                "skipped", "xfail", skip_reason or failure_outcomes.EXPECTED_FAILURE_REASON
            )
        return _skip_fields("skipped", "skipped", skip_reason)
    return _failure_fields(case, result, message, kind)


def _attribute_fields(case: CaseElement) -> dict[str, Any]:
    """Return the outcome of a test without a result element: `passed`, unless it states another.

    A test with an unknown status did not necessarily pass: it is `executed`. Unknown elements often
    have no meaning for the outcome.
    """
    attributes = _status_words(case)
    if not attributes and not case.unknown:
        return {"outcome": "passed"}
    elements = {element.tag: element for element in case.unknown}
    for word in (*attributes, *elements):
        outcome = _OUTCOME_BY_STATUS.get(_letters(word))
        element = elements.get(word)
        text = element.attributes.get("message", "") or element.text if element else ""
        if outcome in UNSUCCESSFUL:
            texts = {"reason": failure_outcomes.reason(text)}
            texts["log_tail"] = failure_outcomes.log_tail(case.output)
            return {"outcome": outcome, "raw_status": word[:200], **texts}
        if outcome:
            return _skip_fields(outcome, word[:200], text)
    for word in attributes:
        if _is_unknown(word):
            return _skip_fields("executed", word[:200], "")
    return {"outcome": "passed"}


def _status_words(case: CaseElement) -> list[str]:
    attributes = case.attributes
    flags = {name: attributes.get(name, "") for name in _FLAGS}
    return [
        *(attributes[name] for name in _STATUS_ATTRIBUTES if name in attributes),
        *(f"{name}={text}" for name, text in flags.items() if text.lower() in {"true", "false"}),
    ]


def _unknown_words(case: CaseElement) -> Iterator[str]:
    for name in _STATUS_ATTRIBUTES:
        if _is_unknown(word := case.attributes.get(name, "")):
            yield f'{name}="{one_line(word)[:60]}"'
    for element in case.unknown:
        if _is_unknown(element.tag):
            yield f"<{one_line(element.tag)[:60]}>"


def _is_unknown(word: str) -> bool:
    letters = _letters(word)
    return bool(word) and letters not in _PASSED_WORDS and letters not in _OUTCOME_BY_STATUS


@lru_cache(maxsize=4096)  # many tests have the same status
def _letters(word: str) -> str:
    return "".join(filter(str.isalpha, word.lower()))


def _skip_fields(outcome: str, raw: str, skip_reason: str) -> dict[str, Any]:
    reason = failure_outcomes.reason(skip_reason) or failure_outcomes.NO_REASON
    return {"outcome": outcome, "raw_status": raw or None, "reason": reason}


def _failure_fields(
    case: CaseElement, result: ResultElement, message: str, kind: str
) -> dict[str, Any]:
    reason = failure_outcomes.reason(message)
    tail = result.text if reason else ""
    texts = {
        "reason": reason or failure_outcomes.reason(result.text) or failure_outcomes.reason(kind),
        "log_tail": failure_outcomes.log_tail(tail) or failure_outcomes.log_tail(case.output),
    }
    text = f"{kind}: {message}" if kind and kind not in message else message
    if result.tag == "error":
        name = f"{case.attributes.get('classname')} {case.attributes.get('name')}"
        is_setup = _SETUP_NAME.search(name) is not None
        outcome = failure_outcomes.error_outcome(text, result.text, is_setup=is_setup)
    else:
        outcome = failure_outcomes.failure_outcome(text, result.text)
    if outcome == "failed":
        stated = (_OUTCOME_BY_STATUS.get(_letters(word)) for word in (kind, *_status_words(case)))
        outcome = next((word for word in stated if word in _EXACT_FAILURES), outcome)
    return {"outcome": outcome, "raw_status": result.tag, **texts}
