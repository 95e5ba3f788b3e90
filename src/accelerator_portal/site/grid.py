"""The record behind every table of marks, such as model families by platforms.

A cell has marks that say what is known and how it is known, and at most a few words. It links to
the section or the table row with the evidence, which a script opens beside the grid.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby
from typing import Literal

from accelerator_portal.catalog import Platform
from accelerator_portal.catalog.message import message
from accelerator_portal.results.history import ResultKind
from accelerator_reports.outcomes import BAD, GOOD, Outcome, ReportKind

State = Literal["pass", "part", "fail", "ran", "skip", "gap", "meter"]
"""What is known. `ran`: executed, but no result was checked. `gap`: a number of missing releases.
`meter`: a share of all."""

Basis = Literal["run", "expected", "stated"]
"""How it is known: from a test run, from a baseline, or from a document."""

SIGNS: Mapping[State, str] = {
    "pass": "✓",
    "part": "",  # its box is filled as far as it works
    "fail": "✕",
    "ran": "○",
    "skip": "–",
    "gap": "",
    "meter": "",
}
"""The sign in each mark, in the order of the legend."""

STATE_WORDS: Mapping[State, str] = {
    "pass": message("works"),
    "part": message("in part"),
    "fail": message("does not work"),
    "ran": message("ran, not checked"),
    "skip": message("skipped"),
    "gap": message("one release behind"),
    "meter": message("share of all"),
}
"""What each mark means, unless a grid gives it another meaning."""

BASIS_WORDS: Mapping[Basis, str] = {
    "run": message("run"),
    "expected": message("expected, not run"),
    "stated": message("stated in documentation"),
}
"""What each form of a mark means: solid, hatched and outlined, the strongest evidence first."""

BASIS_OF: Mapping[ResultKind, Basis] = {"runs": "run", "baselines": "expected"}
"""The basis of each kind of results."""


def basis_of_report(kind: ReportKind) -> Basis:
    """Return the basis of the results in a report."""
    return "expected" if kind == "baseline" else "run"


@dataclass(frozen=True, slots=True)
class GridMark:
    """One sign of a cell.

    `share` is how much works, from 0 to 1; of a gap, the number of missing releases. `kind` is a
    CSS class that tells the marks of a cell apart, such as `train`.
    """

    state: State
    basis: Basis
    share: float = 0.5
    kind: str = ""

    @property
    def sign(self) -> str:
        """The sign in the mark."""
        return SIGNS[self.state]

    @property
    def classes(self) -> str:
        """The CSS classes."""
        return " ".join(filter(None, ("mark", self.basis, self.state, self.kind)))


@dataclass(frozen=True, slots=True)
class MarkCounts:
    """The numbers of tests behind a mark: how many passed, of how many that were checked."""

    mark: GridMark
    passed: int
    checked: int


def tally(counts: Mapping[Outcome, int], basis: Basis, kind: str = "") -> MarkCounts:
    """Return the mark of numbers of tests by outcome.

    Tests whose result was not checked do not count, but they keep a mark from saying that nothing
    works. If only such tests ran, the mark says so.
    """
    passed = sum(number for outcome, number in counts.items() if outcome in GOOD)
    checked = passed + sum(number for outcome, number in counts.items() if outcome in BAD)
    ran = counts.get("executed", 0)
    state: State
    if not checked:
        state = "ran" if ran else "skip"
    elif passed == checked:
        state = "pass"
    else:
        state = "part" if passed or ran else "fail"
    share = passed / checked if passed else ran / ((checked + ran) or 1)
    return MarkCounts(GridMark(state, basis, share, kind), passed, checked)


@dataclass(frozen=True, slots=True)
class Cell:
    """What is known about a row in a column.

    `text` is a count or a version of about ten characters, and `note` a second line. `label` says
    in one sentence what the marks show, for readers who do not see them. `href` is relative to the
    site's root. The grid is sorted by `order`; the greatest is the best.
    """

    marks: tuple[GridMark, ...] = ()
    text: str = ""
    note: str = ""
    label: str = ""
    href: str = ""
    order: float = 0.0


@dataclass(frozen=True, slots=True)
class Head:
    """A row or a column. `words` are other names that the search finds."""

    id: str
    title: str
    href: str = ""
    group: str = ""
    note: str = ""
    words: str = ""


@dataclass(frozen=True, eq=False)
class Grid:
    """Rows, columns and the cells about which something is known, by row id and column id.

    Columns and rows without a cell are listed below the grid. `shown` are the columns at first, all
    if empty. `kinds` has the meaning of each kind of mark. `words` has the meaning of states and
    bases if it is not the usual one. A grid that is `wide` has words in its cells. `presets` are
    titles with the columns that they show. `panel` says whether the evidence opens beside the grid.
    """

    id: str
    corner: str
    heads: Sequence[Head]
    columns_and_empty: Sequence[Head]
    cells: Mapping[tuple[str, str], Cell]
    shown: Sequence[str] = ()
    kinds: Mapping[str, str] = field(default_factory=dict)
    words: Mapping[str, str] = field(default_factory=dict)
    wide: bool = False
    presets: Sequence[tuple[str, Sequence[str]]] = ()
    panel: bool = True
    differences: bool = True

    @cached_property
    def columns(self) -> tuple[Head, ...]:
        """The columns with a cell."""
        filled = {column for _, column in self.cells}
        return tuple(head for head in self.columns_and_empty if head.id in filled)

    @cached_property
    def rows(self) -> tuple[Head, ...]:
        """The rows with a cell."""
        filled = {row for row, _ in self.cells}
        return tuple(head for head in self.heads if head.id in filled)

    @property
    def empty(self) -> tuple[Head, ...]:
        """The rows and columns without a cell."""
        shown = {*self.rows, *self.columns}
        return tuple(head for head in (*self.heads, *self.columns_and_empty) if head not in shown)

    @property
    def column_groups(self) -> tuple[tuple[str, int], ...]:
        """The titles above adjacent columns, with the number of columns; empty if there is one."""
        groups = [(title, len([*heads])) for title, heads in groupby(self.columns, _group)]
        return tuple(groups) if len(groups) > 1 else ()

    @property
    def row_groups(self) -> tuple[tuple[str, tuple[Head, ...]], ...]:
        """The rows by the titles above them."""
        return tuple((title, tuple(heads)) for title, heads in groupby(self.rows, _group))

    @property
    def legend(self) -> tuple[tuple[GridMark, str], ...]:
        """The states in the grid with their meaning."""
        found = {mark.state for mark in self._marks}
        return tuple(
            (
                GridMark(state, "run", 1 if state == "gap" else 0.6, "plain"),
                self._meaning(state, words),
            )
            for state, words in STATE_WORDS.items()
            if state in found
        )

    @property
    def bases(self) -> tuple[tuple[Basis, str], ...]:
        """The bases in the grid with their meaning, the strongest first."""
        found = {mark.basis for mark in self._marks}
        return tuple((b, self._meaning(b, words)) for b, words in BASIS_WORDS.items() if b in found)

    @cached_property
    def _marks(self) -> frozenset[GridMark]:
        return frozenset(mark for cell in self.cells.values() for mark in cell.marks)

    def _meaning(self, name: str, usual: str) -> str:
        return self.words.get(name, usual)


def _group(head: Head) -> str:
    return head.group


PLATFORM_GROUPS: Mapping[str, str] = {
    "in-tree": message("In PyTorch"),
    "out-of-tree": message("Plugins"),
}
"""The titles above platforms, by how they are integrated into PyTorch."""


def platform_head(platform: Platform, part: str = "", group: str = "") -> Head:
    """Return a platform as a row or a column. `part` is added to the address of its page."""
    accelerator = platform.accelerator
    address = f"compute-platforms/{platform.id}/{part}"
    return Head(platform.id, accelerator.name, address, group, words=accelerator.vendor)


def platforms_by_integration(platforms: Sequence[Platform], part: str = "") -> tuple[Head, ...]:
    """Return platforms as rows or columns in two groups: those in PyTorch, then plugins."""
    return tuple(
        platform_head(platform, part, title)
        for integration, title in PLATFORM_GROUPS.items()
        for platform in platforms
        if platform.accelerator.integration.value == integration
    )
