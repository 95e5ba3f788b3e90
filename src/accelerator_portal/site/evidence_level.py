"""A platform's level of evidence, and what is missing for each higher one."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass

from accelerator_portal.catalog import Catalog, Platform
from accelerator_portal.catalog.criteria_file import Criteria, Level
from accelerator_portal.install.following import following
from accelerator_portal.results.quality import QualityAssessment, as_of, as_of_reports, quality
from accelerator_portal.site.results_view import ResultsView


@dataclass(frozen=True, slots=True)
class MissingEvidence:
    """A level that a platform does not have, and each reason why."""

    level: Level
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class EvidenceLevel:
    """The level of a platform; `missing` has the higher ones, the nearest first."""

    level: Level
    missing: tuple[MissingEvidence, ...]


def evidence_level(
    catalog: Catalog, results: ResultsView, platform: Platform
) -> EvidenceLevel | None:
    """Return the level of a platform; without criteria there are no levels."""
    if catalog.criteria is None:
        return None
    at = as_of(catalog, [stored.report for stored in results.reports])
    at = as_of_reports(at, [stored.report for stored in results.of(platform.id)])
    found = assessment(catalog, results, platform, catalog.criteria, at)
    higher = list(dict.fromkeys(gap.level for gap in reversed(found.missing)))
    return EvidenceLevel(
        found.level,
        tuple(
            MissingEvidence(level, tuple(gap.why for gap in found.missing if gap.level == level))
            for level in higher
        ),
    )


def assessment(
    catalog: Catalog,
    results: ResultsView,
    platform: Platform,
    criteria: Criteria,
    at: dt.datetime,
) -> QualityAssessment:
    """Return the level of a platform; `at` is the moment that ages are counted to."""
    reports = [stored.report for stored in results.of(platform.id)]
    torch = following(catalog, platform).newest or catalog.releases.newest.version
    return quality(platform, reports, criteria, torch, at)
