"""Every platform's page says its level of evidence and what is missing for higher ones."""

from __future__ import annotations

import dataclasses
import json

from accelerator_portal.site.evidence_level import evidence_level
from accelerator_portal.site.results_view import results
from tests.built_site import Site


def test_the_page_says_what_the_dashboard_says(site: Site) -> None:
    data = json.loads((site.root / "api/v1/quality.json").read_text("utf-8"))
    assert site.catalog.criteria is not None
    titles = {level.id: level.title for level in site.catalog.criteria.levels}
    for platform in data["platforms"]:
        level = site.pages[f"compute-platforms/{platform['id']}/"].one("dl.level")
        said = {row.css("dt")[0].text(): row.css("dd")[0].text() for row in level.css("div")}
        assert said.pop("Level of evidence").startswith(titles[platform["level"]])
        assert {
            f"{name.removeprefix('Missing for “').removesuffix('”')}: {why}"
            for name, reasons in said.items()
            for why in reasons.split("; ")
        } >= {missing for missing in platform["missing"] if ";" not in missing}


def test_the_nearest_level_comes_first(site: Site) -> None:
    assert site.catalog.criteria is not None
    order = [level.id for level in site.catalog.criteria.levels]
    view = results(site.catalog)
    for platform in site.catalog.platforms:
        found = evidence_level(site.catalog, view, platform)
        assert found is not None
        places = [order.index(missing.level.id) for missing in found.missing]
        assert places == sorted(places, reverse=True)
        assert all(place < order.index(found.level.id) for place in places)


def test_without_criteria_there_are_no_levels(example_site: Site) -> None:
    catalog = dataclasses.replace(example_site.catalog, criteria=None)
    view = results(catalog)
    assert evidence_level(catalog, view, catalog.platforms[0]) is None
