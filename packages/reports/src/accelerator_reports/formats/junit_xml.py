"""Parses JUnit XML into suites and test cases, one after the other, in bounded memory.

JUnit XML has no schema. This parser reads what pytest, unittest-xml-reporting, GoogleTest, CTest,
Surefire, Bazel, NUnit's converters and PyTorch's own test runner write.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn
from xml.parsers import expat

from accelerator_reports.file_reading import file_error, read_bytes
from accelerator_reports.formats.other_formats import kind_of_xml

_CHUNK = 1 << 18
_MAX_DEPTH = 50
_MAX_SUITES = 100_000

# Expat reads an incomplete tag again with each chunk, which takes hours for a tag of 128 MiB.
_MAX_TAG = 1 << 21
_MAX_TEXT = 16_384  # of each end of a text, in characters

# The tags of elements that state a result, in all dialects, with the most common name of each.
_RESULT_TAGS: Mapping[str, str] = {
    **dict.fromkeys(("failure", "fail", "failed"), "failure"),
    "error": "error",
    **dict.fromkeys(("skipped", "skip", "ignored", "disabled", "notrun", "pending"), "skipped"),
}
_ATTEMPT_TAGS = frozenset({"rerun", "rerunFailure", "rerunError", "flakyFailure", "flakyError"})
_TEXT_TAGS = _RESULT_TAGS.keys() | {"system-out", "system-err", "property"}
_ROOT_TAGS = frozenset({"testsuites", "testsuite"})


@dataclass(slots=True)
class SuiteElement:
    """A `<testsuite>` or `<testsuites>`."""

    line: int
    attributes: Mapping[str, str]
    properties: dict[str, str] = field(default_factory=dict)
    cases: int = 0
    """The number of test cases directly in the element."""
    nested: bool = False
    """Whether the element contains suites, or is a `<testsuites>`."""


@dataclass(slots=True)
class ResultElement:
    """A `<failure>`, `<error>` or `<skipped>`."""

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
            error_text = expat.ErrorString(error.code)
            self._refuse(
                error.lineno,
                f"invalid XML in column {error.offset + 1}: {error_text}",
                "create the file again",
            )
        except (LookupError, ValueError):  # of the decoder that the file names
            self._refuse(1, "the file has an unknown encoding", "save it as UTF-8")
        if not final and end - self._parser.CurrentByteIndex > _MAX_TAG:
            what = f"one tag has more than {_MAX_TAG // 1024**2} MiB"
            self._refuse(self._line(), what, "shorten its message")

    def _refuse(self, line: int, what: str, remedy: str) -> NoReturn:
        raise file_error(self._path, line, what, remedy) from None

    def _line(self) -> int:
        return self._parser.CurrentLineNumber

    def _doctype(self, *_: object) -> None:
        what = "the file has a document type (<!DOCTYPE …>)"
        self._refuse(self._line(), what, "remove it; test reports do not use one")

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
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
        self._open_tags.append(tag)
        if tag in _ROOT_TAGS and self._case is None:
            for outer in self._suites[-1:]:
                outer.nested = True
            nested = tag == "testsuites"
            self._suites.append(SuiteElement(self._line(), attributes, nested=nested))
            self._suite_count += 1
            if self._suite_count > _MAX_SUITES:
                what = f"the file has more than {_MAX_SUITES:,} suites"
                self._refuse(self._line(), what, "split it")
        elif tag == "testcase" and self._case is None:
            self._suites[-1].cases += 1
            self._case = CaseElement(self._line(), self._suites[-1], attributes)
        elif tag in _ATTEMPT_TAGS and self._case:
            self._case.retries += 1
        elif tag in _TEXT_TAGS:
            self._attributes, self._text = attributes, ""

    def _characters(self, text: str) -> None:
        if self._text is not None:
            self._text += text
            if len(self._text) > 8 * _MAX_TEXT:
                self._text = _both_ends(self._text)

    def _end(self, tag: str) -> None:
        self._open_tags.pop()
        if tag == "testcase" and self._case:
            self.complete_elements.append(self._case)
            self._case = None
        elif tag in _ROOT_TAGS and self._case is None:
            self.complete_elements.append(self._suites.pop())
        elif tag in _TEXT_TAGS and self._text is not None:
            self._store_text(tag, _both_ends(self._text))
            self._text = None

    def _store_text(self, tag: str, text: str) -> None:
        if tag == "property":
            owner = self._case or self._suites[-1]
            if name := self._attributes.get("name"):
                owner.properties[name] = self._attributes.get("value", text)
        elif self._case and tag in _RESULT_TAGS:
            self._case.results.append(ResultElement(_RESULT_TAGS[tag], self._attributes, text))
        elif self._case:
            self._case.output = text or self._case.output


def _both_ends(text: str) -> str:
    """Return the first and the last `_MAX_TEXT` characters, or all if the text is not longer."""
    return text if len(text) <= 2 * _MAX_TEXT else text[:_MAX_TEXT] + text[-_MAX_TEXT:]
