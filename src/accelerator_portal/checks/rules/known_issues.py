"""Known issues refer to valid test keys in existing suites, each once."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping

from accelerator_portal.catalog import Catalog, Problem
from accelerator_portal.catalog.own_suite import owner_of
from accelerator_portal.catalog.problem import did_you_mean
from accelerator_portal.catalog.suite_file import SUITES_OF_CHECKOUTS
from accelerator_portal.reports.identity import UnreadableKeyError, parse_key
from accelerator_portal.results.known_issues import readable_key

_FILE = "known-issues.yaml"


def check(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """Yield keys that cannot be read, unknown suites, aliases, and issues that stand twice."""
    for platform in catalog.platforms:
        seen: set[str] = set()
        for place, issue in enumerate(platform.known_issues):
            named = issue.test or issue.glob or ""
            location = ("issues", place, "test" if issue.test else "glob")
            if named in seen:
                what = f'"{named}" is listed twice'
                yield platform.problem(_FILE, location, what, "remove one of the two")
            seen.add(named)
            if alias := _alias_in(named, catalog.suite_names.aliases):
                what = f'"{alias}" is an alias, so the issue matches no test'
                name = catalog.suite_names.aliases[alias]
                yield platform.problem(_FILE, location, what, f'write "{name}"')
                continue
            if issue.test is None:
                continue
            try:
                suite = parse_key(issue.test).suite
            except UnreadableKeyError as error:
                remedy = "use suite/name or suite/name?dtype=float32"
                yield platform.problem(_FILE, location, str(error), remedy)
                continue
            portal = {*catalog.suites, *SUITES_OF_CHECKOUTS}
            if catalog.suites and suite not in portal and not _is_own(suite, platform.id):
                what = f'there is no suite "{suite}"'
                yield platform.problem(_FILE, location, what, did_you_mean(suite, catalog.suites))


def _alias_in(named: str, aliases: Mapping[str, str]) -> str | None:
    """Return the other name of a vendor's suite with which a key or a pattern begins."""
    begin = readable_key(named)
    return next((alias for alias in aliases if begin.startswith(f"{alias}/")), None)


def _is_own(suite: str, platform: str) -> bool:
    """Whether it is a vendor's suite: `acme/kernels/test_a` reads as test `kernels/test_a`."""
    return suite == platform or owner_of(suite) is not None
