"""The page of changes lists the newest weeks, and says how much it leaves out."""

from __future__ import annotations

import datetime as dt
import xml.etree.ElementTree as ET

import pytest
from selectolax.lexbor import LexborHTMLParser

from accelerator_portal.results.history import HistoryPoint
from accelerator_portal.site.pages import feed, history
from accelerator_portal.site.results import history_view
from accelerator_portal.site.results.history_view import (
    MOST_CHANGES_OF_A_REPORT,
    MOST_REPORTS,
    ChangedReport,
    ResultChange,
    TestHistories,
    Week,
    listed_anchors,
    listed_weeks,
)
from accelerator_portal.site.results.results_view import ResultsView
from accelerator_portal.site.templates import TEMPLATES_FOLDER, Templates
from accelerator_reports.outcomes import Outcome
from accelerator_reports.report import Environment, Trigger
from tests.folders import EXAMPLE, REPOSITORY, Tree, loaded
from tests.portal.results.made_up import START, history_of, made_up
from tests.portal.site.unbuilt import rendered, unbuilt

_NONE = ResultsView((), {}, {})
TEMPLATES = Templates(REPOSITORY / TEMPLATES_FOLDER)
MONDAY = dt.date(2026, 3, 2)


def week(age: int, reports: int, steps: int) -> Week:
    start = MONDAY - dt.timedelta(weeks=age)
    at = dt.datetime.combine(start, dt.time(), dt.timezone.utc)
    step = ResultChange("models", "x", "changed", "passed", "failed", "", 1)
    points = [
        HistoryPoint(f"{age}-{n}", at, "self-reported", Trigger(kind="nightly"), Environment())
        for n in range(reports)
    ]
    return Week(start, tuple(ChangedReport("acme", "runs", p, (step,) * steps, {}) for p in points))


def test_weeks_that_fit_are_all_listed() -> None:
    weeks = [week(age, 3, 7) for age in range(10)]
    assert listed_weeks(weeks) == weeks
    assert len(listed_anchors(weeks)) == 30


def test_a_year_of_many_platforms_lists_the_newest_weeks_whole() -> None:
    weeks = [week(age, 150, 1) for age in range(52)]
    assert listed_weeks(weeks) == weeks[: MOST_REPORTS // 150]
    assert len(listed_anchors(weeks)) == MOST_REPORTS // 150 * 150


def test_the_newest_week_is_listed_however_many_reports_it_has() -> None:
    weeks = [week(0, MOST_REPORTS + 1, 200), week(1, 1, 1)]
    assert listed_weeks(weeks) == weeks[:1]


def test_a_report_with_many_changes_lists_regressions_first_and_says_how_many_are_left_out(
    tree: Tree,
) -> None:
    names = [f"{number:03}" for number in range(MOST_CHANGES_OF_A_REPORT + 5)]
    passed: Outcome = "passed"
    failed: Outcome = "failed"
    found = history_of(
        made_up(0, {name: passed if name == names[-1] else failed for name in names}),
        made_up(1, {name: failed if name == names[-1] else passed for name in names}),
    )
    catalog = loaded(tree(EXAMPLE))
    site = unbuilt(
        catalog, results=_NONE, histories=TestHistories((found,), catalog), data_time=START
    )
    page = rendered(site, history.pages(site))["results/changes.md"]
    newest = LexborHTMLParser(page.content).css_first(".episode")
    assert newest is not None
    kinds = [item.attributes["data-kind"] for item in newest.css("li")]
    assert kinds == ["regressed", *["fixed"] * (MOST_CHANGES_OF_A_REPORT - 1)]
    assert "5 more changes of Example" in newest.text()


def test_feeds_link_to_no_report_that_is_not_listed(
    tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(history_view, "MOST_REPORTS", 1)
    catalog = loaded(tree(EXAMPLE))
    found = history_of(made_up(0, {"a": "passed"}), made_up(14, {"a": "failed"}))
    histories = TestHistories((found,), catalog)
    site = unbuilt(catalog, results=_NONE, histories=histories)
    newest, older = (file.content for file in reversed([*feed.data(site)][1:]))
    assert f'href="../changes/#{histories.reports[0].anchor}"' in newest
    assert 'href="../test-history/#data"' in older


def test_a_feed_stays_xml_whatever_a_title_has() -> None:
    title = "<b>]]>&amp;\"'\x00\x0b\x1b\ud7ff\ufffe\uffff"
    text = TEMPLATES.render("results/feed.atom.j2", urn="urn:x", title=title, entries=[])
    found = ET.fromstring(text).findtext("{http://www.w3.org/2005/Atom}title")  # noqa: S314 - ours
    assert found == "<b>]]>&amp;\"'\\u0000\\u000b\\u001b\ud7ff\\ufffe\\uffff"
