"""A suite has the same test names on every platform.

Results are compared test by test. If platforms share a suite name but no test names, nothing can be
compared. The warning appears for the platform that added the suite last.
"""

from __future__ import annotations

import datetime as dt
from collections import defaultdict
from collections.abc import Iterable, Iterator

from accelerator_portal.catalog import Catalog, Problem
from accelerator_portal.reports.store import StoredReport, stored_reports

LEVEL = "warning"  # a report of one vendor must not be able to keep another's out
COMPARES = True

_NEVER = dt.datetime.max.replace(tzinfo=dt.timezone.utc)


def check(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """Yield the reports of suites that have no test in common with any other platform's."""
    by_suite: dict[str, dict[str, list[StoredReport]]] = defaultdict(dict)
    for stored in stored_reports(catalog)[0]:
        for declared in stored.report.suites:
            by_suite[declared.name].setdefault(stored.report.accelerator, []).append(stored)
    for suite, by_platform in sorted(by_suite.items()):
        for platform in _newcomers(suite, by_platform):
            other = next(name for name in by_platform if name != platform)
            for stored in by_platform[platform]:
                what = f'no test of the suite "{suite}" has the same name on another platform'
                remedy = (
                    f'use the test names of "{other}", or use a suite name with your platform ID'
                )
                yield Problem(stored.path, 1, what, remedy)


def _newcomers(suite: str, by_platform: dict[str, list[StoredReport]]) -> Iterator[str]:
    """Platforms with tests of the suite that share none, except the one that ran it first.

    Parameters are left out: another data type is no fault, a device in every name is.
    """
    tests = {name: _test_names(suite, stored) for name, stored in by_platform.items()}
    joined = sorted((_first_run(by_platform[name]), name) for name, found in tests.items() if found)
    for _, name in joined[1:]:
        if all(tests[name].isdisjoint(tests[other]) for _, other in joined if other != name):
            yield name


def _test_names(suite: str, stored: Iterable[StoredReport]) -> set[str]:
    return {test.name for s in stored for test in s.report.tests if test.suite == suite}


def _first_run(stored: Iterable[StoredReport]) -> dt.datetime:
    return min((s.report.started or _NEVER for s in stored), default=_NEVER)
