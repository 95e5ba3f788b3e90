"""Groups tests that broke between the same two runs, with the facts that maintainers need.

A breakage is one test that passed in a run and fails in a later run. A regression is a group of
breakages.
"""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from urllib.parse import urlencode

from accelerator_portal.catalog import Platform
from accelerator_portal.catalog.message import message
from accelerator_portal.results.breakages import Breakage
from accelerator_portal.results.history import HistoryPoint
from accelerator_portal.site.results.results_view import ResultsView
from accelerator_reports.files.folders import KNOWN_ISSUES
from accelerator_reports.suite_names import suite_folder
from accelerator_reports.test_keys import parse_key

WEEK = dt.timedelta(days=7)

_MOST_TESTS_IN_ISSUE = 10
"""The maximum number of tests that the text of a new issue lists; the dashboard lists all tests."""


@dataclass(frozen=True, slots=True)
class BrokenTest:
    """A test of a regression: it passed in an earlier run and fails since.

    `address` is the address of the test's results, relative to `results/`. `command` repeats the
    test; None if it is not known. `declare` is a query string, `?…`, that fills in GitHub's form
    for a new file with a known issue about the test.
    """

    breakage: Breakage
    address: str
    command: str | None
    declare: str


@dataclass(frozen=True, slots=True)
class CommitRange:
    """The commits of a repository between the last good and the first bad run.

    `name` is the text of the link: `pytorch/pytorch 012345678…9abcdef01`. `url` is GitHub's page
    that compares the two commits.
    """

    name: str
    url: str


@dataclass(frozen=True, slots=True)
class Regression:
    """Tests of a suite and platform that passed in the run `last_good` and fail since `first_bad`.

    `address` leads to the suite's results, or to the first test's history if no report has the
    suite any more; it is relative to `results/`. `due` is the deadline of the testing standards.
    `overdue` is true if it had passed at the time of the data. `is_new` is true if the tests failed
    for less than a week then. `differences` are the differences between the environments of the two
    runs, in words. `issue` is a query string, `?…`, that fills in GitHub's form for a new issue.
    """

    platform: Platform
    suite: str
    address: str
    first_bad: HistoryPoint
    last_good: HistoryPoint
    due: dt.datetime
    overdue: bool
    is_new: bool
    differences: tuple[str, ...]
    commits: tuple[CommitRange, ...]
    tests: tuple[BrokenTest, ...]
    issue: str

    @property
    def anchor(self) -> str:
        """The HTML id of the regression's section on the dashboard.

        The id stays the same as long as the first of `tests` stays the same.
        """
        return f"breakage-{self.tests[0].breakage.id}"


def regressions(
    platform: Platform,
    breakages: Iterable[Breakage],
    results: ResultsView,
    commands: Mapping[str, str],
    at: dt.datetime,
) -> Iterator[Regression]:
    """Yield a platform's regressions, sorted by the start of the first bad run.

    A regression is a group of breakages with the same suite, first bad run and last good run.
    `commands` has the commands that repeat the tests, by test key. `BrokenTest.declare` proposes
    known issues that expire 30 days after `at`.
    """

    def group_key(breakage: Breakage) -> tuple[dt.datetime, str, str, str]:
        suite = parse_key(breakage.key).suite
        return breakage.first_bad.started, suite, breakage.first_bad.id, breakage.last_good.id

    for _, group in groupby(sorted(breakages, key=group_key), group_key):
        sorted_breakages = sorted(group, key=lambda breakage: breakage.key)
        yield _regression(platform, sorted_breakages, results, commands, at)


