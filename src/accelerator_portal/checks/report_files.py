"""Reports in `results/` can be read, say nothing impossible, and share tests with some other."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator

from accelerator_portal.catalog import Catalog, Problem
from accelerator_portal.reports.report_check import Known, report_problems, shares_nothing
from accelerator_portal.reports.store import stored_reports


def check(catalog: Catalog) -> Iterator[Problem]:
    """Yield every fault of every report, and suites that can be compared with nobody's."""
    reports, problems = stored_reports(catalog)
    yield from problems
    known = Known(frozenset(catalog.by_id), catalog.suites)
    now = dt.datetime.now(dt.UTC)
    for stored in reports:
        yield from report_problems(stored.report, stored.path, known, now, stored.first_test)
    alone = set(shares_nothing(stored.report for stored in reports))
    for stored in reports:
        for suite in stored.report.suites:
            if (stored.report.accelerator, suite.name) in alone:
                what = f'no other accelerator has any test of "{suite.name}" under these names'
                remedy = "name tests as others do"
                yield Problem(stored.path, 1, what, remedy)
