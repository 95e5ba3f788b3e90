"""What is no compute platform has pages and data of its own, and no place in the selector."""

from __future__ import annotations

import json

from tests.built_site import Site, attribute

INDEX = "compute-platforms/"


def test_backends_under_observation_stand_apart_from_the_platforms(site: Site) -> None:
    others = site.catalog.other_backends
    assert others
    page = site.pages[INDEX]
    cards = [attribute(link, "href") for link in page.tree.css(".card-name a")]
    assert len(cards) == len(site.catalog.platforms)
    for backend in others.observed:
        assert f"{backend.id}/" not in cards
        row = page.tree.css_first(f"tr[id='{backend.id}']")
        assert row
        assert backend.summary in row.text()
        cited = [attribute(link, "href").removeprefix("#") for link in row.css(".cite a")]
        assert len(cited) == len(backend.source)
        assert all(page.ids.count(anchor) == 1 for anchor in cited)


def test_each_runtime_has_a_sentence_and_a_link(site: Site) -> None:
    others = site.catalog.other_backends
    assert others
    page = site.pages["other-ways/"]
    for runtime in others.runtimes:
        row = page.tree.css_first(f"tr[id='{runtime.id}']")
        assert row
        assert runtime.summary in row.text()
        link = row.css_first(".name a")
        assert link
        assert attribute(link, "href") == runtime.url


def test_the_data_has_both_and_the_selector_none(site: Site) -> None:
    others = site.catalog.other_backends
    assert others
    data = json.loads((site.root / "api/v1/other-backends.json").read_text(encoding="utf-8"))
    ids = {entry["id"] for entry in (*data["observed"], *data["runtimes"])}
    assert ids == {b.id for b in others.observed} | {runtime.id for runtime in others.runtimes}
    assert not {value.id for value in site.selector.axes["platform"]} & ids


def test_openreg_is_explained_and_is_no_platform(site: Site) -> None:
    assert "openreg" not in site.catalog.by_id
    assert "openreg" in site.pages["contribute/"].ids
    assert "is not hardware" in " ".join(site.pages["contribute/"].tree.text().split())
    assert "results don’t describe any hardware" in " ".join(
        site.pages["results/"].tree.text().split()
    )
