"""The page of stale facts beside its data, on the invented platform."""

from __future__ import annotations

import datetime as dt
import json

from accelerator_portal.catalog.catalog import TRUST_LEVELS
from accelerator_portal.site.pages.stale_facts import source_ages
from tests.built_site import Site
from tests.folders import EXAMPLE, Tree, loaded

DAY = dt.date(2026, 4, 2)


def test_ages_are_counted_to_the_given_day(tree: Tree) -> None:
    catalog = loaded(tree(EXAMPLE))
    fresh, stale = (source_ages(catalog, day) for day in (DAY, DAY + dt.timedelta(days=1)))
    assert fresh.stale == ()
    assert [owner.stale_after for owner in fresh.owners] == [DAY, DAY]
    assert len(stale.stale) == sum(owner.facts for owner in stale.owners)
    assert stale.stale[0].addresses == ("https://example.org/made-up",)
    assert sum(stale.trust.values()) == len(stale.stale)


def test_the_page_has_each_owner_and_each_level(site: Site) -> None:
    page = site.pages["contribute/stale-facts/"].tree
    data = json.loads((site.root / "api/v1/stale-facts.json").read_text(encoding="utf-8"))
    table = page.css_first("[aria-label='Facts by owner'] tbody")
    assert table
    assert len(table.css("tr")) == len(data["owners"])
    body = page.body
    assert body
    text = body.text()
    for platform in site.catalog.platforms:
        assert platform.accelerator.name in text
    for words in TRUST_LEVELS.values():
        assert words in text
    assert f"Data as of {data['as_of']}" in " ".join(text.split())


def test_a_platform_s_sources_show_their_level(site: Site) -> None:
    platform = site.catalog.platforms[0]
    entries = site.pages[f"compute-platforms/{platform.id}/"].tree.css("ol.sources li")
    levels = [note.text() for entry in entries for note in entry.css(".note")]
    assert len(levels) == len(entries) > 0
    assert set(levels) <= set(TRUST_LEVELS.values())
