"""The page on which a reader finds a test and sees its history; the browser reads the one file."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from dataclasses import dataclass

from accelerator_portal.catalog import Catalog
from accelerator_portal.reports.identity import SETTINGS
from accelerator_portal.results.archive import History
from accelerator_portal.site.history_shards import history_name, history_shards, ordered_points
from accelerator_portal.site.history_view import TestHistories
from accelerator_portal.site.page import SiteFile, to_root
from accelerator_portal.site.result_addresses import RESULTS_PAGES
from accelerator_portal.site.templates import Templates

TEST_HISTORY_PAGE = f"{RESULTS_PAGES}/test-history.md"


@dataclass(frozen=True, slots=True)
class HistoryChoice:
    """A history that can be chosen; `tests` is how many test results it follows."""

    name: str
    accelerator: str
    words: str
    reports: int
    first: dt.date
    last: dt.date
    tests: int


def pages_of_test_histories(
    catalog: Catalog, past: TestHistories, templates: Templates
) -> Iterator[SiteFile]:
    """Yield the page, and the files that it reads."""
    content = templates.render(
        f"{TEST_HISTORY_PAGE}.j2",
        to_root=to_root(TEST_HISTORY_PAGE),
        choices=[_choice(catalog, h) for h in past.histories if h.state.reports],
        settings=sorted(SETTINGS),
    )
    yield SiteFile(TEST_HISTORY_PAGE, content, f"site_src/templates/{TEST_HISTORY_PAGE}.j2")
    for history in past.histories:
        yield from history_shards(history)


def _choice(catalog: Catalog, history: History) -> HistoryChoice:
    state = history.state
    points = ordered_points(state)
    name = catalog.by_id[state.accelerator].accelerator.name
    return HistoryChoice(
        history_name(history),
        state.accelerator,
        f"{name}: baseline" if state.basis == "baselines" else name,
        len(points),
        points[0].started.date(),
        points[-1].started.date(),
        sum(len(group.tests) for group in state.groups.values()),
    )
