"""The card finder: what readers type, paste and mistype."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import quote

import pytest
from playwright.sync_api import Page

from tests.browser.visit import expect, search
from tests.built_site import Site

OpenPage = Callable[..., Page]

HARDWARE = "hardware/"

# What a reader types, the platform that answers, and a word of the answer.
QUERIES = [
    ("V100", "CUDA", "V100 16GB"),
    ("v100", "CUDA", "7.0"),
    ("sm_70", "CUDA", "Volta"),
    ("7.0", "CUDA", "Volta"),
    ("compute capability 7.0", "CUDA", "Volta"),
    ("Tesla V100-SXM2-32GB", "CUDA", "V100 32GB"),
    ("NVIDIA GeForce RTX 3090 Ti", "CUDA", "GeForce RTX 3090 Ti"),
    ("VGA controller: NVIDIA Corporation GA102 [GeForce RTX 3090] (rev a1)", "CUDA", "RTX 3090"),
    ("rtx4090", "CUDA", "GeForce RTX 4090"),
    ("4090", "CUDA", "GeForce RTX 4090"),
    ("gfx1030", "ROCm", "Radeon RX 6900 XT"),
    ("gfx90a:sramecc+:xnack-", "ROCm", "MI250X"),
    ("MI300X", "ROCm", "Instinct MI300X"),
    ("310P", "Ascend NPU", "Atlas 300I Pro"),
    ("Arc A770", "XPU", "Arc A770"),
    ("Intel(R) Arc(TM) A770 Graphics", "XPU", "Arc A770"),
    ("trn2", "AWS Neuron", "Trainium2"),
    ("trn2.48xlarge", "AWS Neuron", "Trainium2"),
    ("Apple M1 Pro", "MPS", "M1 Pro"),
    ("MTT S4000", "MUSA", "MTT S4000"),
    ("  \uff36\uff11\uff10\uff10  ", "CUDA", "V100 16GB"),  # as Chinese input types it
]  # fmt: skip


def anew(page: Page) -> None:
    """Take the question back, so that no earlier answer can stand for the next one."""
    page.locator("#card").fill("")
    expect(page.locator(".answer")).to_have_count(0)
    expect(page.locator("#card-status")).to_have_text("")


def ask(page: Page, query: str) -> None:
    page.locator("#card").fill(query)
    expect(page.locator("#card-status")).not_to_have_text("")


def test_every_card_is_found(open_page: OpenPage) -> None:
    page = open_page(HARDWARE)
    for query, platform, word in QUERIES:
        anew(page)
        ask(page, query)
        first = page.locator(".answer").first
        expect(first.locator(".answer-what")).to_contain_text(f"{platform}: ")
        expect(first).to_contain_text(word)
        expect(first.locator(".answer-runs")).to_contain_text("Newest PyTorch: ")


@pytest.mark.parametrize("query", [QUERIES[0][0], QUERIES[-1][0]])
def test_a_card_in_the_address_is_found(open_page: OpenPage, query: str) -> None:
    page = open_page(f"{HARDWARE}?card={quote(query)}")
    expect(page.locator(".answer").first).to_contain_text("V100 16GB")


def test_the_answer_sets_the_selector(open_page: OpenPage) -> None:
    page = open_page(f"{HARDWARE}?card=V100")
    page.locator(".answer a", has_text="Commands for it").click()
    expect(page.locator("input[name=platform]:checked")).to_have_value("cuda")
    expect(page.locator("input[name=variant]:checked")).to_have_value("cu126")
    expect(page.locator("[data-part=commands]")).to_contain_text("cu126")


def test_the_answer_leads_to_its_row_on_the_platforms_page(open_page: OpenPage) -> None:
    page = open_page(f"{HARDWARE}?card=gfx1030")
    page.locator(".answer a", has_text="on the page of ROCm").click()
    generation = page.locator(".generation[open]:has(:target)")
    expect(generation).to_be_in_viewport()
    expect(generation).to_contain_text("gfx1030")


NONSENSE = [
    "nothing of the kind",
    "<img src=x onerror=alert(1)>",
    "'\"><script>alert(1)</script>",
    "../../etc/passwd",
    "x" * 5000,
    "((((((((((abc+)+)+)+)+)+)+$",
    "%00%ff",
    "__proto__",
]


def test_what_matches_nothing_is_said_as_it_was_typed(open_page: OpenPage) -> None:
    page = open_page(HARDWARE)
    for query in NONSENSE:
        anew(page)
        ask(page, query)
        expect(page.locator("#card-status")).to_contain_text(f"“{query[:120]}”")
        expect(page.locator(".answer")).to_have_count(0)
        expect(page.locator(".finder-answers a")).to_have_count(2)
        assert page.locator(".finder img, .finder script").count() == 0


def test_too_little_is_asked_to_be_more(open_page: OpenPage) -> None:
    page = open_page(HARDWARE)
    for query in ("a", "8", "🦙", "((((", "-"):
        anew(page)
        ask(page, query)
        expect(page.locator("#card-status")).to_have_text("Type at least two letters or digits.")
        expect(page.locator(".finder-answers > *")).to_have_count(0)


def test_a_query_that_names_several_says_how_many(open_page: OpenPage) -> None:
    page = open_page(HARDWARE)
    ask(page, "rtx")
    expect(page.locator("#card-status")).to_contain_text("entries fit")
    assert 1 < page.locator(".answer").count() <= 6
    ask(page, "nvidia")
    expect(page.locator("#card-status")).to_contain_text("The first 6 are shown")


def test_the_question_stays_in_the_address(open_page: OpenPage) -> None:
    page = open_page(HARDWARE)
    ask(page, "A100 & co")
    assert page.url.endswith("?card=A100%20%26%20co")
    page.locator("#card").fill("")
    expect(page.locator(".answer")).to_have_count(0)
    assert page.url.endswith(HARDWARE)


def test_enter_asks_and_does_not_leave_the_page(open_page: OpenPage) -> None:
    page = open_page("")
    page.locator("#card").fill("MI300X")
    page.keyboard.press("Enter")
    expect(page.locator(".answer").first).to_contain_text("Instinct MI300X")
    assert "card=" not in page.url


def test_when_the_data_cannot_be_read_it_says_so_and_tries_again(open_page: OpenPage) -> None:
    page = open_page(HARDWARE)
    page.route("**/hardware.json", lambda route: route.fulfill(status=200, body="{"))
    page.locator("#card").fill("V10")
    expect(page.locator("#card-status")).to_contain_text("could not be read")
    page.unroute("**/hardware.json")
    page.locator("#card").fill("V100")
    expect(page.locator(".answer")).to_have_count(1)


def test_without_scripts_the_question_leads_to_the_table(open_page: OpenPage) -> None:
    page = open_page("", java_script_enabled=False)
    page.locator("#card").fill("V100")
    page.locator(".finder button").click()
    row = page.locator(".all-hardware tr", has_text="V100 16GB")
    expect(row).to_be_visible()
    expect(row.locator(".runs a")).to_have_attribute(
        "href", "../get-started/?platform=cuda&build=2.14.1&variant=cu126&arch=x86_64"
    )


def test_every_name_of_every_model_finds_its_generation(open_page: OpenPage, site: Site) -> None:
    names = [
        (platform.accelerator.name, generation.name, name)
        for platform in site.catalog.platforms
        if platform.accelerator.hardware
        for generation in platform.accelerator.hardware.generations
        for model in generation.models
        for name in (model.name, *(model.also or ()))
    ]
    page = open_page(HARDWARE)
    missed = page.evaluate(
        """async (names) => {
          const { Cards } = await import("../assets/scripts/finder-model.js");
          const cards = new Cards(await (await fetch("../api/v1/hardware.json")).json());
          return names.filter(([platform, generation, name]) => !cards.find(name).some(
            (found) => found.platform.name === platform && found.generation.name === generation));
        }""",
        names,
    )
    assert len(names) > 500
    assert missed == []


def test_the_sites_search_leads_to_the_platform(open_page: OpenPage) -> None:
    page = open_page("")
    search(page, "gfx1030")
    results = page.locator(".md-search-result__link")
    expect(results.filter(has_text="ROCm").first).to_be_visible()
    expect(page.locator(".md-search-result__list")).to_contain_text("Hardware")
