"""The pages on hardware, features and the comparison say what the folders say."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import pytest
from selectolax.lexbor import LexborNode

from accelerator_portal.catalog import Catalog
from accelerator_portal.install.hardware_support import runs_on_generation
from accelerator_portal.install.resolution import resolve
from accelerator_portal.install.selector import Selector
from accelerator_portal.site.languages import read_language
from accelerator_portal.site.pages.features import (
    FEATURE_LABELS,
    LEAST_FEATURE_SHARE,
    FeaturesData,
    features_data,
)
from accelerator_portal.site.pages.hardware import cards_by_id, hardware_data
from accelerator_portal.site.results.results_view import ResultsView
from tests.built_site import Page, Site, attribute, grid_cells
from tests.folders import REPOSITORY
from tests.golden import assert_golden
from tests.portal.site.unbuilt import unbuilt

GOLDEN = Path(__file__).parent / "golden"


def words(node: LexborNode) -> str:
    return " ".join(node.text(separator=" ").split())


def rows(page: Page, selector: str) -> list[list[str]]:
    """Every row of a table, head and body, cell by cell."""
    return [[words(cell) for cell in row.css("th, td")] for row in page.tree.css(f"{selector} tr")]


@pytest.mark.parametrize(
    ("address", "selector"),
    [
        ("hardware/", ".all-hardware"),
        ("compute-platforms/acme/", ".hardware"),
        ("compare/", "#grid-compare"),
        ("features/", "#grid-features"),
    ],
    ids=["all-hardware", "hardware", "comparison", "features"],
)
def test_the_table_of_an_example_platform(example_site: Site, address: str, selector: str) -> None:
    found = rows(example_site.pages[address], selector)
    assert_golden(GOLDEN / f"{selector.lstrip('.#')}_acme.json", found)


@pytest.mark.parametrize("language", ["", "zh/"])
def test_no_table_of_hardware_shows_a_pattern(site: Site, language: str) -> None:
    folders = [f"compute-platforms/{platform.id}/" for platform in site.catalog.platforms]
    names = [
        words(node)
        for address in ["hardware/", *folders]
        for node in site.pages[language + address].tree.css(
            ".all-hardware th, .generation th, .generation h3, .generation h3 + p"
        )
    ]
    assert len(names) > 500
    assert [name for name in names if "#" in name or " *" in name] == []


def test_no_list_of_hardware_leaves_a_doubt_out(site: Site) -> None:
    """The line of a family has all that its generations say, and a doubt never has a check mark."""
    marked = [node for page in site.pages.values() for node in page.tree.css(".runs-newest")]
    assert len(marked) > 500
    assert [words(node) for node in marked if "not certain" in words(node)] == []
    for data in hardware_data(site.catalog).platforms:
        tree = site.pages[f"compute-platforms/{data.id}/"].tree
        lines = [words(node) for node in tree.css("h2#hardware ~ ul > li > .fold-note")]
        assert len(lines) >= len(data.families)
        for family, line in zip(data.families, lines, strict=False):
            assert [one.words for one in family.generations if one.words not in line] == []


def test_what_is_translated_of_hardware_is_shown_translated(site: Site) -> None:
    language = read_language(REPOSITORY, "zh")
    for data in hardware_data(site.catalog).platforms:
        tree = site.pages[f"zh/compute-platforms/{data.id}/"].tree
        page = " ".join(map(words, tree.css("body")))
        headings = " ".join(map(words, tree.css(".generation h3")))
        notes = [note for one in data.generations for note in one.notes + one.other_notes]
        assert [n for n in notes if language.is_translated(n) and n in page] == []
        if data.chip in {None, "NeuronCore"}:  # the product's name
            continue
        chips = [f"{data.chip} {one.chip}" for one in data.generations if one.chip]
        assert [chip for chip in chips if chip in headings] == []


def extent(text: str) -> str:
    """The words in a text for how far a feature works; empty if nothing is stated."""
    extents = ("stated to work in part", "stated to work", "stated not to work")
    return next((words for words in extents if words in text), "")


def test_three_pages_say_the_same_of_every_feature(site: Site) -> None:
    said: dict[str, dict[tuple[str, str], str]] = {}
    for (row, column), cell in grid_cells(site.pages["features/"]).items():
        label = attribute(cell.css("a")[0], "aria-label")
        said.setdefault("features/", {})[row, column] = extent(label)
    for (row, column), cell in grid_cells(site.pages["compare/"]).items():
        if row in FEATURE_LABELS:
            label = attribute(cell.css("a")[0], "aria-label")
            said.setdefault("compare/", {})[column, row] = extent(label)
    stated = 0
    for platform in site.catalog.platforms:
        tree = site.pages[f"compute-platforms/{platform.id}/"].tree
        for line in tree.css(".features-list > [id^=feature-]"):
            key = platform.id, attribute(line, "id").removeprefix("feature-")
            mark = line.css_first("dd > .outcome")
            if mark and (here := extent(words(mark))):
                assert [one[key] for one in said.values()] == [here, here], key
                stated += 1
    assert stated > 300


def test_a_generation_says_which_pytorch_runs_on_it(example_site: Site) -> None:
    page = example_site.pages["compute-platforms/acme/"]
    found = [words(part) for part in page.tree.css(".generation > h3, .generation > p")]
    assert found == [
        "Third, Chip a3",
        "PyTorch no published build 1 No published build has code for it yet.",
        "Second, Chip a2",
        "PyTorch 2.3.1 with Acme 2 1 · also called acme_20",
        "First, Chip a1",
        "PyTorch 2.3.0 with Acme 1; no install command for 2.3.1 1 Acme 1: Without graphs.",
    ]
    assert all("open" not in part.attributes for part in page.tree.css("details.fold"))


def test_every_model_of_every_platform_is_on_the_page_of_hardware(site: Site) -> None:
    shown = site.pages["hardware/"].tree.css(".card-row")
    stated = [
        (platform.id, model.name)
        for platform in site.catalog.platforms
        if platform.accelerator.hardware
        for generation in platform.accelerator.hardware.generations
        for model in generation.models
    ]
    assert stated
    # The CPU stands last: most readers of the table look for an accelerator.
    assert [
        (attribute(row, "data-platform"), row.css("th")[0].text(deep=False).strip())
        for row in shown
    ] == sorted(stated, key=lambda card: card[0] == "cpu")


def test_links_to_the_selector_lead_to_the_builds_that_are_named(
    catalog: Catalog, selector: Selector
) -> None:
    """The card's limit alone leads to the release and the variant that the page names."""
    checked = 0
    for platform in hardware_data(catalog).platforms:
        cards = cards_by_id(catalog.by_id[platform.id])
        for card, shown in zip(cards, platform.generations, strict=True):
            if not shown.install:
                continue
            asked = dict(parse_qsl(urlsplit(shown.install).query))
            assert (asked.pop("card"), asked["platform"]) == (card, platform.id)
            machines = [
                {"os": os.id, "arch": arch.id, **asked}
                for os, arch in product(selector.axes["os"], selector.axes["arch"])
            ]
            resolutions = [
                resolve(
                    selector,
                    machine,
                    lambda row, g=cards[card]: runs_on_generation(catalog, g, row),  # type: ignore[misc]
                )
                for machine in machines
            ]
            rows = [one.row for one in resolutions if one.row]
            ended = {one.version for one in selector.ended if platform.id in one.platforms}
            if not rows and shown.newest in ended:  # the selector shows it without a row
                continue
            builds = {row.build for row in rows}
            assert (shown.newest or "preview") in builds, shown.install
            assert not shown.variants or {row.variant for row in rows} & {*shown.variants}
            checked += 1
    assert checked > 50


def test_the_table_of_features_waits_until_enough_is_sourced(site: Site, view: ResultsView) -> None:
    data = features_data(unbuilt(site.catalog, results=view))
    page = site.pages["features/"]
    assert f"{data.sourced} of {data.cells} cells" in words(page.one("article"))
    assert bool(page.tree.css("#grid-features")) == data.enough


def test_enough_is_a_share_of_all_cells() -> None:
    def share(sourced: int) -> FeaturesData:
        return FeaturesData(labels={}, cells=90, sourced=sourced, platforms=())

    assert not share(26).enough
    assert share(27).enough
    assert share(27).share == LEAST_FEATURE_SHARE
    assert FeaturesData(labels={}, cells=0, sourced=0, platforms=()).share == 0


def test_the_files_for_machines_hold_the_same(site: Site, view: ResultsView) -> None:
    for name, data in (
        ("hardware", hardware_data(site.catalog)),
        ("features", features_data(unbuilt(site.catalog, results=view))),
    ):
        text = (site.root / f"api/v1/{name}.json").read_text("utf-8")
        assert type(data).model_validate_json(text) == data
        assert json.loads(text) == data.model_dump(mode="json", by_alias=True, exclude_none=True)
