"""Runs the suite `executorch-models`: models with random weights on an ExecuTorch backend.

The models are a selection from the suites for plain PyTorch, with the same names. Some models also
run with every default recipe of the matrix, with a dynamic batch size, or with two threads. The
models of ExecuTorch's own suite run on request.
"""

from __future__ import annotations

import ast
import importlib
import importlib.util
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import nn

from accelerator_validation.case import BrokenTestError, Case, Result, SkippedError
from accelerator_validation.executorch.registry import find_flows
from accelerator_validation.matrix import Matrix, plain_recipes
from accelerator_validation.plan import Offer
from accelerator_validation.suite_interface import Context
from accelerator_validation.suites import timm_models, transformers_models, weak_spots
from accelerator_validation.suites.executorch.lowering import Sample
from accelerator_validation.suites.executorch.model_test import run_model_test
from accelerator_validation.suites.executorch.operators import RecordingRunner
from accelerator_validation.suites.model_comparison import Example, float_tensors

_LARGEST_BATCH = 4

# The data type in which a model is created; its recipe may change it.
_DTYPE_PARAMETERS = {"dtype": "float32"}
_DYNAMIC_PARAMETERS = {**_DTYPE_PARAMETERS, "dynamic": "true"}

# The package of ExecuTorch's own model tests, and what marks some of them in its source code.
PACKAGE = "executorch.backends.test.suite.models"
_DYNAMIC_MARKS = ("PARAMETERIZE_DYNAMIC_SHAPES", "[False, True]")
_SKIP_MARK = "unittest.skip"


@dataclass(frozen=True)
class SuiteModel:
    """A model of the suite, and the tests that run with it by default.

    `example` builds the model from its name.
    """

    example: Callable[[str], Example]
    recipes: bool = False
    """Whether the model runs with every default recipe of the matrix. If false, it runs only with
    those for which `Recipe.is_plain` is true."""
    dynamic: bool = False
    """Whether the model is also tested with a dynamic batch size."""
    threads: bool = False
    """Whether the model is also tested with two threads."""


_HUGGING_FACE = transformers_models.example

MODELS: Mapping[str, SuiteModel] = {
    "AlbertForMaskedLM": SuiteModel(_HUGGING_FACE),
    "BartForConditionalGeneration": SuiteModel(_HUGGING_FACE),
    "BertForSequenceClassification": SuiteModel(_HUGGING_FACE, recipes=True, dynamic=True),
    "ConvNextForImageClassification": SuiteModel(_HUGGING_FACE, recipes=True, dynamic=True),
    "DeiTForImageClassification": SuiteModel(_HUGGING_FACE),
    "Dinov2ForImageClassification": SuiteModel(_HUGGING_FACE),
    "DistilBertForMaskedLM": SuiteModel(_HUGGING_FACE, dynamic=True),
    "ElectraForPreTraining": SuiteModel(_HUGGING_FACE),
    "GPT2LMHeadModel": SuiteModel(_HUGGING_FACE),
    "GemmaForCausalLM": SuiteModel(_HUGGING_FACE),
    "LlamaForCausalLM": SuiteModel(_HUGGING_FACE, recipes=True),
    "MambaForCausalLM": SuiteModel(_HUGGING_FACE),
    "OPTForCausalLM": SuiteModel(_HUGGING_FACE),
    "Qwen3ForCausalLM": SuiteModel(_HUGGING_FACE),
    "ResNetForImageClassification": SuiteModel(
        _HUGGING_FACE, recipes=True, dynamic=True, threads=True
    ),
    "RobertaForMaskedLM": SuiteModel(_HUGGING_FACE),
    "SegformerForSemanticSegmentation": SuiteModel(_HUGGING_FACE),
    "SwinForImageClassification": SuiteModel(_HUGGING_FACE),
    "T5ForConditionalGeneration": SuiteModel(_HUGGING_FACE),
    "ViTForImageClassification": SuiteModel(_HUGGING_FACE, threads=True),
    "Wav2Vec2ForCTC": SuiteModel(_HUGGING_FACE),
    "WhisperForConditionalGeneration": SuiteModel(_HUGGING_FACE),
    "test_efficientnet": SuiteModel(timm_models.example),
    "test_resnet": SuiteModel(timm_models.example),
    "causal-mask": SuiteModel(weak_spots.example),
    "grouped-convolutions": SuiteModel(weak_spots.example),
    "lstm": SuiteModel(weak_spots.example),
    "shared-input": SuiteModel(weak_spots.example, recipes=True),
    "strided-views": SuiteModel(weak_spots.example),
}


