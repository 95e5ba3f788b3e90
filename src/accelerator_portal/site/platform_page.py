"""What a platform's page shows, computed from its folder."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from accelerator_portal.catalog import Platform
from accelerator_portal.install.selector import Selector
from accelerator_portal.results.archive import BASES
from accelerator_portal.results.tested_systems import devices_of_runs, systems_of_runs
from accelerator_portal.site.anchors import slug
from accelerator_portal.site.commands_table import commands_table
from accelerator_portal.site.features import LABELS, FeaturesData
from accelerator_portal.site.hardware import HardwareData
from accelerator_portal.site.history_view import TestHistories
from accelerator_portal.site.questions import PageQuestion
from accelerator_portal.site.results_view import ResultsView
from accelerator_portal.site.selector_view import selector_view
from accelerator_portal.site.source_list import SourceEntry, SourceList
from accelerator_portal.site.subsections import fold_section
from accelerator_portal.site.vendor_text import render_section
from accelerator_portal.site.versions_table import versions_table

# So many rows, the newest, are shown; the others are a click away.
MOST_VERSIONS = 3


@dataclass(frozen=True)
class Parts:
    """What a platform's page is made of, beside its folder; `selector` and `faq` are its own."""

    selector: Selector
    hardware: HardwareData
    features: FeaturesData
    sources: SourceList
    faq: list[PageQuestion]
    results: ResultsView
    past: TestHistories


def platform_context(platform: Platform, parts: Parts) -> dict[str, Any]:
    """Return the variables of the template."""
    selector, sources = parts.selector, parts.sources
    return {
        "platform": platform,
        "a": platform.accelerator,
        "selector": selector,
        "view": selector_view(selector) if selector.starts else None,
        "commands": commands_table(selector, selector.rows),
        "hardware": next((h for h in parts.hardware.platforms if h.id == platform.id), None),
        "features": parts.features.by_id[platform.id],
        "feature_labels": LABELS,
        "versions": versions_table(platform, sources),
        "most_versions": MOST_VERSIONS,
        "guide": {
            section.title: fold_section(
                render_section(platform.guide, sources, section.text, slug(section.title))
            )
            for section in platform.guide.sections
        },
        "faq": parts.faq,
        "reports": [
            (stored, parts.results.suite_counts(stored.id))
            for stored in parts.results.of(platform.id)
        ],
        "tested_systems": systems_of_runs(parts.results.of(platform.id)),
        "tested_hardware": devices_of_runs(parts.results.of(platform.id)),
        "course": list(_course(platform.id, parts.past)),
        "page_files": [*map(platform.path, (*platform.files, "guide.md", "faq.md"))],
        "sources": sources,
        "cited": _citer(sources),
    }


def _course(accelerator: str, past: TestHistories) -> Iterator[str]:
    """Yield how many reports of a kind there were, since when, where there is more than one."""
    for basis in BASES:
        points = past.of(accelerator, basis).state.reports.values()
        if len(points) > 1:
            first = min(point.started for point in points)
            yield f"{len(points)} {basis} since {first:%Y-%m-%d}"


def _citer(sources: SourceList) -> Any:  # noqa: ANN401 - a function for the template
    def cited(file: str, names: Iterable[str] | None) -> list[SourceEntry]:
        return sources.cited(file, names)

    return cited
