"""A platform's level of evidence, and what is missing for each higher one."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass

from accelerator_portal.catalog import Catalog, Platform
from accelerator_portal.catalog.criteria_file import Criteria, Demand, Level
from accelerator_portal.install.resolution import followed_releases
from accelerator_portal.results.quality import DemandResult, as_of, as_of_reports, quality
from accelerator_portal.site.results_view import ResultsView


@dataclass(frozen=True, slots=True)
class MissingEvidence:
    """A level that a platform does not have, and each reason why."""

    level: Level
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ChecklistItem:
    """Something that a level asks for; `address`, from the site's root, says how to provide it."""

    title: str
    met: bool
    why: str
    address: str


@dataclass(frozen=True, slots=True)
class EvidenceLevel:
    """The level of a platform; `missing` has the higher ones, the nearest first.

    `tested` says whether its newest command reads "tested", and why or why not; `checklist` has all
    that any level asks for.
    """

    level: Level
    tested: DemandResult
    missing: tuple[MissingEvidence, ...]
    checklist: tuple[ChecklistItem, ...]


# What each demand is called, and where it is said how to meet it.
_DEMANDS: Mapping[Demand, tuple[str, str]] = {
    "command": ("Install command", "contribute/format/#accelerators-id-install-yaml"),
    "maintainers": ("Maintainer", "contribute/format/#accelerators-id-accelerator-yaml-maintainer"),
    "baseline": ("Report of any kind", "contribute/report/"),
    "run": ("Run", "contribute/validate/"),
    "tested": ("Required tests", "results/standards/#tested"),
}


def evidence_level(
    catalog: Catalog, results: ResultsView, platform: Platform
) -> EvidenceLevel | None:
    """Return the level of a platform; without criteria there are no levels."""
    if catalog.criteria is None:
        return None
    at = as_of(catalog, [stored.report for stored in results.reports])
    at = as_of_reports(at, [stored.report for stored in results.of(platform.id)])
    return level_of(catalog, results, platform, catalog.criteria, at)


def level_of(
    catalog: Catalog,
    results: ResultsView,
    platform: Platform,
    criteria: Criteria,
    at: dt.datetime,
) -> EvidenceLevel:
    """Return the level of a platform; `at` is the moment that ages are counted to."""
    reports = [stored.report for stored in results.of(platform.id)]
    torch = followed_releases(catalog, platform).newest or catalog.releases.newest.version
    found = quality(platform, reports, criteria, torch, at)
    higher = list(dict.fromkeys(gap.level for gap in reversed(found.missing)))
    return EvidenceLevel(
        found.level,
        found.tested,
        tuple(
            MissingEvidence(level, tuple(gap.why for gap in found.missing if gap.level == level))
            for level in higher
        ),
        tuple(
            ChecklistItem(title, found.demands[demand].met, found.demands[demand].why, address)
            for demand, (title, address) in _DEMANDS.items()
        ),
    )
