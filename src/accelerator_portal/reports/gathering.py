"""What readers of other formats share: lines, and the tests and faults of a file until its end."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from accelerator_portal.catalog import Problem, ProblemsError
from accelerator_portal.catalog.suite_file import SuiteKind
from accelerator_portal.reports.reading import MAX_TESTS, refuse
from accelerator_portal.reports.report import Suite, TestEntry

# What the model TestEntry allows of a text.
LONGEST = 4000

# A line of results has some hundred characters, and messages beside it some thousand.
MAX_LINE = 1024 * 1024

_MOST_SHOWN = 100
_MOST_COUNTED = 10_000


class Gathering:
    """The tests of one file, in its order, and its faults, the first hundred of them in words."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._tests: list[TestEntry] = []
        self._lines: dict[object, int] = {}
        self._problems: list[Problem] = []
        self._more = 0

    def fault(self, line: int, what: str, remedy: str) -> None:
        """Take note of what is wrong with a line.

        Raises ProblemsError where so much is wrong that the file is of another kind.
        """
        if len(self._problems) < _MOST_SHOWN:
            self._problems.append(Problem(self._path.name, line, what, remedy))
            return
        self._more += 1
        if self._more == _MOST_COUNTED:
            raise self._error()

    def suite(self, name: str, kind: SuiteKind) -> Suite:
        """Return the suite of this name; raises ProblemsError where that can be no name."""
        try:
            return Suite(name=name, kind=kind)
        except ValidationError:
            what = f'"{name[:60]}" can be no name of a suite'
            self.fault(1, what, "use lower-case letters, digits and single - _ . between them")
            raise self._error() from None

    def add(self, line: int, fields: Mapping[str, Any]) -> None:
        """Add the test that stands on a line, or take note of why it cannot be one.

        Raises ProblemsError where a file has more tests than a report may have.
        """
        try:
            test = TestEntry.model_validate(fields)
        except ValidationError as error:
            for detail in error.errors(include_url=False):
                named = ".".join(str(part) for part in detail["loc"] if part != "[key]")
                words = detail["msg"][:1].lower() + detail["msg"][1:]
                self.fault(line, f"{named}: {words}", "see the page of the report format")
            return
        identity = (test.suite, test.name, frozenset(test.parameters.items()))
        if first := self._lines.get(identity):
            what = f'"{test.name}" stands twice with the same parameters, first in line {first}'
            self.fault(line, what, "keep one of the two")
            return
        self._lines[identity] = line
        self._tests.append(test)
        if len(self._tests) > MAX_TESTS:
            what = f"the file has more than {MAX_TESTS:,} tests"
            self.fault(line, what, "split it by suite")
            raise self._error()

    def done(self) -> tuple[TestEntry, ...]:
        """Return the tests; raises ProblemsError with every fault that was found."""
        if self._problems:
            raise self._error()
        return tuple(self._tests)

    def _error(self) -> ProblemsError:
        problems = list(self._problems)
        if self._more:
            unread = ", and the rest was not read" if self._more == _MOST_COUNTED else ""
            what = f"{self._more:,} more faults{unread}"
            problems.append(Problem(self._path.name, 1, what, "mend those above first"))
        return ProblemsError(problems)


def lines_of(path: Path, text: str) -> Iterator[str]:
    """Each line of a text with its end, without a second copy of the text.

    Raises ProblemsError for a line so long that its cells would fill the memory.
    """
    start, number = 0, 1
    while start < len(text):
        end = text.find("\n", start) + 1 or len(text)
        if end - start > MAX_LINE:
            what = f"the line has {end - start:,} characters, more than {MAX_LINE:,}"
            raise refuse(path, number, what, "write the file again, one result a line")
        yield text[start:end]
        start, number = end, number + 1


def shortened(text: str, limit: int = LONGEST) -> str | None:
    """Return a text that fits a report: its beginning and its end; None where nothing is left."""
    text = text.strip()
    if len(text) <= limit:
        return text or None
    half = (limit - 3) // 2
    return f"{text[:half]}\n…\n{text[-half:]}"
