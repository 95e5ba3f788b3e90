"""Parses JUnit XML into suites and test cases, one after the other, in bounded memory.

JUnit XML has no schema. This parser reads what pytest, unittest-xml-reporting, GoogleTest, CTest,
Surefire, Bazel, NUnit's converters and PyTorch's own test runner write.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn
from xml.parsers import expat

from accelerator_reports.file_reading import MAX_TESTS, file_error, read_bytes
from accelerator_reports.formats.other_formats import kind_of_xml

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
