"""Builds the quality dashboard: each platform's level of evidence, results and open regressions."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any
from urllib.parse import urlencode

from accelerator_portal.catalog import Catalog, Platform
from accelerator_portal.catalog.grouping import cached_by_owner
from accelerator_portal.catalog.message import message
from accelerator_portal.packages.news import news
from accelerator_portal.results.evidence_level import (
    FLAKY_WINDOW,
    Breakage,
    QualityAssessment,
    as_of_reports,
    never_passed_count,
    open_breakages,
)
from accelerator_portal.results.history import HistoryPoint
from accelerator_portal.results.stored_reports import SuiteEvidence
from accelerator_portal.site.results.results_over_time import days_words, platform_course
from accelerator_portal.site.results.results_view import (
    DEMANDS,
    ResultsView,
    evidence_level,
)
from accelerator_portal.site.site import Page, Site
from accelerator_portal.site.site_file import SiteFile, data_file
from accelerator_portal.site.vendor_text import SourceList
from accelerator_reports.files.fields import StrictModel
from accelerator_reports.files.folders import KNOWN_ISSUES
from accelerator_reports.known_issues import OutdatedIssue, outdated_issues
from accelerator_reports.outcomes import Outcome, ReportKind
from accelerator_reports.suite_names import suite_folder
from accelerator_reports.test_ids import identity_of, parse_key


class SuiteState(StrictModel):
    """The newest results of a platform in one suite."""

    suite: str
    """Id of the suite."""
    report: str
    """Id of the suite's newest run or, if there is none, of its newest baseline."""
    kind: ReportKind
    """The kind of the report."""
    date: dt.date | None = None
    """The day of the report. Absent if the report has no start time."""
    counts: dict[Outcome, int]
    """The number of tests by outcome."""


class PlatformQuality(StrictModel):
    """The quality of a platform: its level of evidence, and numbers of reports and failures."""

    id: str
    """Id of the accelerator."""
    level: str
    """Id of its level of evidence in `data/criteria.yaml`."""
    tested: bool
    """Whether the platform meets the requirement "tested"."""
    why: str
    """The reason for `tested`."""
    missing: tuple[str, ...]
    """The requirements of higher levels that the platform does not meet."""
    runs: int
    """The number of known runs."""
    baselines: int
    """The number of known baselines."""
    suites: tuple[SuiteState, ...]
    """The state of each suite, by name."""
    open_breakages: int
    """The number of tests with an open regression."""
    never_passed: int
    """The number of failing tests that passed in no run."""
    badge: str
    """Address of its badge, in the endpoint format of shields.io, relative to this file."""


class SetAside(StrictModel):
    """A vendor's folder that has errors."""

    folder: str
    """Name of the folder, which is the platform's id."""
    errors: int
    """The number of errors."""
    shown_before: str | None
    """The date since which the site shows the folder's last version without errors. Absent if the
    site shows no version."""


class QualityData(StrictModel):
    """The quality of every platform."""

    as_of: str
    """The date of the data. Ages are relative to it."""
    platforms: tuple[PlatformQuality, ...]
    """The quality of each platform."""
    set_aside: tuple[SetAside, ...] = ()
    """The folders with errors in the nightly build."""


class Badge(StrictModel):
    """A badge in the endpoint format of shields.io, version 1, which defines these field names."""

    schemaVersion: int  # noqa: N815 - as that format calls it
    """The version of the badge format: 1."""
    label: str
    """The text on the left side."""
    message: str
    """The text on the right side."""
    color: str
    """The color of the right side."""


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


MOST_NEWS = 10
"""The maximum number of package news items on the dashboard; the feed has more."""

_BADGE_COLORS = {"tested": "brightgreen", "reported": "blue"}
"""The color of a badge, in the format that shields.io reads, by level of evidence. Badges of other
levels are light gray."""


@dataclass(frozen=True, slots=True)
class DashboardPlatform:
    """A platform on the dashboard.

    `runs` and `baselines` are numbers of reports; `runs` includes archived runs. `evidence` has the
    newest run of each suite, or else its newest baseline. `never_passed` is the number of failing
    tests that passed in no run. `outdated` are declared known issues that should be removed.
    """

    platform: Platform
    quality: QualityAssessment
    runs: int
    baselines: int
    evidence: tuple[SuiteEvidence, ...]
    regressions: tuple[Regression, ...]
    never_passed: int
    outdated: tuple[OutdatedIssue, ...]

    @property
    def broken(self) -> int:
        """The number of tests with an open regression."""
        return sum(len(regression.tests) for regression in self.regressions)


TRANSLATED = ("results/dashboard.md",)
SCHEMAS = {"quality": QualityData, "badge": Badge}


