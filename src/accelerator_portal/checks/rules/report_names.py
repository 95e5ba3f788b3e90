"""Suites and tests in reports are listed in the portal or declared by the vendor.

Vendors can publish results of their own suites and tests. Declare the suite to show its title and a
link. Listed tests can be compared across platforms. An unknown name is often a typing error.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator

from accelerator_portal.catalog import Catalog, Problem
from accelerator_portal.reports.report_check import known_names
from accelerator_portal.reports.report_names import name_warnings
from accelerator_portal.reports.store import left_out_reports, stored_reports

LEVEL = "warning"  # nothing that only its own vendor knows keeps a report out


def check(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """Yield the undeclared suites and unknown tests of every report."""
    known = known_names(catalog)
    for reports, _ in (stored_reports(catalog), left_out_reports(catalog)):
        for stored in reports:
            yield from name_warnings(stored.report, stored.path, known, stored.first_test)
