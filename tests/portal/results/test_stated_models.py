"""Statements are matched with families by the names of models, and are no results."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace

import pytest

from accelerator_portal.catalog.files.shared_files import ModelFamily, ModelList, StatedModel
from accelerator_portal.results.result_matrices import Statement, statements_of_family
from accelerator_reports.files.sources import Source

READ = dt.date(2026, 1, 31)


def statement(*models: StatedModel) -> Statement:
    listed = ModelList(source=("list",), by="Acme", software="acme", headings=("M",), name="Model")
    source = Source(url="https://acme.example/list", title="Acme, models", read=READ)
    return Statement("acme", listed, source, models)


@pytest.mark.parametrize(
    ("pattern", "name"),
    [
        ("*/*llama*", "LLaMA(2/3/3.1)"),
        ("*/phi_*", "Phi-3 / Phi-4"),
        ("*/*stable_diffusion*", "Stable Diffusion XL"),
        ("*/*fasterrcnn*", "Faster R-CNN"),
        ("*/bert*", "google/BERT-large"),
        ("*/gemma*", "Baichuan2 \N{MIDDLE DOT} Gemma"),
        ("*/*deepseek*", "DeepSeek-V3/R1"),
    ],
)
def test_names_match_as_documents_write_them(pattern: str, name: str) -> None:
    family = ModelFamily(id="family", title="Family", names=(pattern,))
    other = StatedModel(name="another")
    (found,) = statements_of_family([statement(StatedModel(name=name), other)], family)
    assert found.models == (StatedModel(name=name),)


def test_owners_examples_and_patterns_of_a_suite_do_not_match() -> None:
    family = ModelFamily(id="mistral", title="Mistral", names=("*/*mistral*", "torchbench/*"))
    owned = StatedModel(name="mistralai/Pixtral-12B")
    example = StatedModel(name="LLaVA-NeXT", examples="llava-hf/llava-v1.6-mistral-7b-hf")
    assert list(statements_of_family([statement(owned, example)], family)) == []


def test_the_words_say_who_states_it_and_when() -> None:
    found = statement(StatedModel(name="Llama"))
    assert found.words == "stated by Acme, read on 2026-01-31"
    dated = replace(found, source=found.source.model_copy(update={"as_of": READ}))
    assert dated.words == "stated by Acme, 2026-01-31"
