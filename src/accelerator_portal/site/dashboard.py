"""The quality dashboard: evidence of every platform, what is broken and since when."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from accelerator_portal.catalog import Catalog, Platform
from accelerator_portal.catalog.criteria_file import Criteria
from accelerator_portal.reports.identity import identity_of
from accelerator_portal.reports.report import Report
from accelerator_portal.results.archive import BASES
from accelerator_portal.results.breakages import Breakage, NeverPassed, never_passed, open_breakages
from accelerator_portal.results.known_issues import Outdated, outdated
from accelerator_portal.results.quality import QualityAssessment, as_of, as_of_reports
from accelerator_portal.results.standing import WINDOW, Basis
from accelerator_portal.site.dashboard_view import breakage_row, trend_group
from accelerator_portal.site.evidence_level import assessment
from accelerator_portal.site.history_pages import trends
from accelerator_portal.site.history_view import Past
from accelerator_portal.site.packages_pages import newest_news
from accelerator_portal.site.page import SiteFile, data_file, to_root
from accelerator_portal.site.results_shapes import Badge, PlatformQuality, QualityData, SetAside
from accelerator_portal.site.results_view import ResultsView, SuiteCounts
from accelerator_portal.site.source_list import SourceList
from accelerator_portal.site.templates import Templates
from accelerator_portal.site.trend_picture import Trend

# Colours of the badge format that shields.io reads, by level.
_COLOURS = {"tested": "brightgreen", "reported": "blue", "expected": "lightgrey"}


@dataclass(frozen=True, slots=True)
class DashboardPlatform:
    """One platform on the dashboard; `age_days` is that of its newest run."""

    platform: Platform
    quality: QualityAssessment
    runs: int
    baselines: int
    newest: Report | None
    age_days: int | None
    counts: tuple[SuiteCounts, ...]
    breakages: tuple[Breakage, ...]
    never: tuple[NeverPassed, ...]
    outdated: tuple[Outdated, ...]
    commands: Mapping[str, str]
    """The command that repeats a test, by its key, where the newest run says it."""
    trends: Mapping[Basis, list[Trend]]
    """How its suites went, of what two moments are known."""


@dataclass(frozen=True, slots=True)
class _Known:
    """Everything that a platform's state is computed from."""

    catalog: Catalog
    results: ResultsView
    past: Past
    criteria: Criteria
    at: dt.datetime


def dashboard(
    catalog: Catalog, results: ResultsView, past: Past, criteria: Criteria
) -> list[DashboardPlatform]:
    """Return every platform's state, those with open breakages first, then those with runs."""
    at = as_of(catalog, [stored.report for stored in results.reports])
    known = _Known(catalog, results, past, criteria, at)
    states = [_state(known, platform) for platform in catalog.platforms]
    return sorted(states, key=lambda s: (not s.breakages, not s.runs, not s.baselines))


def dashboard_pages(
    catalog: Catalog, results: ResultsView, past: Past, templates: Templates
) -> Iterator[SiteFile]:
    """Yield the dashboard, the testing standards and the badges."""
    criteria = catalog.criteria
    if criteria is None:
        return
    states = dashboard(catalog, results, past, criteria)
    at = as_of(catalog, [stored.report for stored in results.reports])
    for name in ("dashboard", "standards"):
        path = f"results/{name}.md"
        content = templates.render(
            f"{path}.j2",
            to_root=to_root(path),
            states=states,
            criteria=criteria,
            sources=SourceList([("criteria.yaml", criteria.sources)]),
            at=at,
            breakages=[
                breakage_row(state.platform, breakage, state.commands.get(breakage.key), at)
                for state in states
                for breakage in state.breakages
            ],
            outdated=[(state.platform, found) for state in states for found in state.outdated],
            declared_issues=sum(len(state.platform.known_issues) for state in states),
            two_runs=any(state.runs > 1 for state in states),
            trends=[
                trend_group(catalog, state.platform, basis, found)
                for state in states
                for basis, found in state.trends.items()
            ],
            window=WINDOW,
            news=newest_news(catalog),
        )
        yield SiteFile(path, content, "data/criteria.yaml")
    for state in states:
        yield data_file(_badge_path(state), _badge(state))
    platforms = tuple(_quality(state) for state in states)
    aside = tuple(_set_aside(catalog, folder) for folder in catalog.set_aside)
    data = QualityData(as_of=f"{at:%Y-%m-%d}", platforms=platforms, set_aside=aside)
    yield data_file("quality.json", data)


def _set_aside(catalog: Catalog, folder: str) -> SetAside:
    since = catalog.shown_before.get(folder)
    return SetAside(
        folder=folder,
        errors=len(catalog.set_aside[folder]),
        shown_before=since.isoformat() if since else None,
    )


def _state(known: _Known, platform: Platform) -> DashboardPlatform:
    stored, criteria = known.results.of(platform.id), known.criteria
    reports = [s.report for s in stored]
    at = as_of_reports(known.at, reports)
    runs = [report for report in reports if report.kind != "baseline"]
    newest = max((r for r in runs if r.started), key=lambda r: r.started or at, default=None)
    state = known.past.of(platform.id, "runs").state
    deadline = dt.timedelta(hours=criteria.deadlines.breakage_hours)
    ids = [s.id for s in stored if newest is not None and s.report is newest]
    return DashboardPlatform(
        platform,
        assessment(known.catalog, known.results, platform, criteria, at),
        len(state.reports) + sum(run.started is None for run in runs),
        len(reports) - len(runs),
        newest,
        (at - newest.started).days if newest and newest.started else None,
        tuple(c for report in ids for c in known.results.suite_counts(report)),
        open_breakages(state, at, deadline),
        never_passed(state, at),
        tuple(outdated(platform.known_issues, newest, at.date())),
        {identity_of(t).key: t.command for t in newest.tests if t.command} if newest else {},
        {basis: found for basis in BASES if (found := trends(known.past.of(platform.id, basis)))},
    )


def _badge(state: DashboardPlatform) -> Badge:
    level = state.quality.level
    return Badge(
        schemaVersion=1,
        label=f"PyTorch on {state.platform.accelerator.name}",
        message=level.title.lower(),
        color=_COLOURS.get(level.id, "lightgrey"),
    )


def _quality(state: DashboardPlatform) -> PlatformQuality:
    return PlatformQuality(
        id=state.platform.id,
        level=state.quality.level.id,
        tested=state.quality.tested.met,
        why=state.quality.tested.why,
        missing=tuple(f"{gap.level.title}: {gap.why}" for gap in state.quality.missing),
        runs=state.runs,
        baselines=state.baselines,
        open_breakages=len(state.breakages),
        never_passed=len(state.never),
        badge=_badge_path(state),
    )


def _badge_path(state: DashboardPlatform) -> str:
    return f"badges/{state.platform.id}.json"
