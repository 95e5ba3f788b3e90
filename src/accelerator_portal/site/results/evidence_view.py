"""Prepares a platform's level of evidence for pages: missing higher levels, and a checklist.

A level of evidence summarizes how well reports show that a platform works: see
`data/criteria.yaml`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from accelerator_portal.catalog import Catalog, Platform
from accelerator_portal.catalog.files.criteria_file import Level, LevelRequirement
from accelerator_portal.catalog.message import message
from accelerator_portal.install.resolution import supported_releases
from accelerator_portal.results.evidence_level import (
    DemandResult,
    as_of,
    as_of_reports,
    assess_quality,
)
from accelerator_portal.site.results.results_view import ResultsView

# The title of each demand, and the address that explains how to meet it.
_DEMANDS: Mapping[LevelRequirement, tuple[str, str]] = {
    "command": (message("Install command"), "contribute/format/#accelerators-id-install-yaml"),
    "maintainers": (
        message("Maintainer"),
        "contribute/format/#accelerators-id-accelerator-yaml-maintainer",
    ),
    "baseline": (message("Report of any kind"), "contribute/report/"),
    "run": (message("Run"), "contribute/validate/"),
    "tested": (message("Required tests"), "results/standards/#tested"),
}


@dataclass(frozen=True, slots=True)
class MissingEvidence:
    """A level of evidence that a platform does not reach, with the reasons."""

    level: Level
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ChecklistItem:
    """A requirement of a level of evidence, and whether a platform meets the requirement.

    If the requirement is not met, `why` is the reason. If "tested" is met, `why` names the run.
    `address` is the address of the instructions, relative to the site's root.
    """

    title: str
    met: bool
    why: str
    address: str


@dataclass(frozen=True, slots=True)
class EvidenceLevel:
    """The level of evidence of a platform.

    `tested` states whether the platform meets the requirement "tested", and why. `missing` has the
    higher levels, nearest first. `checklist` has the requirements of all levels.
    """

    level: Level
    tested: DemandResult
    missing: tuple[MissingEvidence, ...]
    checklist: tuple[ChecklistItem, ...]


def evidence_level(
    catalog: Catalog, results: ResultsView, platform: Platform
) -> EvidenceLevel | None:
    """Return the level of evidence of a platform; None if the portal has no criteria."""
    if catalog.criteria is None:
        return None
    reports = [stored.report for stored in results.of(platform.id)]
    data_time = as_of_reports(
        as_of(catalog, [stored.report for stored in results.reports]), reports
    )
    torch = supported_releases(catalog, platform).newest or catalog.releases.newest.version
    platform_quality = assess_quality(platform, reports, catalog.criteria, torch, data_time)
    higher_levels = list(dict.fromkeys(gap.level for gap in reversed(platform_quality.missing)))
    return EvidenceLevel(
        platform_quality.level,
        platform_quality.tested,
        tuple(
            MissingEvidence(
                level, tuple(gap.why for gap in platform_quality.missing if gap.level == level)
            )
            for level in higher_levels
        ),
        tuple(
            ChecklistItem(
                title,
                platform_quality.demands[demand].met,
                platform_quality.demands[demand].why,
                address,
            )
            for demand, (title, address) in _DEMANDS.items()
        ),
    )
