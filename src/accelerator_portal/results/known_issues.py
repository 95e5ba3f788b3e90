"""Known issues against reports: which have expired, and which now pass."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Literal

from accelerator_portal.catalog.known_issues_file import KnownFailure
from accelerator_portal.reports.identity import Identity, identity_of, parse_key
from accelerator_portal.reports.outcomes import GOOD
from accelerator_portal.reports.report import Report


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
    issues: Iterable[KnownFailure], newest: Report | None, at: dt.date
) -> Iterator[Outdated]:
    """Yield the issues that have expired by `at`, and those that the newest run speaks against.

    One passes now when every test that it matches passed; what is skipped matches nothing.
    """
    for issue in issues:
        if issue.expires <= at:
            yield Outdated(issue, "expired")
        elif newest is not None and issue.action == "expect":
            found = [t for t in newest.tests if matches(issue, identity_of(t))]
            if not found:
                yield Outdated(issue, "matches nothing")
            elif all(test.outcome in GOOD for test in found):
                yield Outdated(issue, "passes now")
