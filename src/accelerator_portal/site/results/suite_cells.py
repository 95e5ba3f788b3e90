"""Builds the newest results of suites: the grid of platforms by suites, and vendors' own suites.

A vendor's own suite is named after the vendor's folder, such as `acme/kernels`.
"""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from accelerator_portal.catalog import Catalog, Platform
from accelerator_portal.catalog.message import comma_list, message, plural
from accelerator_portal.results.stored_reports import SuiteEvidence
from accelerator_portal.site.grid import Cell, Grid, Head, platform_head, tally
from accelerator_portal.site.text_formats import outcome_words
from accelerator_reports.outcomes import BAD, GOOD, OUTCOMES, Outcome
from accelerator_reports.suite_names import (
    OwnSuite,
    SuiteFile,
    SuiteKind,
    is_executorch_suite,
    suite_folder,
    suite_owner,
)

OTHER_KIND: Final = "other"
"""The kind of a suite if neither `data/suites` nor its report states one."""

OWN_KIND: Final = "own"
"""The kind of the column that combines the vendors' own suites that only one platform reports."""

ColumnKind = SuiteKind | Literal["other", "own"]

KIND_TITLES: Mapping[ColumnKind, str] = {
    "unit": message("Unit tests"),
    "operator": message("Operator tests"),
    "model": message("Models"),
    "deploy": message("Installation"),
    "build": message("Build"),
    "speed": message("Speed"),
    OTHER_KIND: message("Other"),
    OWN_KIND: message("Vendors"),
}
"""The title of each kind of suite, in the order of the columns."""

_KIND_ORDER = list(KIND_TITLES)

_OLD = 365
"""Days. Cells say the age of older results."""


@dataclass(frozen=True, slots=True)
class SuiteColumn:
    """A column of the grid: the results of one suite.

    The column of kind `own` is different: it combines the vendors' own suites that only one
    platform reports. Its `suite` is empty.
    """

    suite: str
    title: str
    kind: ColumnKind

    @property
    def address(self) -> str:
        """The address to which the column's heading links, relative to the site's root."""
        return (
            "results/#own-suites"
            if self.kind == OWN_KIND
            else f"results/{suite_folder(self.suite)}/"
        )


_OWN_COLUMN = SuiteColumn("", message("All together"), OWN_KIND)


@dataclass(frozen=True, slots=True)
class SuiteCell:
    """A suite's results in a platform's newest run, or else in its newest baseline.

    In the column of kind `own`, the results are sums over several suites. `counts` has the numbers
    of tests by outcome, in the order of OUTCOMES, and `words` has them as text: `9 passed, 1
    failed`. `day` is the day of the report, or of the oldest of several; None without a date.
    `address` is the address of these results, relative to the site's root.
    """

    column: SuiteColumn
    is_run: bool
    counts: Mapping[Outcome, int]
    words: str
    day: dt.date | None
    address: str
    samples: tuple[int, int] | None = None
    """How many samples the tests ran, and how many are known, if the tests state this."""

    @property
    def passed(self) -> int:
        """The number of tests that passed or, in a baseline, are expected to pass."""
        return sum(tests for outcome, tests in self.counts.items() if outcome in GOOD)

    @property
    def total(self) -> int:
        """The number of tests that passed or failed or, in a baseline, are expected to."""
        return sum(tests for outcome, tests in self.counts.items() if outcome in GOOD | BAD)


def suite_grid(
    catalog: Catalog,
    evidence: Mapping[str, Iterable[SuiteEvidence]],
    own_suites: Container[str],
    today: dt.date,
) -> Grid:
    """Return the grid of the newest results of all platforms, those with most runs first.

    `evidence` has the result of `ResultsView.newest` for each platform, by platform id. One column
    combines the suites in `own_suites`. Suites of kind `speed` are omitted, because they do not
    show what works. ExecuTorch's suites are in a group of their own. Cells state the age of results
    that are more than a year older than `today`.
    """
    cells: dict[str, list[SuiteCell]] = {}
    for platform, platform_evidence in evidence.items():
        by_suite = {e.suite: e for e in platform_evidence if e.kind != "speed"}
        shared = (e for suite, e in by_suite.items() if suite not in own_suites)
        own = _own_cell(platform, by_suite, own_suites)
        cells[platform] = [*suite_cells(catalog, shared), *filter(None, (own,))]
    columns = {cell.column for row in cells.values() for cell in row}
    ordered_columns = sorted(
        columns, key=lambda column: (is_executorch_suite(column.suite), _column_order(column))
    )
    platforms = sorted(catalog.platforms, key=lambda p: _evidence_rank(cells.get(p.id, ())))
    return Grid(
        "fleet",
        message("Platform"),
        [platform_head(platform, "#results") for platform in platforms],
        [
            Head(
                column.suite or OWN_KIND,
                column.title.removeprefix("ExecuTorch ") or column.title,
                column.address,
                "ExecuTorch" if is_executorch_suite(column.suite) else KIND_TITLES[column.kind],
            )
            for column in ordered_columns
        ],
        {
            (platform, cell.column.suite or OWN_KIND): _grid_cell(cell, today)
            for platform, row in cells.items()
            for cell in row
        },
        words={
            "pass": message("all checked tests passed"),
            "part": message("some passed"),
            "fail": message("none passed"),
        },
    )


