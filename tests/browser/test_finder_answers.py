"""What the card finder's model answers to queries, whatever the page shows of it."""

from __future__ import annotations

from typing import Any

import pytest

from accelerator_portal.catalog.files.shared_files import ObservedBackend, OtherRuntime
from tests.browser import finder_queries as texts
from tests.browser.finding import HOME, answers
from tests.browser.visit import OpenPage
from tests.built_site import Site


def test_nearly_every_query_has_the_right_first_answer_and_none_a_wrong_one(
    open_page: OpenPage,
) -> None:
    """A platform whose pages list its hardware is no wrong answer: it shows no commands."""
    found = answers(open_page(HOME), *(query for query, *_ in texts.QUERIES))
    missed, wrong = {}, {}
    for (query, first, word, also), given in zip(texts.QUERIES, found, strict=True):
        sure = [answer for answer in given if not answer["guessed"] or word == "*"]
        if is_right(sure, first, word, also):
            continue
        shown = [(answer["platform"], answer["card"], answer["models"]) for answer in given[:3]]
        missed[query[:80]] = shown
        if sure and not (sure[0]["broad"] or is_right(sure, first, word, "")):
            wrong[query[:80]] = shown
    assert wrong == {}
    assert len(missed) <= 0.05 * len(texts.QUERIES), missed


def is_right(sure: list[dict[str, Any]], first: str, word: str, also: str) -> bool:
    if not first or not sure:
        return not first and not sure
    best = sure[0]
    name = " ".join([best["card"], *(best["models"] or best["all"])]).lower()
    named = best["card"] == "" if word == "*" else word in name
    others = {answer["platform"] for answer in sure}
    return (
        best["platform"] in first.split(",")
        and named
        and others.issuperset(also.split(",") if also else ())
    )


def test_names_that_are_not_in_the_list_have_no_answer(open_page: OpenPage) -> None:
    queries = [query for query, _ in texts.NOT_LISTED]
    near = open_page(HOME).evaluate(
        """async (queries) => {
          const { Cards } = await import("../assets/scripts/finder-model.js");
          const cards = new Cards(await (await fetch("../api/v1/hardware.json")).json());
          return queries.map((query) => [
            cards.find(query).length, cards.nearest(query).map(({ name }) => name)
          ]);
        }""",
        queries,
    )
    for (query, name), (count, names) in zip(texts.NOT_LISTED, near, strict=True):
        assert count == 0, query
        assert name in names if name else names == [], query


def test_a_name_that_is_no_platform_leads_to_its_entry(open_page: OpenPage) -> None:
    queries = [query for query, _ in texts.OTHERS]
    found = open_page(HOME).evaluate(
        """async (queries) => {
          const { Cards } = await import("../assets/scripts/finder-model.js");
          const { OtherWays } = await import("../assets/scripts/finder-others.js");
          const read = async (name) => (await fetch(`../api/v1/${name}.json`)).json();
          const cards = new Cards(await read("hardware"));
          const others = new OtherWays(await read("other-backends"), cards.language);
          return queries.map((query) => [
            cards.find(query).filter(({ guessed, page }) => !guessed && !page).length,
            others.find(query).map(({ id }) => id),
          ]);
        }""",
        queries,
    )
    for (query, entry), (count, entries) in zip(texts.OTHERS, found, strict=True):
        assert count == 0, query
        assert entries[:1] == ([entry] if entry else []), query


def test_every_name_of_an_entry_leads_to_it(open_page: OpenPage, site: Site) -> None:
    others = site.catalog.other_backends
    assert others
    entries: list[ObservedBackend | OtherRuntime] = [*others.observed, *others.runtimes]
    names = [(name, entry.id) for entry in entries for name in (entry.name, *entry.search_names)]
    found = open_page(HOME).evaluate(
        """async (names) => {
          const { Cards } = await import("../assets/scripts/finder-model.js");
          const { OtherWays } = await import("../assets/scripts/finder-others.js");
          const read = async (name) => (await fetch(`../api/v1/${name}.json`)).json();
          const cards = new Cards(await read("hardware"));
          const others = new OtherWays(await read("other-backends"), cards.language);
          return names.map((name) => others.find(name).map(({ id }) => id));
        }""",
        [name for name, _ in names],
    )
    assert [name for (name, id_), ids in zip(names, found, strict=True) if id_ not in ids] == []


def test_choices_of_the_selector_are_read_out_of_a_query(open_page: OpenPage) -> None:
    read = open_page(HOME).evaluate(
        """async (queries) => {
          const { Cards } = await import("../assets/scripts/finder-model.js");
          const cards = new Cards(await (await fetch("../api/v1/hardware.json")).json());
          return queries.map((query) => cards.find(query)[0]).map(
            ({ os, arch, method, release }) => ({ os, arch, method, release }));
        }""",
        [query for query, _ in texts.CHOICES],
    )
    for (query, choices), found in zip(texts.CHOICES, read, strict=True):
        assert {name: value for name, value in found.items() if value} == choices, query


@pytest.mark.parametrize(
    ("query", "models"),
    [
        ("GeForce RTX 3090", ["GeForce RTX 3090"]),
        ("RTX 4060 Ti", ["GeForce RTX 4060 Ti"]),
        ("NVIDIA A100-SXM4-80GB", ["A100 80GB"]),
        ("Tesla V100-SXM2-32GB", ["V100 32GB"]),
        ("p3.16xlarge", ["V100 16GB"]),
        ("p3dn.24xlarge", ["V100 32GB"]),
        (texts.PASTES["nvidia-smi"].text, ["GeForce RTX 3090"]),
        ("\uff36\uff11\uff10\uff10 ", ["V100 16GB", "V100 32GB"]),  # as Chinese input types it
    ],
)
def test_the_answer_names_the_models(open_page: OpenPage, query: str, models: list[str]) -> None:
    ((first, *_),) = answers(open_page(HOME), query)
    assert first["models"] == models


