"""From a model to a program of ExecuTorch: export, quantise, lower, serialise, each step timed."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch
from executorch.exir import to_edge_transform_and_lower
from torch.utils._pytree import tree_flatten
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

from accelerator_portal.validation.classify import BrokenTestError, words_of
from accelerator_portal.validation.context import Context
from accelerator_portal.validation.executorch.backend import Recipe
from accelerator_portal.validation.suites.executorch.delegation import (
    Delegation,
    delegation,
    sizes,
)


@dataclass(frozen=True)
class Sample:
    """A model in evaluation mode with what it is called with.

    `shapes` says which sizes may change, as `torch.export` takes it; `others` are then inputs of
    another size than those that the model is exported with.
    """

    model: Any
    inputs: tuple[Any, ...]
    shapes: Any = None
    others: tuple[Any, ...] | None = None


@dataclass(frozen=True)
class Lowered:
    """A finished program, what the backend took of it, and what it should compute."""

    program: Any
    delegation: Delegation
    reference: Any
    """The model that was lowered, as PyTorch runs it: quantised if the recipe quantises."""


@contextmanager
def timed(context: Context, name: str) -> Iterator[None]:
    """Note how long something took, in seconds, also where it raises."""
    start = time.perf_counter()
    try:
        yield
    finally:
        context.metrics[name] = (round(time.perf_counter() - start, 6), "s")


def lowered(sample: Sample, recipe: Recipe, context: Context) -> Lowered:
    """Bring a model to a program; raises what a stage raises, with the stage in the context."""
    context.stage = "export"
    with timed(context, "export_time"):
        exported = _exported(sample)
    reference = sample.model
    if recipe.quantizer:
        reference = _quantised(exported, sample, recipe, context)
        context.stage = "export"
        exported = torch.export.export(reference, sample.inputs, dynamic_shapes=sample.shapes)
    context.stage = "lower"
    arguments: Mapping[str, Any] = recipe.lowering()
    with timed(context, "lower_time"):
        edge = to_edge_transform_and_lower(exported, generate_etrecord=True, **arguments)
    counted = delegation(edge)
    context.metrics |= counted.metrics
    with timed(context, "serialize_time"):
        program = edge.to_executorch()
    context.metrics |= sizes(program)
    return Lowered(program, counted, reference)


def _exported(sample: Sample) -> Any:
    """Trace the model; no backend has had anything to do with it yet."""
    try:
        return torch.export.export(sample.model, sample.inputs, dynamic_shapes=sample.shapes)
    except Exception as error:
        raise BrokenTestError(f"torch.export cannot trace the model. {words_of(error)}") from error


def _quantised(exported: Any, sample: Sample, recipe: Recipe, context: Context) -> Any:
    """Quantise with the inputs of the case as the only ones to calibrate with."""
    if recipe.quantizer is None:
        return exported.module()
    context.stage = "quantize"
    with timed(context, "quantize_time"):
        prepared = prepare_pt2e(exported.module(), recipe.quantizer())
        prepared(*sample.inputs)
        return convert_pt2e(prepared)


def outputs(value: object) -> Sequence[object]:
    """Return what a model returned as the flat list that a program returns."""
    return [leaf for leaf in tree_flatten(value)[0] if leaf is not None]
