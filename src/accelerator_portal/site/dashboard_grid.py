"""The dashboard's grid: platforms by suites, each cell the newest evidence as a small bar."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from markupsafe import Markup

from accelerator_portal.catalog import Catalog
from accelerator_portal.catalog.suite_file import SuiteKind
from accelerator_portal.reports.outcomes import BAD, GOOD
from accelerator_portal.results.suite_evidence import SuiteEvidence
from accelerator_portal.site.bar_picture import bar

OTHER: Final = "other"
"""Kind of a suite of which no report says the kind."""

CHECKED = GOOD | BAD

KIND_TITLES: Mapping[SuiteKind | Literal["other"], str] = {
    "unit": "Unit tests",
    "operator": "Operators",
    "model": "Models",
    "deploy": "Installation",
    "build": "Build",
    "speed": "Speed",
    OTHER: "Other",
}
"""What readers see of each kind of suite, in the order of the columns."""

_ORDER = list(KIND_TITLES)


@dataclass(frozen=True, slots=True)
class GridColumn:
    """A suite."""

    suite: str
    title: str
    kind: SuiteKind | Literal["other"]


@dataclass(frozen=True, slots=True)
class GridGroup:
    """Neighboring columns of one kind, and how many they are."""

    kind: str
    title: str
    columns: int


@dataclass(frozen=True, slots=True)
class GridCell:
    """The newest evidence of a suite on a platform; `address` is relative to `results/`.

    Of a run `total` are the tests that passed or failed; of a baseline, all.
    """

    column: GridColumn
    is_run: bool
    passed: int
    total: int
    bar: Markup
    age_days: int | None
    words: str
    address: str


@dataclass(frozen=True, slots=True)
class Grid:
    """The columns, grouped by kind, and the cells of each platform, one a column."""

    columns: tuple[GridColumn, ...]
    groups: tuple[GridGroup, ...]
    rows: Mapping[str, tuple[GridCell | None, ...]]


def dashboard_grid(
    catalog: Catalog, evidence: Mapping[str, Iterable[SuiteEvidence]], at: dt.datetime
) -> Grid:
    """Return the grid of each platform's newest evidence; ages are counted to `at`.

    How fast a device is says nothing of what works: speeds stand elsewhere.
    """
    by_suite = {
        platform: {e.suite: e for e in found if e.kind != "speed"}
        for platform, found in evidence.items()
    }
    kinds = {e.suite: e.kind for found in by_suite.values() for e in found.values()}
    columns = sorted((_column(catalog, suite, kind) for suite, kind in kinds.items()), key=_place)
    groups = Counter(column.kind for column in columns)
    rows = {
        platform: tuple(_cell(found.get(c.suite), c, at) for c in columns)
        for platform, found in by_suite.items()
    }
    shown = tuple(GridGroup(kind, KIND_TITLES[kind], number) for kind, number in groups.items())
    return Grid(tuple(columns), shown, rows)


def suite_cells(
    catalog: Catalog, evidence: Iterable[SuiteEvidence], at: dt.datetime
) -> tuple[GridCell, ...]:
    """Return the cells of one platform, without those that have no evidence."""
    (row,) = dashboard_grid(catalog, {"": evidence}, at).rows.values()
    return tuple(filter(None, row))


def _column(catalog: Catalog, suite: str, kind: SuiteKind | None) -> GridColumn:
    """Of a suite that `data/suites` does not describe, the report says the kind."""
    described = catalog.suites.get(suite)
    if described is None:
        return GridColumn(suite, suite, kind or OTHER)
    return GridColumn(suite, described.short or described.title, described.kind)


def _place(column: GridColumn) -> tuple[int, str]:
    return _ORDER.index(column.kind), column.title.casefold()


def _cell(evidence: SuiteEvidence | None, column: GridColumn, at: dt.datetime) -> GridCell | None:
    if evidence is None:
        return None
    counts, is_run = evidence.counts, evidence.is_run
    return GridCell(
        column,
        is_run,
        sum(tests for outcome, tests in counts.items() if outcome in GOOD),
        sum(tests for outcome, tests in counts.items() if outcome in CHECKED or not is_run),
        bar(counts),
        evidence.age_days(at),
        ", ".join(f"{tests:,} {outcome.replace('-', ' ')}" for outcome, tests in counts.items()),
        f"runs/{evidence.stored.id}/#suite-{column.suite}",
    )
