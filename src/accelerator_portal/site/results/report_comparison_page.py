"""Builds the page on which readers compare any two test reports in the browser."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from accelerator_portal.catalog import Catalog
from accelerator_portal.results.stored_reports import StoredReport
from accelerator_portal.site.results.result_addresses import RESULTS_PAGES
from accelerator_portal.site.results.results_view import ResultsView
from accelerator_portal.site.site_file import SiteFile
from accelerator_portal.site.templates import Templates
from accelerator_reports.comparison import DIFFERENCE_TITLES, PAIR_NOTES
from accelerator_reports.test_keys import SETTINGS

COMPARE_PAGE = f"{RESULTS_PAGES}/compare.md"


@dataclass(frozen=True, slots=True)
class ReportChoice:
    """A report that readers can select.

    `platform` is the platform's name. `torch` is the version of torch, and `plugin` is the name and
    version of the plugin. Each of these two is None if the report does not state it.
    """

    stored: StoredReport
    platform: str
    torch: str | None
    plugin: str | None
    suites: tuple[str, ...]

    @property
    def words(self) -> str:
        """The text of the report in the list: `2026-11-21 · torch 2.13.0 · self-reported · …`."""
        parts = (
            str(self.stored.day or "no date"),
            f"torch {self.torch}" if self.torch else None,
            self.plugin,
            self.stored.report.kind,
            ", ".join(self.suites),
        )
        return " · ".join(part for part in parts if part)


def report_comparison_page(
    catalog: Catalog, results: ResultsView, templates: Templates
) -> SiteFile:
    """Return the page on which readers compare two reports.

    The page has the same titles and notes as the command line: DIFFERENCE_TITLES and PAIR_NOTES.
    """
    choices = [_choice(catalog, stored) for stored in results.reports]
    words = {"differences": DIFFERENCE_TITLES, "pairs": PAIR_NOTES}
    return templates.page(
        COMPARE_PAGE,
        choices=choices,
        suggestions=list(suggestions(choices)),
        words=json.dumps(words),
        settings=sorted(SETTINGS),
    )


def suggestions(choices: Sequence[ReportChoice]) -> Iterator[tuple[ReportChoice, ReportChoice]]:
    """Yield pairs of reports to compare: the last two runs of each suite on each platform.

    The older run comes first. Each pair is yielded once.
    """
    runs = (choice for choice in choices if choice.stored.report.kind != "baseline")
    runs_by_suite: dict[tuple[str, str], list[ReportChoice]] = {}
    for run in sorted(runs, key=lambda run: run.stored.order):
        for suite in run.suites:
            runs_by_suite.setdefault((run.stored.report.accelerator, suite), []).append(run)
    pairs = [
        (suite_runs[-2], suite_runs[-1])
        for suite_runs in runs_by_suite.values()
        if len(suite_runs) > 1
    ]
    yield from dict.fromkeys(pairs)


def _choice(catalog: Catalog, stored: StoredReport) -> ReportChoice:
    report = stored.report
    plugin = report.environment.plugin
    return ReportChoice(
        stored,
        catalog.by_id[report.accelerator].accelerator.name,
        report.environment.torch,
        " ".join(filter(None, (plugin.name, plugin.version))) if plugin else None,
        tuple(suite.name for suite in report.suites),
    )
