"""Which tests belong to a family of models."""

from __future__ import annotations

import pytest

from accelerator_portal.catalog.files.shared_files import ModelFamily, model_suites
from tests.portal.catalog.suites import suite


@pytest.mark.parametrize(
    ("pattern", "test", "fits"),
    [
        ("*/*llama*", "torchbench/llama_v2_7b", True),
        ("*/*llama*", "small-transformers/LlamaForCausalLM", True),
        ("*/*llama*", "huggingface/meta-llama/Llama-3.2-1B", True),
        ("*/*llama*", "torchbench/llava", False),
        ("torchbench/SAM", "torchbench/sam", True),
        ("torchbench/sam", "torchbench/sam_fast", False),
        ("torchbench/sam", "other/sam", False),
        ("*/phi[0-9]*", "a/Phi3ForCausalLM", True),
        ("*/phi[0-9]*", "a/phlippe_resnet", False),
    ],
)
def test_a_pattern_takes_a_suite_and_a_name(pattern: str, test: str, *, fits: bool) -> None:
    family = ModelFamily(id="a", title="A", names=("none/none", pattern))
    own_suite, _, name = test.partition("/")
    assert family.has(own_suite, name) is fits


def test_only_suites_of_models_have_models() -> None:
    suites = {"a": suite("model"), "b": suite("operator")}
    assert list(model_suites(suites)) == ["a"]
