"""Suites and tests in reports have names that the portal knows, or that the vendor declares.

A vendor's own suites and tests are welcome and shown. A declared suite has a title and a link, and
a known test can be compared with other platforms; often an unknown name is a typing error.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator

from accelerator_portal.catalog import Catalog, Problem
from accelerator_portal.reports.report_check import known_to
from accelerator_portal.reports.report_names import name_warnings
from accelerator_portal.reports.store import left_out_reports, stored_reports

LEVEL = "warning"  # nothing that only its own vendor knows keeps a report out


def check(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """Yield the undeclared suites and unknown tests of every report."""
    known = known_to(catalog)
    for reports, _ in (stored_reports(catalog), left_out_reports(catalog)):
        for stored in reports:
            yield from name_warnings(stored.report, stored.path, known, stored.first_test)
