"""Reads JUnit XML, the format of pytest, GoogleTest and most CI systems, in bounded memory.

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
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, NoReturn
from xml.parsers import expat

from accelerator_reports import failure_texts
from accelerator_reports.file_reading import (
    MAX_TESTS,
    ImportOptions,
    ImportResult,
    file_error,
    paused_garbage_collection,
    read_bytes,
)
from accelerator_reports.files.text_file import one_line
from accelerator_reports.files.wording import count
from accelerator_reports.formats.imported_tests import EXPORTER, ImportedTests, chosen_suite
from accelerator_reports.formats.other_formats import kind_of_xml
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

# Parses JUnit XML into suites and test cases, one after the other, in bounded memory.
#
# JUnit XML has no schema. This parser reads what pytest, unittest-xml-reporting, GoogleTest, CTest,
# Surefire, Bazel, NUnit's converters and PyTorch's own test runner write.

_CHUNK = 1 << 18
_MAX_DEPTH = 50
_MAX_SUITES = 100_000

# Expat reads an incomplete tag again with each chunk, which takes hours for a tag of 128 MiB.
_MAX_TAG = 1 << 21
_MAX_TEXT = 16_384  # of each end of a text, in characters

# Tags are compared in lower case, without the prefix of a namespace.
# The tags of elements that state a result, in all dialects, with the most common name of each.
_RESULT_TAGS: Mapping[str, str] = {
    **dict.fromkeys(("failure", "fail", "failed"), "failure"),
    "error": "error",
    **dict.fromkeys(("skipped", "skip", "ignored", "disabled", "notrun", "pending"), "skipped"),
}
# unittest-xml-reporting appends the time of the run: `test_a.TestX-20261129112557`.
_TIME_IN_NAME = re.compile(r"-20\d{12}\Z")
_XML_REMEDIES = {
    expat.errors.XML_ERROR_BAD_CHAR_REF: "remove the character",
    expat.errors.XML_ERROR_INCORRECT_ENCODING: 'correct encoding="…" in the first line',
    expat.errors.XML_ERROR_JUNK_AFTER_DOC_ELEMENT: "move the rest to another file",
    expat.errors.XML_ERROR_MISPLACED_XML_PI: "remove what is before <?xml, also spaces",
}
_SILENT_TAGS = frozenset({"properties", "attachments"})
_ATTEMPT_TAGS = frozenset({"rerun", "rerunfailure", "rerunerror", "flakyfailure", "flakyerror"})
_TEXT_TAGS = _RESULT_TAGS.keys() | {"system-out", "system-err", "property"}
_ROOT_TAGS = frozenset({"testsuites", "testsuite"})


@dataclass(slots=True)
class SuiteElement:
    """A `<testsuite>` or `<testsuites>`."""

    line: int
    attributes: Mapping[str, str]
    name: str = ""
    """The attribute `name`, without the time of the run."""
    outer: SuiteElement | None = None
    properties: dict[str, str] = field(default_factory=dict)
    cases: int = 0
    """The number of test cases directly in the element."""
    inner_tests: int = 0
    """The number of tests in the suites in the element, which the reader counts."""
    failures: int = 0
    """The number of failures and errors, which the reader counts."""
    nested: bool = False
    """Whether the element contains suites, or is a `<testsuites>`."""
    unknown: Counter[str] = field(default_factory=Counter)
    """The number of elements directly in the suite with a tag of no known meaning, by tag."""
    waiting: dict[object, CaseElement] = field(default_factory=dict)
    """The test cases of a suite of pytest; those that may be repeated, by `CaseElement.address`."""

    @property
    def is_of_pytest(self) -> bool:
        """Whether pytest wrote the suite under its default name."""
        return self.name == "pytest" or (
            self.outer is not None and self.outer.name == "pytest tests"
        )

    def stated(self, *names: str) -> int:
        """Return the sum of the counts in these attributes, such as `tests`."""
        counts = [self.attributes.get(name, "") for name in names]
        return sum(int(text) for text in counts if re.fullmatch("[0-9]{1,9}", text))


@dataclass(slots=True)
class ResultElement:
    """A `<failure>`, `<error>` or `<skipped>`, or an element of a test case with an unknown tag."""

    tag: str
    attributes: Mapping[str, str]
    text: str = ""


@dataclass(slots=True)
class CaseElement:
    """A `<testcase>` with its content; `retries` counts the attempts before the last one.

    `output` is the text of its last `<system-out>` or `<system-err>` that is not empty.
    """

    line: int
    suite: SuiteElement
    attributes: Mapping[str, str]
    properties: dict[str, str] = field(default_factory=dict)
    results: list[ResultElement] = field(default_factory=list)
    output: str = ""
    retries: int = 0
    unknown: tuple[ResultElement, ...] = ()
    """The elements directly in the test case with a tag of no known meaning."""

    @property
    def address(self) -> tuple[str | None, ...]:
        """What tells the test from the other tests of its suite."""
        return tuple(self.attributes.get(name) for name in ("classname", "name", "file"))


def junit_elements(path: Path) -> Iterator[SuiteElement | CaseElement]:
    """Yield the suites and test cases of a file; a suite is yielded at its end.

    Raises ProblemsError if the file is not JUnit XML, or has a document type declaration:
    entities could expand to gigabytes or read other files.
    """
    data = memoryview(read_bytes(path))
    reader = _JUnitParser(path)
    for start in range(0, max(len(data), 1), _CHUNK):
        end = start + _CHUNK
        reader.feed(bytes(data[start:end]), end, final=end >= len(data))
        yield from reader.complete_elements
        reader.complete_elements.clear()


class _JUnitParser:
    """Has Expat's callbacks, which append each complete element to `complete_elements`.

    The caller empties `complete_elements` after each call of `feed`.
    """

    def __init__(self, path: Path) -> None:
        self.complete_elements: list[SuiteElement | CaseElement] = []
        self._path = path
        self._open_tags: list[str] = []
        self._suites: list[SuiteElement] = []  # the open ones, the root first
        self._suite_count = 0
        self._case: CaseElement | None = None
        self._attributes: Mapping[str, str] = {}
        self._text: str | None = None
        self._parser = expat.ParserCreate()
        self._parser.buffer_text = True
        self._parser.StartDoctypeDeclHandler = self._doctype
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._characters

    def feed(self, data: bytes, end: int, *, final: bool) -> None:
        """Parse the next part of the file, which ends at byte `end`; `final` marks the last part.

        Raises ProblemsError if the XML is invalid or exceeds a limit.
        """
        try:
            self._parser.Parse(data, final)
        except expat.ExpatError as error:
            position = self._parser.ErrorByteIndex - (end - _CHUNK)
            fault, remedy = _xml_fault(error.code, data[max(position, 0) :][:1])
            what = f"invalid XML in column {error.offset + 1}: {fault}"
            self._refuse(error.lineno, what, remedy)
        except (LookupError, ValueError):  # of the decoder that the file names
            self._refuse(1, "the file has an unknown encoding", "save it as UTF-8")
        if not final and end - self._parser.CurrentByteIndex > _MAX_TAG:
            what = f"one tag has more than {_MAX_TAG // 1024**2} MiB"
            self._refuse(self._line(), what, "shorten its message")

    def _refuse(self, line: int, what: str, remedy: str) -> NoReturn:
        raise file_error(self._path, line, what, remedy) from None

    def _line(self) -> int:
        return self._parser.CurrentLineNumber

    def _doctype(self, root: str, *_: object) -> None:
        kind, remedy = kind_of_xml(root) or (None, "remove it; test reports do not use one")
        what = f"the file is {kind}" if kind else "the file has a document type (<!DOCTYPE …>)"
        self._refuse(self._line(), what, remedy)

    def _check_place(self, tag: str) -> None:
        """Raise ProblemsError if an element with this tag may not be here."""
        if not self._open_tags and tag not in _ROOT_TAGS:
            kind, remedy = kind_of_xml(tag) or (
                "not JUnit XML",
                "create the file with an option for JUnit XML",
            )
            what = f"the outermost element is <{tag[:40]}>, not <testsuites>: the file is {kind}"
            self._refuse(self._line(), what, remedy)
        if len(self._open_tags) >= _MAX_DEPTH:
            what = f"more than {_MAX_DEPTH} nested elements"
            self._refuse(self._line(), what, "create the file again")
        name = _local_name(tag)
        if self._case and (name in _ROOT_TAGS or name == "testcase"):
            what = f"<{name}> is inside a <testcase>"
            self._refuse(self._line(), what, "move it out of the test")

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        self._check_place(tag)
        tag = _local_name(tag)
        outer_tag = self._open_tags[-1] if self._open_tags else ""
        self._open_tags.append(tag)
        if tag in _ROOT_TAGS:
            self._start_suite(attributes, is_root=tag == "testsuites")
        elif tag == "testcase":
            self._suites[-1].cases += 1
            self._case = CaseElement(self._line(), self._suites[-1], attributes)
        elif tag in _ATTEMPT_TAGS and self._case:
            self._case.retries += 1
        elif tag in _TEXT_TAGS:
            self._attributes, self._text = attributes, ""
        elif self._case and outer_tag == "testcase" and tag not in _SILENT_TAGS:
            self._attributes, self._text = attributes, ""
            self._case.unknown += (ResultElement(tag, attributes),)
        elif outer_tag in _ROOT_TAGS and tag not in _SILENT_TAGS:
            self._suites[-1].unknown[tag] += 1

    def _start_suite(self, attributes: dict[str, str], *, is_root: bool) -> None:
        outer = self._suites[-1] if self._suites else None
        if outer:
            outer.nested = True
        name = _TIME_IN_NAME.sub("", attributes.get("name", ""))
        suite = SuiteElement(self._line(), attributes, name, outer, nested=is_root)
        self._suites.append(suite)
        self._suite_count += 1
        if self._suite_count > _MAX_SUITES:
            what = f"the file has more than {_MAX_SUITES:,} suites"
            self._refuse(self._line(), what, "split it")

    def _characters(self, text: str) -> None:
        if self._text is not None:
            self._text += text
            if len(self._text) > 8 * _MAX_TEXT:
                self._text = _both_ends(self._text)

    def _end(self, _: str) -> None:
        tag = self._open_tags.pop()
        if tag == "testcase" and self._case:
            self._store_case(self._case)
            self._case = None
        elif tag in _ROOT_TAGS:
            suite = self._suites.pop()
            self.complete_elements += [*suite.waiting.values(), suite]
        elif tag in _TEXT_TAGS and self._text is not None:
            self._store_text(tag, _both_ends(self._text))
            self._text = None
        elif self._text is not None and self._open_tags[-1] == "testcase" and self._case:
            for element in self._case.unknown[-1:]:
                element.text = _both_ends(self._text)
            self._text = None

    def _store_case(self, case: CaseElement) -> None:
        """Store a test case. In a suite of pytest, it may be another attempt of an earlier one.

        pytest gives each test of a run a name of its own. pytest-rerunfailures writes a test case
        for each attempt, without a result element for all but the last. With pytest-xdist, other
        tests can be between them.
        """
        suite = case.suite
        if not suite.is_of_pytest or len(suite.waiting) > MAX_TESTS:  # the reader refuses so many
            self.complete_elements.append(case)
            return
        if earlier := suite.waiting.pop(case.address, None):
            case.retries += earlier.retries + 1
        suite.waiting[id(case) if case.results else case.address] = case

    def _store_text(self, tag: str, text: str) -> None:
        if tag == "property":
            owner = self._case or self._suites[-1]
            if name := self._attributes.get("name"):
                owner.properties[name] = self._attributes.get("value", text)
        elif tag in _RESULT_TAGS:
            self._store_result(ResultElement(_RESULT_TAGS[tag], self._attributes, text))
        elif self._case:
            self._case.output = text or self._case.output

    def _store_result(self, result: ResultElement) -> None:
        """Add a result to the test case; a failure of a suite itself becomes a test case."""
        suite = self._suites[-1]
        if self._case:
            self._case.results.append(result)
        elif result.tag != "skipped":
            suite.cases += 1
            self.complete_elements.append(CaseElement(self._line(), suite, {}, results=[result]))


def _xml_fault(code: int, byte: bytes) -> tuple[str, str]:
    """Return what is wrong with XML, and the fix. `code` is Expat's, and `byte` is at the fault."""
    fault, remedy = expat.ErrorString(code), _XML_REMEDIES.get(expat.ErrorString(code))
    if fault == expat.errors.XML_ERROR_INVALID_TOKEN and byte >= b"\x80":
        return f"byte 0x{byte.hex()} is not UTF-8", "save the file as UTF-8, or state its encoding"
    if fault == expat.errors.XML_ERROR_INVALID_TOKEN and byte < b" ":
        return f"XML may not contain the character U+00{byte.hex()}", "remove the character"
    return fault, remedy or "create the file again"


