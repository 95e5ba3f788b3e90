"""Builds the Hugging Face models of PyTorch's benchmarks, with random weights and no downloads.

A name of the suite `huggingface` is a name of `benchmarks/dynamo/huggingface_models_list.txt` in
PyTorch. Most names are model classes of the library Transformers, in the default configuration of
the class. The number of tokens in a text follows `benchmarks/dynamo/huggingface.py` at 032cbcbb.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import torch

from accelerator_validation.case import Case, Result
from accelerator_validation.matrix import Matrix
from accelerator_validation.plan import Offer
from accelerator_validation.suite_interface import Context
from accelerator_validation.suites.model_comparison import (
    Example,
    parameter_count,
    require_memory,
    run_model,
)
from accelerator_validation.suites.transformers_models import Settings, load_transformers

_CLASSES: Mapping[str, tuple[str, Settings]] = {
    "AllenaiLongformerBase": (
        "LongformerForMaskedLM",
        {"max_position_embeddings": 4098, "vocab_size": 50265, "type_vocab_size": 1},
    ),
    "CamemBert": ("CamembertForMaskedLM", {}),
    "DistillGPT2": ("GPT2LMHeadModel", {"n_layer": 6}),
    "GPT2ForSequenceClassification": ("GPT2ForSequenceClassification", {"pad_token_id": 0}),
    "GPTNeoForSequenceClassification": ("GPTNeoForSequenceClassification", {"pad_token_id": 0}),
    "GoogleFnet": ("FNetForMaskedLM", {}),
    "RobertaForCausalLM": ("RobertaForCausalLM", {"pad_token_id": 0, "is_decoder": True}),
    "RobertaForQuestionAnswering": ("RobertaForQuestionAnswering", {"pad_token_id": 0}),
    "T5Small": ("T5ForConditionalGeneration", {}),
    "YituTechConvBert": ("ConvBertForMaskedLM", {}),
}
"""The class and the changed settings of the names that are no class in its default configuration.

The settings of Longformer are those of its published base model, near the defaults otherwise."""

_TOKENS: Mapping[str, int] = {
    "OPT": 2048,
    "AllenaiLongformerBase": 1024,
    "Bart": 1024,
    "GPT2": 1024,
    "MBart": 1024,
    "PLBart": 1024,
    "T5": 1024,
    "Albert": 512,
    "Bert": 512,
    "Deberta": 512,
    "DistillGPT2": 512,
    "Electra": 512,
    "GoogleFnet": 512,
    "Layout": 512,
    "MegatronBert": 512,
    "XLNet": 512,
    "YituTechConvBert": 512,
    "Roberta": 511,  # PyTorch uses 512, but all of them are padding; the default has 511 positions
    "TrOCR": 256,
}
"""The number of tokens by the beginning of a name."""

_DEFAULT_TOKENS = 128
_FIRST_WORD = 5  # lower ids are special tokens


def offers(matrix: Matrix) -> Iterator[Offer]:
    """Yield a test for each model that the matrix names."""
    return (Offer(name) for name in matrix.tests)


def run(case: Case, context: Context) -> Result:
    """Run a model on the device and on the CPU, and compare the results; see `run_model`.

    Raises SkippedError if the model needs more memory than the machine has available.
    """
    batch = context.matrix.settings["batch"]
    return run_model(case, context, lambda: example(case.name, batch, case["mode"]))


def example(name: str, batch: int, mode: str) -> Example:
    """Return the model `name` of PyTorch's list with `batch` random texts.

    `mode` is `inference` or `training`. Raises BrokenTestError if Transformers cannot be imported,
    and SkippedError if the machine has not enough memory available.
    """
    class_name, settings = _CLASSES.get(name, (name, {}))
    model_class = getattr(load_transformers(), class_name)
    config = model_class.config_class(**settings)
    config.use_cache = False
    with torch.device("meta"):  # a large model is refused before it takes memory
        require_memory(parameter_count(model_class(config)), mode)
    tokens = next((n for start, n in _TOKENS.items() if name.startswith(start)), _DEFAULT_TOKENS)
    words = torch.randint(_FIRST_WORD, config.vocab_size, (batch, tokens))
    inputs = {"input_ids": words}
    if class_name.endswith("ForConditionalGeneration"):
        inputs["decoder_input_ids"] = words
    return Example(model_class(config), inputs)
