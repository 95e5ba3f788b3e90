"""How long tests took in earlier reports."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from pathlib import Path

from accelerator_portal.catalog import Platform, ProblemsError
from accelerator_portal.reports.identity import identity_of
from accelerator_portal.reports.report import Report
from accelerator_portal.reports.report_file import read_report

_NO_DATE = dt.datetime.min.replace(tzinfo=dt.timezone.utc)


def times_of(reports: Iterable[Report]) -> dict[str, int]:
    """Return the milliseconds of each test that has a time, from the newest report that has one."""
    return {
        identity_of(test).key: round(test.duration_s * 1000)
        for report in sorted(reports, key=lambda report: report.started or _NO_DATE)
        for test in report.tests
        if test.duration_s is not None
    }


def published_times(platform: Platform) -> dict[str, int]:
    """Return the times in a folder's own reports; one with faults is passed over.

    Times only balance shards: whoever publishes a report is told of its faults by the check.
    """
    found = []
    for file in platform.results:
        try:
            report = read_report(file)
        except ProblemsError:
            continue
        if report.accelerator == platform.id and report.kind != "baseline":
            found.append(report)
    return times_of(found)


def recorded_times(file: Path | None, platform: Platform | None) -> dict[str, int]:
    """Return the times of a report, or else of the platform's reports; raises ProblemsError."""
    if file:
        return times_of([read_report(file)])
    return published_times(platform) if platform else {}
