"""Builds the quality dashboard: each platform's level of evidence, results and open regressions."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from accelerator_portal.catalog import Catalog, Platform
from accelerator_portal.catalog.files.criteria_file import Criteria
from accelerator_portal.packages.news import news
from accelerator_portal.results.breakages import (
    FLAKY_WINDOW,
    never_passed_count,
    open_breakages,
)
from accelerator_portal.results.evidence_level import QualityAssessment, as_of, as_of_reports
from accelerator_portal.results.suite_evidence import SuiteEvidence
from accelerator_portal.site.results.evidence_view import DEMANDS, evidence_level
from accelerator_portal.site.results.history_view import TestHistories
from accelerator_portal.site.results.regressions import Regression, regressions
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
from accelerator_portal.site.translated_pages import render_pages
from accelerator_reports.known_issues import OutdatedIssue, outdated_issues
from accelerator_reports.test_keys import identity_of

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
        _dashboard_platform(inputs, platform, quality)
        for platform in catalog.platforms
        if (quality := evidence_level(catalog, results, platform))
    ]
    states.sort(key=lambda s: (not s.regressions, not s.runs, -len(s.evidence)))
    all_regressions = [regression for state in states for regression in state.regressions]
    all_regressions.sort(key=lambda regression: regression.first_bad.started, reverse=True)
    context: dict[str, Any] = {
        "states": states,
        "demands": DEMANDS,
        "criteria": criteria,
        "sources": SourceList([("criteria.yaml", criteria.sources)]),
        "at": at,
        "problems": histories.problems,
        "new": [regression for regression in all_regressions if regression.is_new],
        "older": [regression for regression in all_regressions if not regression.is_new],
        "outdated": [(state.platform, issue) for state in states for issue in state.outdated],
        "declared_issues": sum(len(state.platform.known_issues) for state in states),
        "window": FLAKY_WINDOW,
        "news": news(catalog)[:MOST_NEWS],
    }
    edit = "data/criteria.yaml"
    yield from render_pages(all_templates, "results/dashboard.md", context, edit=edit)
    yield all_templates[0].page("results/standards.md", edit=edit, **context)
    for state in states:
        yield data_file(_badge_path(state), _badge(state))
    platforms = tuple(_platform_quality(state) for state in states)
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
    inputs: _DashboardInputs, platform: Platform, quality: QualityAssessment
) -> DashboardPlatform:
    evidence = inputs.results.newest(platform.id)
    runs = [suite_evidence for suite_evidence in evidence if suite_evidence.is_run]
    tests = [test for run in runs for test in run.tests]
    reports = [stored.report for stored in inputs.results.of(platform.id)]
    at = as_of_reports(inputs.at, reports)
    undated = sum(report.started is None and report.kind != "baseline" for report in reports)
    history = inputs.histories.of(platform.id, "runs")
    deadline = dt.timedelta(hours=inputs.criteria.deadlines.breakage_hours)
    commands = {identity_of(test).key: test.command for test in tests if test.command}
    breakages = open_breakages(history, at, deadline)
    return DashboardPlatform(
        platform,
        quality,
        len(history.reports) + undated,
        sum(report.kind == "baseline" for report in reports),
        evidence,
        tuple(regressions(platform, breakages, inputs.results, commands, at)),
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
