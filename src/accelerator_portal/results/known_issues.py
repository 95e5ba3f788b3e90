"""Known issues against reports: which have expired, and which now pass."""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Literal

from accelerator_portal.catalog.known_issues_file import KnownFailure
from accelerator_portal.reports.identity import Identity, identity_of, parse_key
from accelerator_portal.reports.outcomes import GOOD
from accelerator_portal.reports.report import TestEntry


@dataclass(frozen=True, slots=True)
class Outdated:
    """A known issue that should be removed, and why."""

    issue: KnownFailure
    why: Literal["expired", "passes now", "matches nothing"]


def matches(issue: KnownFailure, identity: Identity) -> bool:
    """Whether an issue is about a test; parameters that its key does not name do not matter."""
    if issue.glob is not None:
        return fnmatchcase(identity.key, issue.glob)
    wanted = parse_key(issue.test or "")
    same = (wanted.suite, wanted.name) == (identity.suite, identity.name)
    return same and set(wanted.parameters) <= set(identity.parameters)


def outdated(
    issues: Iterable[KnownFailure], tests: Collection[TestEntry], at: dt.date
) -> Iterator[Outdated]:
    """Yield the issues that have expired by `at`, and those that the newest runs speak against.

    `tests` are those of each suite's newest run. An issue passes now when every test that it
    matches passed; what is skipped matches nothing. Of a suite without a run nothing is known, so
    an issue about its tests stays.
    """
    suites = {test.suite for test in tests}
    for issue in issues:
        if issue.expires <= at:
            yield Outdated(issue, "expired")
        elif issue.action == "expect" and _was_run(issue, suites):
            found = [test for test in tests if matches(issue, identity_of(test))]
            if not found:
                yield Outdated(issue, "matches nothing")
            elif all(test.outcome in GOOD for test in found):
                yield Outdated(issue, "passes now")


def _was_run(issue: KnownFailure, suites: Iterable[str]) -> bool:
    pattern, slash, _ = (issue.glob or issue.test or "").partition("/")
    return any(fnmatchcase(suite, pattern if slash else "*") for suite in suites)
