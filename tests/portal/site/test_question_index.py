from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from accelerator_portal.catalog import Catalog, load_catalog
from accelerator_portal.site.pages.questions import (
    MOST_WORD_CHARACTERS,
    PageQuestion,
    QuestionIndex,
    platform_questions,
    question_index,
    search_terms,
    shared_questions,
)
from accelerator_portal.site.vendor_text import SourceList
from tests.built_site import Site
from tests.folders import EXAMPLE, FAQ, SOURCES, Tree

MESSAGES = Path(__file__).parent / "error_messages.yaml"


def every_question(catalog: Catalog) -> list[PageQuestion]:
    return [
        *shared_questions(catalog),
        *(
            question
            for platform in catalog.platforms
            for question in platform_questions(
                catalog, platform, SourceList(platform.sourced_files())
            )
        ),
    ]


@pytest.fixture(scope="module")
def index(site: Site) -> QuestionIndex:
    return question_index(every_question(site.catalog), site.catalog.platforms)


@pytest.fixture(scope="module")
def messages() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = yaml.safe_load(MESSAGES.read_text("utf-8"))
    return found


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("libcudart.so.12", ["libcudart"]),
        ("torch_npu", ["torch_npu", "torch", "npu"]),
        ("aten::foo_bar", ["aten::foo_bar", "aten", "foo", "bar"]),
        ("NeuronCores", ["neuroncore"]),
        ("status bus class", ["status", "bus", "status bus", "class", "bus class"]),
        ("error code is 507001, 12", ["error", "code", "error code", "507001", "code 507001"]),
        ("out of the NPU", ["npu"]),
        ("\uff2e\uff30\uff35", ["npu"]),
        ("x" * (MOST_WORD_CHARACTERS + 1), []),
        ("__ _ ::", []),
    ],
)
def test_the_words_that_count(text: str, expected: list[str]) -> None:
    assert list(search_terms(text)) == expected


def test_rare_words_and_titles_count_more(index: QuestionIndex) -> None:
    weights = {
        term: {index.questions[place]: weight for place, weight in found}
        for term, found in index.terms.items()
    }
    answer = "cuda/faq-why-is-libcudart-so-not-found"
    assert weights["libcudart"][answer] > 2 * weights["cuda"][answer]
    assert weights["cuda memory"].keys() == {"cuda/faq-what-can-i-do-about-cuda-out-of-memory"}


def test_who_prints_the_name_of_another_platform(index: QuestionIndex) -> None:
    # Sophgo and Google use the device tpu and the module torch_tpu, so torch_tpu names both.
    assert index.same_device.keys() == {"cuda"}
    assert {"rocm", "hygon", "metax"} <= {*index.same_device["cuda"]}
    assert "cuda" not in index.same_device["cuda"]


def test_a_message_is_declared_for_the_device_of_every_plugin(
    index: QuestionIndex, site: Site
) -> None:
    declared = {message for _, message in index.messages}
    devices = {p.accelerator.device.value for p in site.catalog.platforms}
    missing = {d for d in devices if f"device type at start of device string: {d}" not in declared}
    assert missing == {"cpu", "cuda", "mps", "xpu"}


def test_the_index_names_every_question_of_the_page(site: Site) -> None:
    index = json.loads((site.root / "api/v1/questions.json").read_text("utf-8"))
    boxes = site.pages["questions/"].tree.css("details.question")
    assert index["questions"] == [box.attributes["data-question"] for box in boxes]
    places = {place for found in index["terms"].values() for place, _ in found}
    assert places == set(range(len(boxes)))


def test_an_index_of_nothing_is_empty() -> None:
    assert question_index([], []) == QuestionIndex(
        questions=[], titles=[], names={}, same_device={}, terms={}, messages=[]
    )


def test_a_question_without_search_terms_has_none(tree: Tree) -> None:
    faq = f"---\n{SOURCES}---\n\n## Why?\n\nNo [@made-up].\n"
    catalog, _ = load_catalog(tree({**EXAMPLE, FAQ: faq}))
    assert catalog
    own = [question for question in every_question(catalog) if question.title == "Why?"]
    found = question_index(own, catalog.platforms)
    assert (found.titles, found.terms) == (["Why?"], {})


def test_every_message_has_a_thread_and_an_answer_of_its_platform(
    messages: list[dict[str, Any]], site: Site
) -> None:
    titles = {(q.group, q.title) for q in every_question(site.catalog)}
    assert len(messages) >= 400
    assert sum(message["question"] is None for message in messages) >= 140
    for message in messages:
        if message["question"]:
            assert (message["platform"], message["question"]) in titles
        assert message["thread"].startswith("https://github.com/")
    assert len({message["message"] for message in messages}) == len(messages)