def offers(matrix: Matrix) -> Iterator[Offer]:
    """Yield the tests of each model in `MODELS`, then the tests of ExecuTorch's own suite.

    Each model in `MODELS` has tests with all recipes. Some models also have tests with a dynamic
    batch size or with two threads. The tests of ExecuTorch's own suite run only on request.
    """
    recipes = frozenset(matrix.axes["recipe"])
    plain_names = recipes & plain_recipes(matrix)
    plain_axes, other_axes = {"recipe": plain_names}, {"recipe": recipes - plain_names}
    for name, model in MODELS.items():
        yield Offer(name, plain_axes, _DTYPE_PARAMETERS)
        yield Offer(name, other_axes, _DTYPE_PARAMETERS, usual=model.recipes)
        if model.dynamic:
            yield Offer(name, plain_axes, _DYNAMIC_PARAMETERS)
            yield Offer(name, other_axes, _DYNAMIC_PARAMETERS, usual=False)
        if model.threads:
            yield Offer(name, plain_axes, {**_DTYPE_PARAMETERS, "threads": "2"})
    for upstream_model in upstream_models():
        yield Offer(upstream_model.name, parameters=_DTYPE_PARAMETERS, usual=False)
        if upstream_model.dynamic:
            yield Offer(upstream_model.name, parameters=_DYNAMIC_PARAMETERS, usual=False)


def run(case: Case, context: Context) -> Result:
    """Lower a model, run it, and compare the results."""
    dynamic = dict(case.parameters).get("dynamic") == "true"
    quantize = find_flows(context.backend)[case["recipe"]].recipe.quantizer is not None

    def make_sample() -> Sample:
        if case.name in MODELS:
            return _model_sample(MODELS[case.name].example(case.name), dynamic=dynamic)
        return upstream_sample(case.name, dynamic=dynamic, quantize=quantize)

    return run_model_test(case, context, make_sample)


class _PositionalModel(nn.Module):
    """A wrapper that takes all inputs by position, and passes the last ones to a model by name.

    `names` are the names of these inputs. The wrapper returns only the floating-point tensors of
    the model's output.
    """

    def __init__(self, model: Any, names: tuple[str, ...]) -> None:
        super().__init__()
        self.model, self.names = model, names

    def forward(self, *inputs: Any) -> tuple[torch.Tensor, ...]:
        unnamed = len(inputs) - len(self.names)
        named_inputs = dict(zip(self.names, inputs[unnamed:], strict=True))
        return tuple(float_tensors(self.model(*inputs[:unnamed], **named_inputs)))


def _model_sample(example: Example, *, dynamic: bool) -> Sample:
    model = example.model.eval()
    if hasattr(model, "config"):
        model.config.use_cache = False  # a decoder's cache for the next word is not a result
    inputs = (*example.args, *example.inputs.values())
    positional_model = _PositionalModel(model, tuple(example.inputs))
    if not dynamic:
        return Sample(positional_model, inputs)
    batch = torch.export.Dim("batch", min=1, max=_LARGEST_BATCH)
    longer_inputs = tuple(torch.cat([value, value[:1]]) for value in inputs)
    return Sample(positional_model, inputs, (tuple({0: batch} for _ in inputs),), longer_inputs)


@dataclass(frozen=True)
class UpstreamModel:
    """A model test of ExecuTorch's own suite: the function `name` in the Python module `module`.

    If `dynamic` is true, it also runs with dynamic sizes.
    """

    name: str
    module: str
    dynamic: bool
    left_out: bool
    """Whether ExecuTorch skips the test."""


def upstream_models() -> Iterator[UpstreamModel]:
    """Yield the model tests of ExecuTorch's own suite, found in its source code.

    The tests are not imported, because they need torchvision and torchaudio, which may be missing.
    Yield nothing if ExecuTorch's package lacks the suite, or if the suite cannot be imported.
    """
    try:
        spec = importlib.util.find_spec(PACKAGE)
    except ImportError:
        return
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        for file in sorted(Path(folder).glob("test_*.py")):
            for node in ast.parse(file.read_text("utf-8")).body:
                if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                    marks = " ".join(map(ast.unparse, node.decorator_list))
                    dynamic = any(mark in marks for mark in _DYNAMIC_MARKS)
                    yield UpstreamModel(node.name, file.stem, dynamic, _SKIP_MARK in marks)


def upstream_sample(name: str, *, dynamic: bool, quantize: bool) -> Sample:
    """Return the model and inputs of the test `name` of ExecuTorch's own suite.

    If `dynamic` is true, sizes are dynamic. `quantize` tells the test whether the recipe quantizes.
    Raises BrokenTestError if the test's module cannot be imported, and SkippedError if ExecuTorch
    skips the test.
    """
    upstream_model = {test.name: test for test in upstream_models()}[name]
    if upstream_model.left_out:
        raise SkippedError("ExecuTorch excludes this test.")
    try:
        module = importlib.import_module(f"{PACKAGE}.{upstream_model.module}")
    except (ImportError, RuntimeError) as error:  # torchvision's build may not fit torch's
        raise BrokenTestError(f"{upstream_model.module} cannot be imported here: {error}") from None
    runner = RecordingRunner(quantize=quantize)
    getattr(module, name)(runner, dtype=torch.float32, use_dynamic_shapes=dynamic)
    return runner.samples[0]