def pages(site: Site) -> Iterator[Page]:
    """Yield the dashboard and the page of testing standards, if the catalog has criteria."""
    catalog, criteria = site.catalog, site.catalog.criteria
    if criteria is None:
        return
    states = _dashboard_platforms(site)
    all_regressions = [regression for state in states for regression in state.regressions]
    all_regressions.sort(key=lambda regression: regression.first_bad.started, reverse=True)
    context: dict[str, Any] = {
        "states": states,
        "demands": DEMANDS,
        "criteria": criteria,
        "sources": SourceList([("criteria.yaml", criteria.sources)]),
        "at": site.data_time,
        "problems": site.histories.problems,
        "new": [regression for regression in all_regressions if regression.is_new],
        "older": [regression for regression in all_regressions if not regression.is_new],
        "outdated": [(state.platform, issue) for state in states for issue in state.outdated],
        "declared_issues": sum(len(state.platform.known_issues) for state in states),
        "window": FLAKY_WINDOW,
        "days_words": days_words,
        "courses": [platform_course(catalog, h) for h in site.histories.histories if h.reports],
        "news": news(catalog)[:MOST_NEWS],
    }
    edit = "data/criteria.yaml"
    yield Page("results/dashboard.md", context, edit=edit)
    yield Page("results/standards.md", context, edit=edit)


def data(site: Site) -> Iterator[SiteFile]:
    """Yield the badges and `quality.json`, if the catalog has criteria."""
    if site.catalog.criteria is None:
        return
    states = _dashboard_platforms(site)
    for state in states:
        yield data_file(_badge_path(state), _badge(state))
    platforms = tuple(_platform_quality(state) for state in states)
    set_aside = tuple(_set_aside(site.catalog, folder) for folder in site.catalog.set_aside)
    day = f"{site.data_time:%Y-%m-%d}"
    quality = QualityData(as_of=day, platforms=platforms, set_aside=set_aside)
    yield data_file("quality.json", quality)


def _set_aside(catalog: Catalog, folder: str) -> SetAside:
    since = catalog.shown_before.get(folder)
    return SetAside(
        folder=folder,
        errors=len(catalog.set_aside[folder]),
        shown_before=since.isoformat() if since else None,
    )


@cached_by_owner
def _dashboard_platforms(site: Site) -> list[DashboardPlatform]:
    """Return the platforms, those with open regressions first. Empty without criteria."""
    criteria = site.catalog.criteria
    if criteria is None:
        return []
    deadline = dt.timedelta(hours=criteria.deadlines.breakage_hours)
    states = [
        _dashboard_platform(site, platform, quality, deadline)
        for platform in site.catalog.platforms
        if (quality := evidence_level(site.catalog, site.results, platform))
    ]
    return sorted(states, key=lambda s: (not s.regressions, not s.runs, -len(s.evidence)))


def _dashboard_platform(
    site: Site, platform: Platform, quality: QualityAssessment, deadline: dt.timedelta
) -> DashboardPlatform:
    evidence = site.results.newest(platform.id)
    runs = [suite_evidence for suite_evidence in evidence if suite_evidence.is_run]
    tests = [test for run in runs for test in run.tests]
    reports = [stored.report for stored in site.results.of(platform.id)]
    at = as_of_reports(site.data_time, reports)
    undated = sum(report.started is None and report.kind != "baseline" for report in reports)
    history = site.histories.of(platform.id, "runs")
    commands = {identity_of(test).key: test.command for test in tests if test.command}
    breakages = open_breakages(history, at, deadline)
    return DashboardPlatform(
        platform,
        quality,
        len(history.reports) + undated,
        sum(report.kind == "baseline" for report in reports),
        evidence,
        tuple(regressions(platform, breakages, site.results, commands, at)),
        never_passed_count(history, at),
        tuple(outdated_issues(platform.known_issues, tests, at.date())),
    )


def _badge(state: DashboardPlatform) -> Badge:
    level = state.quality.level
    return Badge(
        schemaVersion=1,
        label=f"PyTorch on {state.platform.accelerator.name}",
        message=level.title.lower(),
        color=_BADGE_COLORS.get(level.id, "lightgrey"),
    )


def _platform_quality(state: DashboardPlatform) -> PlatformQuality:
    tested = state.quality.tested
    return PlatformQuality(
        id=state.platform.id,
        level=state.quality.level.id,
        tested=tested.met,
        why=tested.why,
        missing=tuple(
            f"{level.title}: {why}"
            for level, reasons in state.quality.missing.items()
            for why in reasons
        ),
        runs=state.runs,
        baselines=state.baselines,
        suites=tuple(_suite_state(suite_evidence) for suite_evidence in state.evidence),
        open_breakages=state.broken,
        never_passed=state.never_passed,
        badge=_badge_path(state),
    )


def _suite_state(evidence: SuiteEvidence) -> SuiteState:
    return SuiteState.from_objects(
        evidence,
        report=evidence.stored.id,
        kind=evidence.stored.report.kind,
        date=evidence.day,
    )


def _badge_path(state: DashboardPlatform) -> str:
    return f"badges/{state.platform.id}.json"
