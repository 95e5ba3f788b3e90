"""Which vendors' own suites are shared: several platforms have reports of them."""

from __future__ import annotations

from collections.abc import Iterable

from accelerator_portal.catalog.own_suite import owner_of
from accelerator_portal.reports.store import StoredReport


def own_to_one_platform(reports: Iterable[StoredReport]) -> frozenset[str]:
    """Return the vendors' suites that only one platform reports: nothing compares with them."""
    platforms: dict[str, set[str]] = {}
    for stored in reports:
        for suite in stored.report.suites:
            if owner_of(suite.name):
                platforms.setdefault(suite.name, set()).add(stored.report.accelerator)
    return frozenset(suite for suite, found in platforms.items() if len(found) == 1)
