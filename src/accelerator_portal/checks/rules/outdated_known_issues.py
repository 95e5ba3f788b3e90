"""Known issues have not expired and refer to existing tests.

When a known issue expires, its failure counts as a regression again. A known issue for a test that
doesn't exist has no effect and usually contains a typing error.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from fnmatch import fnmatchcase

from accelerator_portal.catalog import Catalog, Problem
from accelerator_portal.catalog.known_issues_file import KnownFailure
from accelerator_portal.catalog.problem import did_you_mean
from accelerator_portal.catalog.suite_file import SuiteFile
from accelerator_portal.reports.identity import Identity, UnreadableKeyError, parse_key

LEVEL = "warning"
_FILE = "known-issues.yaml"


def check(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """Yield issues that have expired, and those about tests that are not there."""
    for platform in catalog.platforms:
        for place, issue in enumerate(platform.known_issues):
            if issue.expires <= today:
                what = f"the known issue expired on {issue.expires}"
                remedy = "remove it, or set a later date if the test still fails"
                yield platform.problem(_FILE, ("issues", place, "expires"), what, remedy)
            if unknown := _unknown_test(catalog, issue):
                key = "test" if issue.test else "glob"
                yield platform.problem(_FILE, ("issues", place, key), *unknown)


def _unknown_test(catalog: Catalog, issue: KnownFailure) -> tuple[str, str] | None:
    if issue.glob:
        return _unmatched_glob(catalog, issue.glob)
    try:
        named = parse_key(issue.test or "")
    except UnreadableKeyError:
        return None  # checks/rules/known_issues.py says so
    suite = catalog.suites.get(named.suite)
    names = _names(suite) if suite else [named.name]
    if named.name in names:
        return None
    return f'the suite "{named.suite}" has no test "{named.name}"', did_you_mean(named.name, names)


def _unmatched_glob(catalog: Catalog, glob: str) -> tuple[str, str] | None:
    """A glob is about keys; up to their parameters these are known."""
    id_, slash, _ = glob.partition("/")
    suite = catalog.suites.get(id_) if slash else None
    beginning = f"{glob.partition('?')[0]}*"
    if suite is None or any(
        fnmatchcase(Identity(id_, name).key, beginning) for name in _names(suite)
    ):
        return None
    return f'no test of the suite "{id_}" matches "{glob}"', "correct the pattern, or remove it"


def _names(suite: SuiteFile) -> list[str]:
    return [*suite.tests, *(name for names in suite.aliases.values() for name in names)]
