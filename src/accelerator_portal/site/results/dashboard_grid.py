"""Builds the grid of test results, platforms by suites, and the list of vendors' own test suites.

A vendor's own suite is named after the vendor's folder, such as `acme/kernels`.
"""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from accelerator_portal.catalog import Catalog, Platform
from accelerator_portal.catalog.message import comma_list, message, plural
from accelerator_portal.results.stored_reports import SuiteEvidence
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


@dataclass(frozen=True, slots=True)
class GridColumn:
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


_OWN_COLUMN = GridColumn("", message("All together"), OWN_KIND)


@dataclass(frozen=True, slots=True)
class GridGroup:
    """Adjacent columns of the same kind; `columns` is the number of columns."""

    kind: str
    title: str
    columns: int


@dataclass(frozen=True, slots=True)
class GridCell:
    """A suite's results in a platform's newest run, or else in its newest baseline.

    In the column of kind `own`, the results are sums over several suites. `counts` has the numbers
    of tests by outcome, in the order of OUTCOMES, and `words` has them as text: `9 passed, 1
    failed`. `day` is the day of the report, or of the oldest of several; None without a date.
    `address` is the address of these results, relative to the site's root.
    """

    column: GridColumn
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


@dataclass(frozen=True, slots=True)
class Grid:
    """The results of each platform in each suite.

    `rows` has the cells of each platform by platform id: one cell for each of `columns`. A cell is
    None if the platform has no report of the suite. `groups` has the headings above the columns,
    one for each kind of suite.
    """

    columns: tuple[GridColumn, ...]
    groups: tuple[GridGroup, ...]
    rows: Mapping[str, tuple[GridCell | None, ...]]

    def only(self, *, executorch: bool) -> Grid:
        """Return the grid with only ExecuTorch's suites, or without them.

        If `executorch` is true, the grid has only ExecuTorch's suites. Otherwise, it has all suites
        except ExecuTorch's. Platforms without results in these suites are omitted.
        """
        indexes = [
            n for n, c in enumerate(self.columns) if is_executorch_suite(c.suite) == executorch
        ]
        columns = tuple(self.columns[n] for n in indexes)
        rows = {platform: tuple(cells[n] for n in indexes) for platform, cells in self.rows.items()}
        filled = {platform: cells for platform, cells in rows.items() if any(cells)}
        return Grid(columns, _groups(columns), filled)


@dataclass(frozen=True, slots=True)
class GridTab:
    """A tab with one grid: either that of PyTorch's suites, or that of ExecuTorch's suites."""

    id: str
    title: str
    grid: Grid


def grid_tabs(grid: Grid) -> tuple[GridTab, ...]:
    """Return the tab of PyTorch, and the tab of ExecuTorch if its suites have results."""
    pytorch = GridTab("fleet", "PyTorch", grid.only(executorch=False))
    executorch = GridTab("fleet-executorch", "ExecuTorch", grid.only(executorch=True))
    return (pytorch, executorch) if executorch.grid.rows else (pytorch,)


def dashboard_grid(
    catalog: Catalog,
    evidence: Mapping[str, Iterable[SuiteEvidence]],
    own_suites: Container[str],
) -> Grid:
    """Return the grid of the newest results of all platforms.

    `evidence` has the result of `ResultsView.newest` for each platform, by platform id. One column
    combines the suites in `own_suites`. Suites of kind `speed` are omitted, because they do not
    show what works.
    """
    evidence_by_platform = {
        platform: {e.suite: e for e in platform_evidence if e.kind != "speed"}
        for platform, platform_evidence in evidence.items()
    }
    kinds = {
        e.suite: e.kind
        for platform_evidence in evidence_by_platform.values()
        for e in platform_evidence.values()
    }
    columns = sorted(
        (_column(catalog, suite, kind) for suite, kind in kinds.items() if suite not in own_suites),
        key=_column_order,
    )
    if any(suite in own_suites for suite in kinds):
        columns.append(_OWN_COLUMN)
    rows = {}
    for platform, suites in evidence_by_platform.items():
        cells: dict[str, GridCell | None] = {
            c.suite: _cell(suites[c.suite], c) for c in columns if c.suite in suites
        }
        cells[_OWN_COLUMN.suite] = _own_cell(platform, suites, own_suites)
        rows[platform] = tuple(cells.get(column.suite) for column in columns)
    return Grid(tuple(columns), _groups(columns), rows)


def _groups(columns: Iterable[GridColumn]) -> tuple[GridGroup, ...]:
    kinds = Counter(column.kind for column in columns)
    return tuple(GridGroup(kind, KIND_TITLES[kind], number) for kind, number in kinds.items())


def suite_cells(catalog: Catalog, evidence: Iterable[SuiteEvidence]) -> tuple[GridCell, ...]:
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
) -> GridCell | None:
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
    return GridCell(
        _OWN_COLUMN,
        own_evidence[0].is_run,
        counts,
        words,
        min((e.day for e in own_evidence if e.day), default=None),
        f"compute-platforms/{platform}/#own-suites",
    )


def _column(catalog: Catalog, suite: str, kind: SuiteKind | None) -> GridColumn:
    """Return the grid column of a suite.

    `kind` is the kind that the report states, or None. It is used only if no file in `data/suites`
    describes the suite.
    """
    description = catalog.suite(suite)
    if isinstance(description, SuiteFile):
        return GridColumn(suite, description.short or description.title, description.kind)
    return GridColumn(suite, description.title if description else suite, kind or OTHER_KIND)


def _column_order(column: GridColumn) -> tuple[int, str]:
    return _KIND_ORDER.index(column.kind), column.title.casefold()


def _cell(evidence: SuiteEvidence, column: GridColumn) -> GridCell:
    counts = evidence.counts
    return GridCell(
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
    cell: GridCell | None


def own_suite_rows(
    catalog: Catalog, platform: Platform, cells: Iterable[GridCell]
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
