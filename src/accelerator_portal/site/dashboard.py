"""The quality dashboard: the newest evidence of every platform and suite, and what is broken."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from dataclasses import dataclass

from accelerator_portal.catalog import Catalog, Platform
from accelerator_portal.catalog.criteria_file import Criteria
from accelerator_portal.reports.identity import identity_of
from accelerator_portal.results.breakages import NeverPassed, never_passed, open_breakages
from accelerator_portal.results.classify import FLAKY_WINDOW
from accelerator_portal.results.known_issues import OutdatedIssue, outdated_issues
from accelerator_portal.results.quality import as_of, as_of_reports
from accelerator_portal.results.suite_evidence import SuiteEvidence
from accelerator_portal.site.dashboard_grid import dashboard_grid
from accelerator_portal.site.evidence_level import EvidenceLevel, level_of
from accelerator_portal.site.history_view import TestHistories
from accelerator_portal.site.packages_pages import newest_news
from accelerator_portal.site.page import SiteFile, data_file, to_root
from accelerator_portal.site.regressions import Regression, regressions
from accelerator_portal.site.results_shapes import (
    Badge,
    PlatformQuality,
    QualityData,
    SetAside,
    SuiteState,
)
from accelerator_portal.site.results_view import ResultsView
from accelerator_portal.site.source_list import SourceList
from accelerator_portal.site.templates import Templates

# Colors of the badge format that shields.io reads, by level.
_COLORS = {"tested": "brightgreen", "reported": "blue", "expected": "lightgrey"}


@dataclass(frozen=True, slots=True)
class DashboardPlatform:
    """One platform on the dashboard; `evidence` is the newest of each of its suites.

    `age_days` is the age of its newest run.
    """

    platform: Platform
    level: EvidenceLevel
    runs: int
    baselines: int
    evidence: tuple[SuiteEvidence, ...]
    age_days: int | None
    regressions: tuple[Regression, ...]
    never: tuple[NeverPassed, ...]
    outdated: tuple[OutdatedIssue, ...]

    @property
    def broken(self) -> int:
        """The number of open regressions."""
        return sum(len(regression.tests) for regression in self.regressions)


@dataclass(frozen=True, slots=True)
class _Known:
    """Everything that a platform's state is computed from."""

    catalog: Catalog
    results: ResultsView
    past: TestHistories
    criteria: Criteria
    at: dt.datetime


def dashboard(
    catalog: Catalog, results: ResultsView, past: TestHistories, criteria: Criteria
) -> list[DashboardPlatform]:
    """Return every platform's state: those with open breakages first, then those with evidence."""
    at = as_of(catalog, [stored.report for stored in results.reports])
    known = _Known(catalog, results, past, criteria, at)
    states = [_state(known, platform) for platform in catalog.platforms]
    return sorted(states, key=lambda s: (not s.regressions, not s.runs, -len(s.evidence)))


def dashboard_pages(
    catalog: Catalog, results: ResultsView, past: TestHistories, templates: Templates
) -> Iterator[SiteFile]:
    """Yield the dashboard, the testing standards and the badges."""
    criteria = catalog.criteria
    if criteria is None:
        return
    states = dashboard(catalog, results, past, criteria)
    at = as_of(catalog, [stored.report for stored in results.reports])
    found = [regression for state in states for regression in state.regressions]
    found.sort(key=lambda regression: regression.first_bad.started, reverse=True)
    grid = dashboard_grid(catalog, {s.platform.id: s.evidence for s in states}, at)
    for name in ("dashboard", "standards"):
        path = f"results/{name}.md"
        content = templates.render(
            f"{path}.j2",
            to_root=to_root(path),
            states=states,
            grid=grid,
            untested=[p for p in catalog.platforms if not any(grid.rows[p.id])],
            criteria=criteria,
            sources=SourceList([("criteria.yaml", criteria.sources)]),
            at=at,
            new=[regression for regression in found if regression.is_new],
            older=[regression for regression in found if not regression.is_new],
            outdated=[(state.platform, found) for state in states for found in state.outdated],
            declared_issues=sum(len(state.platform.known_issues) for state in states),
            window=FLAKY_WINDOW,
            news=newest_news(catalog),
        )
        yield SiteFile(path, content, "data/criteria.yaml")
    for state in states:
        yield data_file(_badge_path(state), _badge(state))
    platforms = tuple(_quality(state, at) for state in states)
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
    evidence = known.results.newest(platform.id)
    runs = [found for found in evidence if found.is_run]
    tests = [test for run in runs for test in run.tests]
    reports = [stored.report for stored in known.results.of(platform.id)]
    at = as_of_reports(known.at, reports)
    undated = sum(report.started is None and report.kind != "baseline" for report in reports)
    state = known.past.of(platform.id, "runs").state
    deadline = dt.timedelta(hours=known.criteria.deadlines.breakage_hours)
    commands = {identity_of(test).key: test.command for test in tests if test.command}
    ages = [age for run in runs if (age := run.age_days(at)) is not None]
    broken = open_breakages(state, at, deadline)
    return DashboardPlatform(
        platform,
        level_of(known.catalog, known.results, platform, known.criteria, at),
        len(state.reports) + undated,
        sum(report.kind == "baseline" for report in reports),
        evidence,
        min(ages, default=None),
        tuple(regressions(platform, broken, commands, at)),
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


def _quality(state: DashboardPlatform, at: dt.datetime) -> PlatformQuality:
    tested = state.level.tested
    return PlatformQuality(
        id=state.platform.id,
        level=state.level.level.id,
        tested=tested.met,
        why=tested.why,
        missing=tuple(
            f"{missing.level.title}: {why}"
            for missing in reversed(state.level.missing)
            for why in missing.reasons
        ),
        runs=state.runs,
        baselines=state.baselines,
        suites=tuple(_suite_state(found, at) for found in state.evidence),
        open_breakages=state.broken,
        never_passed=len(state.never),
        badge=_badge_path(state),
    )


def _suite_state(evidence: SuiteEvidence, at: dt.datetime) -> SuiteState:
    return SuiteState(
        suite=evidence.suite,
        report=evidence.stored.id,
        kind=evidence.stored.report.kind,
        age_days=evidence.age_days(at),
        counts=evidence.counts,
    )


def _badge_path(state: DashboardPlatform) -> str:
    return f"badges/{state.platform.id}.json"
