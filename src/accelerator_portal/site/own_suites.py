"""Lists a platform's own suites with their newest results."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass

from accelerator_portal.catalog import Catalog, Platform
from accelerator_portal.catalog.own_suite import OwnSuite, owner_of
from accelerator_portal.results.suite_evidence import SuiteEvidence
from accelerator_portal.site.dashboard_grid import GridCell, suite_cells


@dataclass(frozen=True, slots=True)
class OwnSuiteRow:
    """A suite of the vendor's own; `declared` is absent where the folder does not describe it.

    `cell` is the newest evidence, absent where no report has the suite.
    """

    name: str
    declared: OwnSuite | None
    cell: GridCell | None


def own_suite_rows(
    catalog: Catalog, platform: Platform, evidence: Iterable[SuiteEvidence], at: dt.datetime
) -> tuple[OwnSuiteRow, ...]:
    """Return the suites that a platform declares or reports, declared ones first."""
    cells = {c.column.suite: c for c in suite_cells(catalog, evidence, at)}
    declared = {suite.name: suite for suite in platform.accelerator.suites}
    others = sorted(name for name in cells if owner_of(name) and name not in declared)
    return tuple(
        OwnSuiteRow(name, catalog.own_suites.get(name), cells.get(name))
        for name in (*declared, *others)
    )
