"""The page that compares two reports: what it has without a script, and for the script."""

from __future__ import annotations

import json

from accelerator_portal.results.stored_reports import StoredReport, stored_reports
from accelerator_portal.site.pages.reports import ReportChoice, suggestions
from accelerator_reports.comparison import DIFFERENCE_TITLES
from accelerator_reports.outcomes import OUTCOMES
from accelerator_reports.test_ids import SETTINGS
from tests.built_site import Page, Site, attribute
from tests.reports.examples import report


def page_of(site: Site) -> Page:
    return site.pages["results/compare/"]


def test_every_report_can_be_chosen_and_downloaded(site: Site) -> None:
    rows = page_of(site).tree.css("#report-list tbody tr")
    reports = {stored.id: stored.report for stored in stored_reports(site.catalog)[0]}
    assert {attribute(row, "data-report") for row in rows} == set(reports)
    for row in rows:
        id_ = attribute(row, "data-report")
        links = {attribute(a, "href") for a in row.css("a")}
        assert {f"../../api/v1/reports/{id_}.json", f"../../results/runs/{id_}/"} <= links
        words = attribute(row, "data-words")
        found = reports[id_]
        assert found.kind in words
        assert (f"torch {found.environment.torch}" in words) is bool(found.environment.torch)
        assert all(suite.name in words for suite in found.suites)


def test_the_script_has_the_words_of_the_command_line(site: Site) -> None:
    form = page_of(site).one("form[data-reports]")
    words = json.loads(attribute(form, "data-words"))["differences"]
    assert words == {kind: dict(of_pair) for kind, of_pair in DIFFERENCE_TITLES.items()}
    assert list(words) == list(DIFFERENCE_TITLES)
    assert set(attribute(form, "data-settings").split()) == SETTINGS
    signs = page_of(site).tree.css("[data-part=signs] li")
    groups = {attribute(one, "data-outcome"): attribute(one, "data-group") for one in signs}
    assert groups == {outcome: info.group for outcome, info in OUTCOMES.items()}


def test_without_scripts_the_page_names_the_command(site: Site) -> None:
    assert "accelerator-portal report compare" in page_of(site).one("article").text()
    assert page_of(site).tree.css("noscript")


def choice(name: str, day: str, *suites: str, **changes: str) -> ReportChoice:
    kinds = [{"name": suite, "kind": "unit"} for suite in suites]
    made = report(started=f"2026-01-{day}T00:00:00Z", suites=kinds, **changes)
    stored = StoredReport(name, f"{name}.json", made, None)
    return ReportChoice(stored, "Example", None, None, suites)


def test_the_last_two_runs_of_a_suite_are_suggested_once() -> None:
    choices = [
        choice("third", "03", "a", "b"),
        choice("first", "01", "a"),
        choice("second", "02", "a", "b"),
        choice("lonely", "04", "c"),
        choice("expected", "05", "a", kind="baseline"),
        choice("elsewhere", "06", "a", accelerator="other"),
    ]
    found = [(one.stored.id, other.stored.id) for one, other in suggestions(choices)]
    assert found == [("second", "third")]
