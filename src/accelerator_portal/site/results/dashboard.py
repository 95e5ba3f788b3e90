"""Builds the quality dashboard: each platform's level of evidence, results and open regressions.

A breakage is one test that passed in a run and fails in a later run. A regression is a group of
breakages.
"""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any
from urllib.parse import urlencode

from accelerator_portal.catalog import Catalog, Platform
from accelerator_portal.catalog.files.criteria_file import Criteria
from accelerator_portal.catalog.loader import KNOWN_ISSUES
from accelerator_portal.catalog.message import message, plural
from accelerator_portal.packages.news import news
from accelerator_portal.reports.known_issues import OutdatedIssue, outdated_issues
from accelerator_portal.reports.test_keys import identity_of, parse_key
from accelerator_portal.results.breakages import (
    FLAKY_WINDOW,
    Breakage,
    NeverPassed,
    never_passed,
    open_breakages,
)
from accelerator_portal.results.evidence_level import as_of, as_of_reports
from accelerator_portal.results.history_state import HistoryPoint
from accelerator_portal.results.suite_evidence import SuiteEvidence
from accelerator_portal.site.results.findings import EvidenceLevel, evidence_level
from accelerator_portal.site.results.history_view import TestHistories
from accelerator_portal.site.results.result_addresses import address_of
from accelerator_portal.site.results.results_shapes import (
    Badge,
    PlatformQuality,
    QualityData,
    SetAside,
    SuiteState,
)
from accelerator_portal.site.results.results_view import ResultsView
from accelerator_portal.site.site_file import SiteFile, data_file
from accelerator_portal.site.source_list import SourceList
from accelerator_portal.site.templates import Templates
from accelerator_portal.site.translated_pages import render_page

WEEK = dt.timedelta(days=7)

MOST_NEWS = 10
"""The maximum number of package news items on the dashboard; the feed has more."""

_MOST_TESTS_IN_ISSUE = 10
"""The maximum number of tests that the text of a new issue lists; the dashboard lists all tests."""


@dataclass(frozen=True, slots=True)
class BrokenTest:
    """A test of a regression: it passed in an earlier run and fails since.

    `address` is the address of the test's results, relative to `results/`. `command` repeats the
    test; None if it is not known. `declare` is a query string, `?…`, for GitHub's form to create a
    file. It fills in a known issue about the test.
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

    `age` is the time since `first_bad` in words, such as `9 days`. `overdue` is true if the age
    exceeds the deadline of the testing standards. `is_new` is true if the age is less than a week.
    `differences` are the differences between the environments of the two runs, in words. `issue` is
    a query string, `?…`, that fills in GitHub's form for a new issue.
    """

    platform: Platform
    suite: str
    first_bad: HistoryPoint
    last_good: HistoryPoint
    age: str
    overdue: bool
    is_new: bool
    differences: tuple[str, ...]
    commits: tuple[CommitRange, ...]
    tests: tuple[BrokenTest, ...]
    issue: str

    @property
    def anchor(self) -> str:
        """The HTML id of the regression's section on the dashboard.

        It contains the id of the first test's breakage, so it stays the same while this test is
        the first one.
        """
        return f"breakage-{self.tests[0].breakage.id}"


def regressions(
    platform: Platform, breakages: Iterable[Breakage], commands: Mapping[str, str], at: dt.datetime
) -> Iterator[Regression]:
    """Yield a platform's regressions, sorted by the start of the first bad run.

    A regression is a group of breakages with the same suite, first bad run and last good run.
    `commands` has the commands that repeat the tests, by test key. `BrokenTest.declare` proposes
    known issues that expire 30 days after `at`.
    """

    def group_key(breakage: Breakage) -> tuple[dt.datetime, str, str, str]:
        suite = parse_key(breakage.key).suite
        return breakage.first_bad.started, suite, breakage.first_bad.id, breakage.last_good.id

    for (_, suite, *_), group in groupby(sorted(breakages, key=group_key), group_key):
        sorted_breakages = sorted(group, key=lambda breakage: breakage.key)
        yield _regression(platform, suite, sorted_breakages, commands, at)


def _regression(
    platform: Platform,
    suite: str,
    breakages: list[Breakage],
    commands: Mapping[str, str],
    at: dt.datetime,
) -> Regression:
    first_breakage = breakages[0]
    differences = tuple(
        message(
            "{what}: {before} → {after}",
            what=difference.what,
            before=difference.before or message("not stated"),
            after=difference.after or message("not stated"),
        )
        for difference in first_breakage.differences
    )
    return Regression(
        platform,
        suite,
        first_breakage.first_bad,
        first_breakage.last_good,
        _age_words(first_breakage.age),
        any(breakage.overdue for breakage in breakages),
        first_breakage.age < WEEK,
        differences,
        tuple(_commit_ranges(platform, first_breakage.last_good, first_breakage.first_bad)),
        tuple(_broken_test(platform, breakage, commands, at) for breakage in breakages),
        _new_issue_query(platform, suite, breakages, differences, commands),
    )