def _local_name(tag: str) -> str:
    return tag.rpartition(":")[2].lower()


def _both_ends(text: str) -> str:
    """Return the first and the last `_MAX_TEXT` characters, or all if the text is not longer."""
    return text if len(text) <= 2 * _MAX_TEXT else text[:_MAX_TEXT] + text[-_MAX_TEXT:]


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
        reason, log_tail = failure_texts.reason(message), failure_texts.log_tail(result.text)
        return {"outcome": kind, "reason": reason, "log_tail": log_tail}
    if result.tag == "skipped":
        skip_reason = message or result.text
        if kind in _EXPECTED_FAILURE_TYPES:
            return _skip_fields(
                "skipped", "xfail", skip_reason or failure_texts.EXPECTED_FAILURE_REASON
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
            texts = {"reason": failure_texts.reason(text)}
            texts["log_tail"] = failure_texts.log_tail(case.output)
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
    reason = failure_texts.reason(skip_reason) or failure_texts.NO_REASON
    return {"outcome": outcome, "raw_status": raw or None, "reason": reason}


def _failure_fields(
    case: CaseElement, result: ResultElement, message: str, kind: str
) -> dict[str, Any]:
    reason = failure_texts.reason(message)
    tail = result.text if reason else ""
    texts = {
        "reason": reason or failure_texts.reason(result.text) or failure_texts.reason(kind),
        "log_tail": failure_texts.log_tail(tail) or failure_texts.log_tail(case.output),
    }
    text = f"{kind}: {message}" if kind and kind not in message else message
    if result.tag == "error":
        name = f"{case.attributes.get('classname')} {case.attributes.get('name')}"
        is_setup = _SETUP_NAME.search(name) is not None
        outcome = failure_texts.error_outcome(text, result.text, is_setup=is_setup)
    else:
        outcome = failure_texts.failure_outcome(text, result.text)
    if outcome == "failed":
        stated = (_OUTCOME_BY_STATUS.get(_letters(word)) for word in (kind, *_status_words(case)))
        outcome = next((word for word in stated if word in _EXACT_FAILURES), outcome)
    return {"outcome": outcome, "raw_status": result.tag, **texts}