def _evidence_rank(cells: Sequence[SuiteCell]) -> tuple[bool, int]:
    return not any(cell.is_run for cell in cells), -len(cells)


def _grid_cell(cell: SuiteCell, today: dt.date) -> Cell:
    found = tally(cell.counts, "run" if cell.is_run else "expected")
    uniform = found.passed in (0, found.checked)
    number = f"{found.checked or sum(cell.counts.values()):,}"
    notes = []
    if cell.samples and cell.samples[0] < cell.samples[1]:
        notes.append(message("{share}% tried", share=100 * cell.samples[0] // cell.samples[1]))
    if cell.day and (today - cell.day).days > _OLD:
        notes.append(message("{years} years old", years=f"{(today - cell.day).days / 365:.1f}"))
    words = cell.words if cell.is_run else message("expected: {words}", words=cell.words)
    label = message("{words}, {day}", words=words, day=cell.day) if cell.day else words
    return Cell(
        (found.mark,),
        number if uniform else f"{found.passed:,}/{number}",
        comma_list(notes) if notes else "",
        comma_list((label, *notes)),
        cell.address,
        found.mark.share + (1 if cell.is_run else 0),
    )


def suite_cells(catalog: Catalog, evidence: Iterable[SuiteEvidence]) -> tuple[SuiteCell, ...]:
    """Return a cell for each suite of a platform, sorted by the kind and the title of the suite.

    `evidence` is the result of `ResultsView.newest`. Ages are counted to `at`. Suites of kind
    `speed` are omitted.
    """
    cells = (_cell(e, _column(catalog, e.suite, e.kind)) for e in evidence if e.kind != "speed")
    return tuple(sorted(cells, key=lambda cell: _column_order(cell.column)))


def _own_cell(
    platform: str,
    evidence: Mapping[str, SuiteEvidence],
    own_suites: Container[str],
) -> SuiteCell | None:
    """Return one cell with the sums of a platform's results in its suites among `own_suites`.

    `evidence` has the platform's newest results by suite. If any of these suites has a run,
    baselines are ignored. The age of the cell is the age of its oldest report. None if the platform
    has no report of these suites.
    """
    own_evidence = [e for suite, e in evidence.items() if suite in own_suites]
    own_evidence = [e for e in own_evidence if e.is_run] or own_evidence
    if not own_evidence:
        return None
    total = Counter(test.outcome for e in own_evidence for test in e.tests)
    counts = {outcome: total[outcome] for outcome in OUTCOMES if outcome in total}
    words = plural(
        "{count} suite: {words}",
        "{count} suites: {words}",
        len(own_evidence),
        words=count_words(counts),
    )
    return SuiteCell(
        _OWN_COLUMN,
        own_evidence[0].is_run,
        counts,
        words,
        min((e.day for e in own_evidence if e.day), default=None),
        f"compute-platforms/{platform}/#own-suites",
    )


def _column(catalog: Catalog, suite: str, kind: SuiteKind | None) -> SuiteColumn:
    """Return the grid column of a suite.

    `kind` is the kind that the report states, or None. It is used only if no file in `data/suites`
    describes the suite.
    """
    description = catalog.suite(suite)
    if isinstance(description, SuiteFile):
        return SuiteColumn(suite, description.short or description.title, description.kind)
    return SuiteColumn(suite, description.title if description else suite, kind or OTHER_KIND)


def _column_order(column: SuiteColumn) -> tuple[int, str]:
    return _KIND_ORDER.index(column.kind), column.title.casefold()


def _cell(evidence: SuiteEvidence, column: SuiteColumn) -> SuiteCell:
    counts = evidence.counts
    return SuiteCell(
        column,
        evidence.is_run,
        counts,
        count_words(counts),
        evidence.day,
        f"results/runs/{evidence.stored.id}/#suite-{suite_folder(column.suite)}",
        evidence.samples,
    )


def count_words(counts: Mapping[Outcome, int]) -> str:
    """Return the numbers of tests by outcome: `1,204 passed, 3 wrong result`."""
    return comma_list(
        message("{count} {outcome}", count=f"{tests:,}", outcome=outcome_words(outcome))
        for outcome, tests in counts.items()
    )


@dataclass(frozen=True, slots=True)
class OwnSuiteRow:
    """A vendor's own suite on its platform's page.

    `declared` is the suite's description in `accelerator.yaml`, or None without one. `cell` has the
    newest results. It is None if no report has the suite, or if the suite only measures speed.
    """

    name: str
    declared: OwnSuite | None
    cell: SuiteCell | None


def own_suite_rows(
    catalog: Catalog, platform: Platform, cells: Iterable[SuiteCell]
) -> tuple[OwnSuiteRow, ...]:
    """Return the vendor's own suites that a platform declares or reports, declared suites first.

    `cells` is the result of `suite_cells` for the platform.
    """
    cell_by_suite = {cell.column.suite: cell for cell in cells}
    declared = {suite.name: suite for suite in platform.accelerator.suites}
    other_names = sorted(
        name for name in cell_by_suite if suite_owner(name) and name not in declared
    )
    return tuple(
        OwnSuiteRow(name, catalog.own_suites.get(name), cell_by_suite.get(name))
        for name in (*declared, *other_names)
    )
