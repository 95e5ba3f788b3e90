"""Reports in `results/` are valid and consistent."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator

from accelerator_portal.catalog import Catalog, Problem
from accelerator_portal.catalog.catalog import OWN_RUNS
from accelerator_portal.reports.identity import identity_of
from accelerator_portal.reports.report_check import known_names, report_problems
from accelerator_portal.reports.store import StoredReport, left_out_reports, stored_reports


def check(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """Yield every fault of every report."""
    known = known_names(catalog)
    own = catalog.own_runs.ids if catalog.own_runs else frozenset()
    # A run of today is not in the future.
    end_of_day = dt.datetime.combine(today, dt.time.max, dt.timezone.utc)
    for reports, problems in (stored_reports(catalog), left_out_reports(catalog)):
        yield from problems
        for stored in reports:
            made = stored.report
            yield from report_problems(made, stored.path, known, end_of_day, stored.first_test)
            if made.kind == "made-here" and made.accelerator not in own:
                what = f"the report has kind: made-here, but {OWN_RUNS} does not list the platform"
                yield Problem(stored.path, 1, what, "write kind: self-reported")
        yield from _same_moment(reports)


def _same_moment(reports: Iterable[StoredReport]) -> Iterator[Problem]:
    """Two runs of the same moment and suite have no order, and so no history."""
    seen: dict[tuple[str, str, dt.datetime, str], StoredReport] = {}
    for stored in reports:
        made = stored.report
        if made.started is None:
            continue
        basis = "baseline" if made.kind == "baseline" else "run"
        for group in sorted({identity_of(test).group for test in made.tests}):
            key = (made.accelerator, basis, made.started, group)
            other = seen.setdefault(key, stored)
            if other is not stored:
                what = f'{other.path} has tests of "{group}" with the same start time'
                yield Problem(stored.path, 1, what, "correct started, or merge the two reports")
                break
