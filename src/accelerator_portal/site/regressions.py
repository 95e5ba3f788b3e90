"""Open breakages as the dashboard shows them: those of one cause together, the newest first."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from urllib.parse import urlencode

from accelerator_portal.catalog import Platform
from accelerator_portal.catalog.loader import KNOWN_ISSUES
from accelerator_portal.catalog.wording import count
from accelerator_portal.reports.identity import parse_key
from accelerator_portal.results.breakages import Breakage
from accelerator_portal.results.standing import Point
from accelerator_portal.site.result_addresses import address_of

WEEK = dt.timedelta(days=7)

_NAMED = 10
"""So many tests of a regression are listed in the body of an issue; the page has all."""


@dataclass(frozen=True, slots=True)
class BrokenTest:
    """A test of a regression: `address` from `results/`, `command` where a report says one.

    `declare` is the query of GitHub's form for a new file: the test as a known issue.
    """

    breakage: Breakage
    address: str
    command: str | None
    declare: str


@dataclass(frozen=True, slots=True)
class CommitRange:
    """The commits of a repository between the last good and the first bad run."""

    name: str
    url: str


@dataclass(frozen=True, slots=True)
class Regression:
    """Tests of one suite and platform that broke between the same two runs.

    `issue` is the query of GitHub's form for a new issue.
    """

    platform: Platform
    suite: str
    first_bad: Point
    last_good: Point
    age: str
    overdue: bool
    is_new: bool
    differences: tuple[str, ...]
    commits: tuple[CommitRange, ...]
    tests: tuple[BrokenTest, ...]
    issue: str

    @property
    def anchor(self) -> str:
        """Its id on the page; it stays the same as long as its first breakage is open."""
        return f"breakage-{self.tests[0].breakage.id}"


def regressions(
    platform: Platform,
    breakages: Iterable[Breakage],
    commands: Mapping[str, str],
    at: dt.datetime,
) -> Iterator[Regression]:
    """Yield the open breakages of a platform, together where suite and both runs are the same.

    `commands` repeat a test, by its key; ages are counted to `at`.
    """

    def cause(breakage: Breakage) -> tuple[dt.datetime, str, str, str]:
        suite = parse_key(breakage.key).suite
        return breakage.first_bad.started, suite, breakage.first_bad.id, breakage.last_good.id

    for (_, suite, *_), together in groupby(sorted(breakages, key=cause), cause):
        found = sorted(together, key=lambda breakage: breakage.key)
        yield _regression(platform, suite, found, commands, at)


def _regression(
    platform: Platform,
    suite: str,
    breakages: list[Breakage],
    commands: Mapping[str, str],
    at: dt.datetime,
) -> Regression:
    first = breakages[0]
    differences = tuple(
        f"{found.what}: {found.before or 'not stated'} → {found.after or 'not stated'}"
        for found in first.differences
    )
    return Regression(
        platform,
        suite,
        first.first_bad,
        first.last_good,
        _age(first.age),
        any(breakage.overdue for breakage in breakages),
        first.age < WEEK,
        differences,
        tuple(_commits(platform, first.last_good, first.first_bad)),
        tuple(_test(platform, breakage, commands, at) for breakage in breakages),
        _issue(platform, suite, breakages, differences, commands),
    )


def _age(age: dt.timedelta) -> str:
    hours = int(age.total_seconds() // 3600)
    return f"{hours} h" if age < WEEK else count(age.days, "day")


def _test(
    platform: Platform, breakage: Breakage, commands: Mapping[str, str], at: dt.datetime
) -> BrokenTest:
    test = parse_key(breakage.key)
    return BrokenTest(
        breakage,
        address_of(test.suite, test.name),
        commands.get(breakage.key),
        _declare(platform, breakage, at),
    )


def _commits(platform: Platform, good: Point, bad: Point) -> Iterator[CommitRange]:
    """The ranges that both runs state: of PyTorch, the plugin, and the repository that ran."""
    torch = good.environment.torch_commit, bad.environment.torch_commit
    pairs: list[tuple[str | None, str | None, str | None]] = [("pytorch/pytorch", *torch)]
    before, after = good.environment.plugin, bad.environment.plugin
    if before and after and before.name == after.name:
        pairs.append((platform.accelerator.package.repository, before.commit, after.commit))
    if good.trigger.repository == bad.trigger.repository:
        pairs.append((good.trigger.repository, good.trigger.commit, bad.trigger.commit))
    for repository, first, last in dict.fromkeys(pairs):
        if repository and first and last and first != last:
            yield _range(repository, first, last)


def _range(repository: str, before: str, after: str) -> CommitRange:
    url = f"https://github.com/{repository}/compare/{before}...{after}"
    return CommitRange(f"{repository} {before[:9]}…{after[:9]}", url)


def _issue(
    platform: Platform,
    suite: str,
    breakages: list[Breakage],
    differences: Iterable[str],
    commands: Mapping[str, str],
) -> str:
    first = breakages[0]
    good, bad = (f"{point.started:%Y-%m-%d}" for point in (first.last_good, first.first_bad))
    listed = [f"- `{breakage.key}`" for breakage in breakages[:_NAMED]]
    if more := len(breakages) - len(listed):
        listed.append(f"- and {more} more")
    command = commands.get(first.key)
    lines = [
        f"Passed on {good}, {first.outcome.replace('-', ' ')} since {bad}.",
        *("", *listed),
        *("", "Differences between the two runs:"),
        *([f"- {difference}" for difference in differences] or ["- none stated"]),
        *(["", f"To reproduce the first failure: `{command}`"] if command else []),
    ]
    what = first.key if len(breakages) == 1 else f"{len(breakages)} tests of {suite}"
    title = f"{platform.accelerator.name}: {what} regressed"
    return f"?{urlencode({'title': title[:200], 'body': chr(10).join(lines)})}"


def _declare(platform: Platform, breakage: Breakage, at: dt.datetime) -> str:
    text = (
        f"issues:\n  - test: {json.dumps(breakage.key)}\n    action: expect\n"
        "    reason: \n    url: https://github.com/\n"
        f"    expires: {at.date() + dt.timedelta(days=30)}\n"
    )
    return f"?{urlencode({'filename': platform.path(KNOWN_ISSUES), 'value': text})}"
