"""Writes the Atom feeds of new reports, changed test results and package news."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from dataclasses import dataclass, replace

from accelerator_portal.catalog import Catalog
from accelerator_portal.packages.news import news
from accelerator_portal.site.results.history_view import TestHistories, listed_anchors, week_of
from accelerator_portal.site.results.results_view import ResultsView
from accelerator_portal.site.site import Site
from accelerator_portal.site.site_file import SiteFile

_TEMPLATE = "results/feed.atom.j2"

# Older entries are only in the feeds of weeks and on the pages.
MOST_ENTRIES = 50
MOST_PACKAGE_NEWS = 20
"""The maximum number of package news items in the feed, so that reports and changes have room."""


@dataclass(frozen=True, slots=True)
class _FeedEntry:
    id: str
    title: str
    updated: dt.datetime
    address: str


def data(site: Site) -> Iterator[SiteFile]:
    """Yield the feed of the newest entries, and a complete feed for each week with changes."""
    catalog, results, histories = site.catalog, site.results, site.histories
    templates = site.templates[0]
    result_entries = [*_report_entries(catalog, results), *_change_entries(catalog, histories)]
    newest_entries = _newest_first([*result_entries, *_package_entries(catalog, MOST_PACKAGE_NEWS)])
    urn, title = "urn:accelerator-portal:reports", "PyTorch accelerators: test results and packages"
    feed = templates.render(_TEMPLATE, urn=urn, title=title, entries=newest_entries[:MOST_ENTRIES])
    yield SiteFile("results/feed.atom", feed)
    all_entries = _newest_first([*result_entries, *_package_entries(catalog, None)])
    for week in sorted({week.id for week in histories.weeks}):
        entries = [
            replace(entry, address=f"../{entry.address}")
            for entry in all_entries
            if week_of(entry.updated.date()) == week
        ]
        feed = templates.render(
            _TEMPLATE, urn=f"{urn}:{week}", title=f"{title}, {week}", entries=entries
        )
        yield SiteFile(f"results/weeks/{week}.atom", feed)


def _newest_first(entries: list[_FeedEntry]) -> list[_FeedEntry]:
    return sorted(entries, key=lambda entry: (entry.updated, entry.id), reverse=True)


def _report_entries(catalog: Catalog, results: ResultsView) -> Iterator[_FeedEntry]:
    for stored in results.reports:
        report = stored.report
        if report.started:
            title = f"{_platform_name(catalog, report.accelerator)}: {report.kind} {stored.id}"
            address = f"runs/{stored.id}/"
            yield _FeedEntry(f"report:{stored.id}", title, report.started, address)


def _change_entries(catalog: Catalog, histories: TestHistories) -> Iterator[_FeedEntry]:
    """Yield a feed entry for each report with changes.

    An entry links to the report on the page of changes. If the page no longer lists the report, it
    links to the data of all changes.
    """
    anchors = listed_anchors(histories.weeks)
    for report in histories.reports:
        if report.changes or report.first:
            title = f"{_platform_name(catalog, report.accelerator)}: {report.summary}"
            is_listed = report.anchor in anchors
            address = f"changes/#{report.anchor}" if is_listed else "test-history/#data"
            yield _FeedEntry(report.anchor, title, report.point.started, address)


def _package_entries(catalog: Catalog, limit: int | None) -> Iterator[_FeedEntry]:
    """Yield a feed entry for each item of package news, newest first.

    `limit` is the maximum number of entries, or None for all. News has no time of day, so entries
    are dated at midnight UTC.
    """
    for item in news(catalog)[:limit]:
        moment = dt.datetime.combine(item.date, dt.time(), dt.timezone.utc)
        address = f"../compute-platforms/{item.platform}/#versions"
        title = f"{_platform_name(catalog, item.platform)}: {item.words}"
        yield _FeedEntry(f"package:{item.key}", title, moment, address)


def _platform_name(catalog: Catalog, accelerator: str) -> str:
    return catalog.by_id[accelerator].accelerator.name