def _age_words(age: dt.timedelta) -> str:
    hours = int(age.total_seconds() // 3600)
    if age < WEEK:
        return message("{count} h", count=hours)
    return plural("{count} day", "{count} days", age.days)


def _broken_test(
    platform: Platform, breakage: Breakage, commands: Mapping[str, str], at: dt.datetime
) -> BrokenTest:
    test = parse_key(breakage.key)
    return BrokenTest(
        breakage,
        address_of(test.suite, test.name),
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


# Colors of the badge format that shields.io reads, by level.
_COLORS = {"tested": "brightgreen", "reported": "blue", "expected": "lightgrey"}


@dataclass(frozen=True, slots=True)
class DashboardPlatform:
    """A platform on the dashboard.

    `runs` and `baselines` are numbers of reports; `runs` includes archived runs. `evidence` has the
    newest run of each suite, or else its newest baseline. `never` are failing tests that passed in
    no run. `outdated` are declared known issues that should be removed.
    """

    platform: Platform
    level: EvidenceLevel
    runs: int
    baselines: int
    evidence: tuple[SuiteEvidence, ...]
    regressions: tuple[Regression, ...]
    never: tuple[NeverPassed, ...]
    outdated: tuple[OutdatedIssue, ...]

    @property
    def broken(self) -> int:
        """The number of tests with an open regression."""
        return sum(len(regression.tests) for regression in self.regressions)


@dataclass(frozen=True, slots=True)
class _DashboardInputs:
    """The data from which every `DashboardPlatform` is computed.

    `at` is the time to which ages are counted, the result of `as_of`.
    """

    results: ResultsView
    histories: TestHistories
    criteria: Criteria
    at: dt.datetime


def dashboard_pages(
    catalog: Catalog,
    results: ResultsView,
    histories: TestHistories,
    all_templates: Sequence[Templates],
) -> Iterator[SiteFile]:
    """Yield the dashboard, the page of testing standards, the badges and `quality.json`.

    `all_templates` has the templates of each language, English first. Nothing is yielded if the
    catalog has no criteria.
    """
    criteria = catalog.criteria
    if criteria is None:
        return
    at = as_of(catalog, [stored.report for stored in results.reports])
    inputs = _DashboardInputs(results, histories, criteria, at)
    states = [
        _dashboard_platform(inputs, platform, level)
        for platform in catalog.platforms
        if (level := evidence_level(catalog, results, platform))
    ]
    states.sort(key=lambda s: (not s.regressions, not s.runs, -len(s.evidence)))
    found = [regression for state in states for regression in state.regressions]
    found.sort(key=lambda regression: regression.first_bad.started, reverse=True)
    context: dict[str, Any] = {
        "states": states,
        "criteria": criteria,
        "sources": SourceList([("criteria.yaml", criteria.sources)]),
        "at": at,
        "new": [regression for regression in found if regression.is_new],
        "older": [regression for regression in found if not regression.is_new],
        "outdated": [(state.platform, found) for state in states for found in state.outdated],
        "declared_issues": sum(len(state.platform.known_issues) for state in states),
        "window": FLAKY_WINDOW,
        "news": news(catalog)[:MOST_NEWS],
    }
    edit = "data/criteria.yaml"
    yield from (
        render_page(page_templates, "results/dashboard.md", context, edit=edit)
        for page_templates in all_templates
    )
    yield all_templates[0].page("results/standards.md", edit=edit, **context)
    for state in states:
        yield data_file(_badge_path(state), _badge(state))
    platforms = tuple(_platform_quality(state, at) for state in states)
    folders_set_aside = tuple(_set_aside(catalog, folder) for folder in catalog.set_aside)
    data = QualityData(as_of=f"{at:%Y-%m-%d}", platforms=platforms, set_aside=folders_set_aside)
    yield data_file("quality.json", data)


def _set_aside(catalog: Catalog, folder: str) -> SetAside:
    since = catalog.shown_before.get(folder)
    return SetAside(
        folder=folder,
        errors=len(catalog.set_aside[folder]),
        shown_before=since.isoformat() if since else None,
    )


def _dashboard_platform(
    inputs: _DashboardInputs, platform: Platform, level: EvidenceLevel
) -> DashboardPlatform:
    evidence = inputs.results.newest(platform.id)
    runs = [suite_evidence for suite_evidence in evidence if suite_evidence.is_run]
    tests = [test for run in runs for test in run.tests]
    reports = [stored.report for stored in inputs.results.of(platform.id)]
    at = as_of_reports(inputs.at, reports)
    undated = sum(report.started is None and report.kind != "baseline" for report in reports)
    state = inputs.histories.of(platform.id, "runs").state
    deadline = dt.timedelta(hours=inputs.criteria.deadlines.breakage_hours)
    commands = {identity_of(test).key: test.command for test in tests if test.command}
    breakages = open_breakages(state, at, deadline)
    return DashboardPlatform(
        platform,
        level,
        len(state.reports) + undated,
        sum(report.kind == "baseline" for report in reports),
        evidence,
        tuple(regressions(platform, breakages, commands, at)),
        never_passed(state, at),
        tuple(outdated_issues(platform.known_issues, tests, at.date())),
    )


def _badge(state: DashboardPlatform) -> Badge:
    level = state.level.level
    return Badge(
        schemaVersion=1,
        label=f"PyTorch on {state.platform.accelerator.name}",
        message=level.title.lower(),
        color=_COLORS.get(level.id, "lightgrey"),
    )


def _platform_quality(state: DashboardPlatform, at: dt.datetime) -> PlatformQuality:
    tested = state.level.tested
    return PlatformQuality(
        id=state.platform.id,
        level=state.level.level.id,
        tested=tested.met,
        why=tested.why,
        missing=tuple(
            f"{gap.level.title}: {why}"
            for gap in reversed(state.level.missing)
            for why in gap.reasons
        ),
        runs=state.runs,
        baselines=state.baselines,
        suites=tuple(_suite_state(suite_evidence, at) for suite_evidence in state.evidence),
        open_breakages=state.broken,
        never_passed=len(state.never),
        badge=_badge_path(state),
    )


def _suite_state(evidence: SuiteEvidence, at: dt.datetime) -> SuiteState:
    return SuiteState.from_objects(
        evidence,
        report=evidence.stored.id,
        kind=evidence.stored.report.kind,
        age_days=evidence.age_days(at),
    )


def _badge_path(state: DashboardPlatform) -> str:
    return f"badges/{state.platform.id}.json"