def _regression(
    platform: Platform,
    breakages: list[Breakage],
    results: ResultsView,
    commands: Mapping[str, str],
    at: dt.datetime,
) -> Regression:
    first_breakage = breakages[0]
    suite = parse_key(first_breakage.key).suite
    differences = tuple(
        message(
            "{what}: {before} → {after}",
            what=difference.what,
            before=difference.before or message("not stated"),
            after=difference.after or message("not stated"),
        )
        for difference in first_breakage.differences
    )
    tests = tuple(_broken_test(platform, one, results, commands, at) for one in breakages)
    return Regression(
        platform,
        suite,
        f"{suite_folder(suite)}/" if suite in results.by_suite else tests[0].address,
        first_breakage.first_bad,
        first_breakage.last_good,
        first_breakage.due,
        any(breakage.overdue for breakage in breakages),
        first_breakage.age < WEEK,
        differences,
        tuple(_commit_ranges(platform, first_breakage.last_good, first_breakage.first_bad)),
        tests,
        _new_issue_query(platform, suite, breakages, differences, commands),
    )


def _broken_test(
    platform: Platform,
    breakage: Breakage,
    results: ResultsView,
    commands: Mapping[str, str],
    at: dt.datetime,
) -> BrokenTest:
    test = parse_key(breakage.key)
    return BrokenTest(
        breakage,
        results.address_of(test.suite, test.name, f"{platform.id}-runs"),
        commands.get(breakage.key),
        _known_issue_query(platform, breakage, at),
    )


def _commit_ranges(
    platform: Platform, good: HistoryPoint, bad: HistoryPoint
) -> Iterator[CommitRange]:
    """Yield the commits of PyTorch, the plugin and the tested repository between two runs.

    A repository is omitted if the runs state different repositories, the same commit or no commit.
    """
    torch = good.environment.torch_commit, bad.environment.torch_commit
    pairs: list[tuple[str | None, str | None, str | None]] = [("pytorch/pytorch", *torch)]
    old_plugin, new_plugin = good.environment.plugin, bad.environment.plugin
    if old_plugin and new_plugin and old_plugin.name == new_plugin.name:
        pairs.append(
            (platform.accelerator.package.repository, old_plugin.commit, new_plugin.commit)
        )
    if good.trigger.repository == bad.trigger.repository:
        pairs.append((good.trigger.repository, good.trigger.commit, bad.trigger.commit))
    for repository, first_commit, last_commit in dict.fromkeys(pairs):
        if repository and first_commit and last_commit and first_commit != last_commit:
            url = f"https://github.com/{repository}/compare/{first_commit}...{last_commit}"
            yield CommitRange(f"{repository} {first_commit[:9]}…{last_commit[:9]}", url)


def _new_issue_query(
    platform: Platform,
    suite: str,
    breakages: list[Breakage],
    differences: Iterable[str],
    commands: Mapping[str, str],
) -> str:
    first_breakage = breakages[0]
    good_day, bad_day = (
        f"{point.started:%Y-%m-%d}"
        for point in (first_breakage.last_good, first_breakage.first_bad)
    )
    key_lines = [f"- `{breakage.key}`" for breakage in breakages[:_MOST_TESTS_IN_ISSUE]]
    if unlisted_count := len(breakages) - len(key_lines):
        key_lines.append(f"- and {unlisted_count} more")
    command = commands.get(first_breakage.key)
    lines = [
        f"Passed on {good_day}, {first_breakage.outcome.replace('-', ' ')} since {bad_day}.",
        *("", *key_lines),
        *("", "Differences between the two runs:"),
        *([f"- {difference}" for difference in differences] or ["- none stated"]),
        *(["", f"To reproduce the first failure: `{command}`"] if command else []),
    ]
    subject = first_breakage.key if len(breakages) == 1 else f"{len(breakages)} tests of {suite}"
    title = f"{platform.accelerator.name}: {subject} regressed"
    return f"?{urlencode({'title': title[:200], 'body': chr(10).join(lines)})}"


def _known_issue_query(platform: Platform, breakage: Breakage, at: dt.datetime) -> str:
    text = (
        f"issues:\n  - test: {json.dumps(breakage.key)}\n    action: expect\n"
        "    reason: \n    url: https://github.com/\n"
        f"    expires: {at.date() + dt.timedelta(days=30)}\n"
    )
    return f"?{urlencode({'filename': platform.path(KNOWN_ISSUES), 'value': text})}"
