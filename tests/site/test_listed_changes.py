"""The page of changes lists the newest weeks, and says how much it leaves out."""

from __future__ import annotations

import datetime as dt
import xml.etree.ElementTree as ET

import pytest

from accelerator_portal.reports.report import Environment, Trigger
from accelerator_portal.results.history_state import HistoryPoint
from accelerator_portal.results.stored_history import History
from accelerator_portal.site.results import history_view
from accelerator_portal.site.results.feed import feeds
from accelerator_portal.site.results.history_view import (
    LEAST_CHANGES_OF_A_REPORT,
    MOST_CHANGES,
    MOST_CHANGES_OF_A_REPORT,
    MOST_REPORTS,
    Episode,
    HistoryStep,
    TestHistories,
    Week,
    listed_changes,
)
from accelerator_portal.site.results.results_view import ResultsView
from accelerator_portal.site.templates import TEMPLATES_FOLDER, Templates
from tests.folders import EXAMPLE, REPOSITORY, Tree, loaded
from tests.results.made_up import folded, made_up

_NONE = ResultsView((), {}, {})
TEMPLATES = Templates(REPOSITORY / TEMPLATES_FOLDER)
MONDAY = dt.date(2026, 3, 2)


def week(age: int, reports: int, steps: int) -> Week:
    start = MONDAY - dt.timedelta(weeks=age)
    at = dt.datetime.combine(start, dt.time(), dt.timezone.utc)
    step = HistoryStep("models", "x", "changed", "passed", "failed", "", 1)
    points = [
        HistoryPoint(f"{age}-{n}", at, "self-reported", Trigger(kind="nightly"), Environment())
        for n in range(reports)
    ]
    return Week(start, tuple(Episode("acme", "runs", p, (step,) * steps, {}) for p in points))


def test_weeks_that_fit_are_listed_with_all_their_changes() -> None:
    weeks = [week(age, 3, 7) for age in range(10)]
    found = listed_changes(weeks)
    assert [listed.week for listed in found.weeks] == weeks
    assert found.older == 0
    assert {report.more for listed in found.weeks for report in listed.reports} == {0}
    assert len(found.anchors) == 30


def test_a_year_of_many_platforms_lists_the_newest_weeks_whole() -> None:
    weeks = [week(age, 150, 1) for age in range(52)]
    found = listed_changes(weeks)
    assert [listed.week for listed in found.weeks] == weeks[: MOST_REPORTS // 150]
    assert found.older == 150 * (52 - MOST_REPORTS // 150)


def test_the_newest_week_is_listed_however_many_reports_it_has() -> None:
    found = listed_changes([week(0, MOST_REPORTS + 1, 200), week(1, 1, 1)])
    assert found.older == 1
    (only,) = found.weeks
    shown = [len(report.steps) for report in only.reports]
    assert shown[0] == MOST_CHANGES_OF_A_REPORT
    assert shown[-1] == LEAST_CHANGES_OF_A_REPORT
    assert sum(shown) <= MOST_CHANGES + LEAST_CHANGES_OF_A_REPORT * len(shown)
    assert only.reports[0].more == 200 - MOST_CHANGES_OF_A_REPORT


def test_feeds_link_to_no_report_that_is_not_listed(
    tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(history_view, "MOST_REPORTS", 1)
    catalog = loaded(tree(EXAMPLE))
    state, changes = folded(made_up(0, {"a": "passed"}), made_up(14, {"a": "failed"}))
    histories = TestHistories((History(state, tuple(changes)),), catalog)
    newest, older = (
        feed.content for feed in reversed([*feeds(catalog, _NONE, histories, TEMPLATES)][1:])
    )
    assert f'href="../changes/#{histories.episodes[0].anchor}"' in newest
    assert 'href="../test-history/#data"' in older


def test_a_feed_stays_xml_whatever_a_title_has() -> None:
    title = "<b>]]>&amp;\"'\x00\x0b\x1b\ud7ff\ufffe\uffff"
    text = TEMPLATES.render("results/feed.atom.j2", urn="urn:x", title=title, entries=[])
    found = ET.fromstring(text).findtext("{http://www.w3.org/2005/Atom}title")  # noqa: S314 - ours
    assert found == "<b>]]>&amp;\"'\\u0000\\u000b\\u001b\ud7ff\\ufffe\\uffff"
