"""Every platform's page says its level of evidence and what is missing for higher ones."""

from __future__ import annotations

import dataclasses
import json

import pytest

from accelerator_portal.site.results.results_view import (
    DEMANDS,
    ResultsView,
    evidence_level,
    make_results_view,
)
from tests.built_site import Site
from tests.portal.results.made_up import made_up, stored


def test_the_page_says_what_the_dashboard_says(site: Site) -> None:
    data = json.loads((site.root / "api/v1/quality.json").read_text("utf-8"))
    assert site.catalog.criteria is not None
    titles = {level.id: level.title for level in site.catalog.criteria.levels}
    for platform in data["platforms"]:
        level = site.pages[f"compute-platforms/{platform['id']}/"].one("dl.level")
        assert level.css("dd")[0].text().startswith(titles[platform["level"]])


def test_the_checklist_agrees_with_the_level(site: Site, view: ResultsView) -> None:
    for platform in site.catalog.platforms:
        found = evidence_level(site.catalog, view, platform)
        assert found is not None
        unmet = {result.why for result in found.demands.values() if not result.met}
        assert {why for reasons in found.missing.values() for why in reasons} <= unmet
        items = site.pages[f"compute-platforms/{platform.id}/"].tree.css(".checklist li")
        said = [item.css("a")[0].text() for item in items if "missing" in item.text()]
        assert said == [
            title for demand, (title, _) in DEMANDS.items() if not found.demands[demand].met
        ]


def test_what_is_missing_leads_to_where_it_is_said_how_to_provide_it(site: Site) -> None:
    for _, instructions in DEMANDS.values():
        address, _, anchor = instructions.partition("#")
        assert not anchor or anchor in site.pages[address].ids


def test_without_criteria_there_are_no_levels(example_site: Site) -> None:
    catalog = dataclasses.replace(example_site.catalog, criteria=None)
    view = make_results_view(catalog)
    assert evidence_level(catalog, view, catalog.platforms[0]) is None


@pytest.mark.parametrize(
    ("changed", "line"),
    [
        ({}, "1 of 2 passed, PyTorch 2.0, 2026-03-01"),
        ({"environment": {}}, "1 of 2 passed, 2026-03-01"),
        ({"started": None}, "1 of 2 passed, PyTorch 2.0"),
        ({"kind": "baseline"}, "a baseline, not a run"),
        ({"suites": [{"name": "models", "kind": "speed"}]}, None),
    ],
)
def test_the_newest_runs_in_one_line(changed: dict[str, object], line: str | None) -> None:
    reports = (
        stored("one", made_up(0, {"a": "passed", "b": "failed", "c": "executed"}, **changed)),
    )
    view = ResultsView(reports, {}, {})
    assert view.newest_run_lines().get("example") == line