def test_a_pasted_driver_version_limits_the_builds(open_page: OpenPage) -> None:
    page = open_page(HOME)
    (pasted,), (typed,) = answers(page, texts.PASTES["nvidia-smi"].text, "driver 535")
    assert (pasted["driver"], typed["driver"]) == ("535.104.05", "535")


@pytest.mark.parametrize("query", ["i7 300", "40", "RTX 40901", "A7701", "630i", "xRX 480x", "00X"])
def test_nothing_matches_inside_a_word_or_a_number(open_page: OpenPage, query: str) -> None:
    (found,) = answers(open_page(HOME), query)
    assert {answer["platform"] for answer in found} <= {"cpu"}


def test_a_number_of_cards_is_no_other_hardware(open_page: OpenPage) -> None:
    queries = (
        "RTX 4090 x2",
        "RTX 5090 D v2",
        "2x RTX 3090",
        "P40 24GB x2",
        "8x TITAN RTX",
        "TITAN Xp ×8",
    )
    for found in answers(open_page(HOME), *queries):
        assert {answer["platform"] for answer in found} == {"cuda"}
        assert len(found) == 1


@pytest.mark.parametrize(
    "text", ["{}", "{} x8", "8x {}", "8x{}", "8 x {}", "{}×8", "{} *8", "{} (x8)"]
)
def test_an_exact_name_has_no_other_vendors_hardware_beside_it(
    open_page: OpenPage, text: str
) -> None:
    names = {"V100": "cuda", "A2": "cuda", "AI 200": "qaic", "MR-V100": "iluvatar"}
    found = answers(open_page(HOME), *map(text.format, names))
    platforms = [[answer["platform"] for answer in given] for given in found]
    assert platforms == [[platform] for platform in names.values()]


def test_a_vendors_own_platform_leads_and_a_retired_one_comes_last(open_page: OpenPage) -> None:
    page = open_page(HOME)
    queries = ("AMD", "NVIDIA", "Intel", "RX 7900 XTX", "M3")
    platforms = [[answer["platform"] for answer in found] for found in answers(page, *queries)]
    assert platforms == [
        ["rocm", "directml"],
        ["cuda", "directml"],
        ["xpu", "gaudi", "directml"],
        ["rocm", "directml"],
        ["mps", "cpu"],
    ]


def test_a_long_text_is_read_fast_and_only_so_far(open_page: OpenPage) -> None:
    page = open_page(HOME)
    texts_to_read = [
        "x" * 200_000,
        "|" * 200_000,
        ("| 0 NVIDIA " * 20_000),
        ("[" * 100_000),
        ("[a" * 50_000),
        ("Name: gfx1100\n" * 20_000),
        (" " * 100_000) + "(UUID",
        "driver " * 30_000,
    ]
    spent = page.evaluate(
        """async (texts) => {
          const { Cards } = await import("../assets/scripts/finder-model.js");
          const cards = new Cards(await (await fetch("../api/v1/hardware.json")).json());
          const start = performance.now();
          texts.forEach((text) => cards.find(text));
          return performance.now() - start;
        }""",
        texts_to_read,
    )
    assert spent < 10_000  # a text takes some 100 ms on an idle machine


def test_every_name_of_every_model_finds_its_generation(open_page: OpenPage, site: Site) -> None:
    names = [
        (platform.id, generation.name, name)
        for platform in site.catalog.platforms
        if platform.accelerator.hardware
        for generation in platform.accelerator.hardware.generations
        for model in generation.models
        for name in (
            model.name,
            *(name.removesuffix(" *").replace("#", "5") for name in model.also or ()),
            *(type_.replace("*", "1") for one in model.instances or () for type_ in one.types),
        )
    ]
    page = open_page(HOME)
    missed = page.evaluate(
        """async (names) => {
          const { Cards } = await import("../assets/scripts/finder-model.js");
          const cards = new Cards(await (await fetch("../api/v1/hardware.json")).json());
          const found = (name) => ["linux", "macos"].flatMap((own) => cards.find(name, () => true, own));
          return names.filter(([platform, generation, name]) => !found(name).some(
            (found) => found.platform.id === platform && found.generation?.name === generation));
        }""",
        names,
    )
    assert len(names) > 500
    assert missed == []


@pytest.mark.parametrize(
    ("query", "platforms"),
    [
        ("M3 NPU", ["mps", "mps", "cpu"]),
        ("Core Ultra CPU and NPU", ["xpu", "cpu"]),
        ("Snapdragon X Elite NPU", ["qaic", "cpu", "directml"]),
        ("Hexagon NPU", ["qaic"]),
        ("Strix Point NPU", ["rocm", "rocm", "cpu"]),
        ("Core Ultra 7 258V NPU", ["xpu", "xpu", "cpu"]),
    ],
)
def test_an_npu_comes_before_the_processor_beside_it(
    open_page: OpenPage, query: str, platforms: list[str]
) -> None:
    (found,) = answers(open_page(HOME), query)
    assert [answer["platform"] for answer in found] == platforms


@pytest.mark.parametrize(
    ("query", "cards"),
    [
        ("Raspberry Pi 5 Hailo-8", ["armv8-2-boards", "hailo-accelerators"]),
        ("Raspberry Pi 5 AI HAT+", ["hailo-accelerators", "armv8-2-boards"]),
    ],
)
def test_a_board_and_its_accelerator_are_both_found(
    open_page: OpenPage, query: str, cards: list[str]
) -> None:
    (found,) = answers(open_page(HOME), query)
    assert [answer["card"] for answer in found] == cards
