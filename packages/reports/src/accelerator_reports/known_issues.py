"""Models `known-issues.yaml`, and finds known issues that are outdated or match no test."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Literal
from urllib.parse import unquote

from accelerator_reports.files.fields import Day, Line, StrictModel, Url, exactly_one_of
from accelerator_reports.outcomes import GOOD
from accelerator_reports.report import TestEntry
from accelerator_reports.test_ids import Identity, UnreadableKeyError, identity_of, parse_key

# Models `known-issues.yaml`: tests to skip, or to run and expect to fail, until a date.

_LITERAL_BRACKET = re.compile(r"\[(?![*?]\])")


class KnownFailure(StrictModel):
    """A known issue: tests to skip, or to run and expect to fail, until a date."""

    test: Line | None = None
    """Key of a test: `suite/name?dtype=float32`. The issue applies to all values of parameters that
    the key does not name."""
    glob: Line | None = None
    """Pattern for the keys of several tests, for example `operators/fft*`: `*` stands for any text
    and `?` for any one character; `[*]` and `[?]` stand for the character. Use this key instead of
    `test`."""
    action: Literal["skip", "expect"]
    """`skip`: the test is not run. `expect`: the test is run and its failure is expected."""
    reason: Line
    """Why the test fails or must not run."""
    url: Url
    """The address of the issue that tracks the failure."""
    expires: Day
    """Date from which the known issue no longer applies."""

    _check_one_key = exactly_one_of("test", "glob")


class KnownIssues(StrictModel):
    """The known issues of one platform.

    `accelerator-portal validate` uses them as its skip list.
    """

    issues: tuple[KnownFailure, ...]
    """The known issues."""


def matches_key_pattern(pattern: str, key: str) -> bool:
    """Return whether a test key matches a pattern such as `KnownFailure.glob`.

    `*` stands for any text, `?` for any one character, and `[*]` and `[?]` for these two signs.
    Other brackets stand for themselves, because names of pytest tests contain them.
    """
    return fnmatchcase(key, _LITERAL_BRACKET.sub("[[]", pattern))


_WILDCARD = re.compile(r"[*?]")


@dataclass(frozen=True, slots=True)
class OutdatedIssue:
    """A known issue that should be removed, and why."""

    issue: KnownFailure
    why: Literal["expired", "passes now", "matches nothing"]


def issue_matches_test(issue: KnownFailure, identity: Identity) -> bool:
    """Return whether a known issue is about a test.

    The issue has either a pattern (`issue.glob`) or a test key (`issue.test`). A pattern must match
    the test's key, as it is or as `readable_key` returns it. A test key must have the test's
    suite, name and parameter values. Parameters that `issue.test` does not name may have any value.
    An invalid test key matches no test.
    """
    if issue.glob is not None:
        keys = {identity.key, readable_key(identity.key)}
        return any(matches_key_pattern(issue.glob, key) for key in keys)
    try:
        issue_identity = parse_key(issue.test or "")
    except UnreadableKeyError:  # `accelerator-portal check` reports it
        return False
    same = f"{issue_identity.suite}/{issue_identity.name}" == f"{identity.suite}/{identity.name}"
    return same and set(issue_identity.parameters) <= set(identity.parameters)


def outdated_issues(
    issues: Iterable[KnownFailure], tests: Collection[TestEntry], at: dt.date
) -> Iterator[OutdatedIssue]:
    """Yield the issues that have expired, whose tests all pass now, or that match no test.

    An issue has expired if its expiry date is `at` or earlier. `tests` contains the tests of each
    suite's newest run. Issues about suites without a run are only checked for expiry. So are issues
    whose action is not "expect".
    """
    suites = {test.suite for test in tests}
    tests_and_identities = [(test, identity_of(test)) for test in tests]
    for issue in issues:
        if issue.expires <= at:
            yield OutdatedIssue(issue, "expired")
        elif issue.action == "expect" and _has_run_suite(issue, suites):
            matching_tests = [
                test
                for test, identity in tests_and_identities
                if issue_matches_test(issue, identity)
            ]
            if not matching_tests:
                yield OutdatedIssue(issue, "matches nothing")
            elif all(test.outcome in GOOD for test in matching_tests):
                yield OutdatedIssue(issue, "passes now")


def readable_key(key: str) -> str:
    """Return a key with its suite decoded: `acme%2Fkernels/test_a` is `acme/kernels/test_a`."""
    suite, slash, rest = key.partition("/")
    return f"{unquote(suite)}{slash}{rest}"


def _has_run_suite(issue: KnownFailure, suites: Iterable[str]) -> bool:
    key = readable_key(issue.glob or issue.test or "")
    return any(_may_match_suite(suite, key) for suite in suites)


def _may_match_suite(suite: str, key: str) -> bool:
    """Return whether a known issue can be about tests of a suite.

    `key` is the issue's test key or pattern; slashes separate its parts. If `key` has more parts
    than the suite's name, its first parts must match the name: `acme/*/test_a` matches the suite
    `acme/kernels`. Otherwise, a `*` in `key` also stands for slashes, so the suite's name only has
    to start with the text before the first wildcard: `ac*` matches the suite `acme/kernels`.
    """
    depth = suite.count("/") + 1
    parts = key.split("/")
    if len(parts) > depth:
        return fnmatchcase(suite, "/".join(parts[:depth]))
    return f"{suite}/".startswith(_WILDCARD.split(key)[0])
