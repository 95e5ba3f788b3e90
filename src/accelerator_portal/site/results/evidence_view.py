"""Computes a platform's level of evidence, and explains to readers how to meet its demands.

A level of evidence summarizes how well reports show that a platform works: see
`data/criteria.yaml`.
"""

from __future__ import annotations

from collections.abc import Mapping

from accelerator_portal.catalog import Catalog, Platform
from accelerator_portal.catalog.files.criteria_file import LevelRequirement
from accelerator_portal.catalog.message import message
from accelerator_portal.install.resolution import supported_releases
from accelerator_portal.results.evidence_level import (
    QualityAssessment,
    as_of,
    as_of_reports,
    assess_quality,
)
from accelerator_portal.site.results.results_view import ResultsView

DEMANDS: Mapping[LevelRequirement, tuple[str, str]] = {
    "command": (message("Install command"), "contribute/format/#accelerators-id-install-yaml"),
    "maintainers": (
        message("Maintainer"),
        "contribute/format/#accelerators-id-accelerator-yaml-maintainer",
    ),
    "baseline": (message("Report of any kind"), "contribute/report/"),
    "run": (message("Run"), "contribute/validate/"),
    "tested": (message("Required tests"), "results/standards/#tested"),
}
"""The title of each demand of the levels of evidence, and the address that explains how to meet it.

Addresses are relative to the site's root."""


def evidence_level(
    catalog: Catalog, results: ResultsView, platform: Platform
) -> QualityAssessment | None:
    """Return the level of evidence of a platform; None if the portal has no criteria."""
    if catalog.criteria is None:
        return None
    reports = [stored.report for stored in results.of(platform.id)]
    data_time = as_of_reports(
        as_of(catalog, [stored.report for stored in results.reports]), reports
    )
    torch = supported_releases(catalog, platform).newest or catalog.releases.newest.version
    return assess_quality(platform, reports, catalog.criteria, torch, data_time)
