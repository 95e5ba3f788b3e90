"""Exports, quantizes, lowers and serializes a model for ExecuTorch, and measures each step."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch
from executorch.exir import to_edge, to_edge_transform_and_lower
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

from accelerator_validation.case import BrokenTestError, describe_error
from accelerator_validation.executorch.backend import Recipe
from accelerator_validation.suite_interface import Context
from accelerator_validation.suites.executorch.delegation import Delegation, measure_delegation
from accelerator_validation.suites.executorch.metrics import Measurement


@dataclass(frozen=True)
class Sample:
    """A model and its inputs.

    `shapes` states which sizes are dynamic, as `dynamic_shapes` in `torch.export`. `others` has
    inputs with other sizes than `inputs`, or is None. If `narrow` is true, the model computes in a
    narrow type, such as float16, and its reference is the same model in float32.
    """

    model: Any
    inputs: tuple[Any, ...]
    shapes: Any = None
    others: tuple[Any, ...] | None = None
    narrow: bool = False


@dataclass(frozen=True)
class LoweredModel:
    """A lowered model.

    `edge` is the lowered program, an `EdgeProgramManager`. `program` is the finished program, an
    `ExecutorchProgramManager`. `delegation` states which operators are in delegates.
    """

    edge: Any
    program: Any
    delegation: Delegation
    reference: Any
    """The PyTorch model that was lowered. If the recipe quantizes, it is the quantized model."""


def lower_model(
    sample: Sample, recipe: Recipe, context: Context, measurement: Measurement
) -> LoweredModel:
    """Export, quantize, lower and serialize a model with a recipe, and return the lowered model.

    Each step is measured. If a step fails, its exception is passed on. `context.stage` is then the
    name of the step, or `lower` if serialization failed. Raises BrokenTestError if PyTorch cannot
    export the model before quantization.
    """
    observed = measurement.observed
    context.stage = "export"
    with measurement.step("export"):
        exported = _export_model(sample)
    reference = sample.model
    if recipe.quantizer:
        context.stage = "quantize"
        with measurement.step("quantize"):
            prepared = prepare_pt2e(exported.module(), recipe.quantizer())
            prepared(*sample.inputs)  # calibrates it
            reference = convert_pt2e(prepared, fold_quantize=recipe.fold_quantize)
        context.stage = "export"
        exported = torch.export.export(reference, sample.inputs, dynamic_shapes=sample.shapes)
    context.stage = "lower"
    arguments = recipe.lowering()
    with measurement.step("lower"):
        observed.edge = edge = _lower_program(exported, arguments, two_steps=recipe.two_steps)
        observed.delegation = delegation = measure_delegation(edge)
    with measurement.step("serialize"):
        observed.program = program = edge.to_executorch()
    return LoweredModel(edge, program, delegation, reference)


def _export_model(sample: Sample) -> Any:
    """Return the model as torch.export exports it. Raises BrokenTestError if torch.export fails."""
    try:
        return torch.export.export(sample.model, sample.inputs, dynamic_shapes=sample.shapes)
    except Exception as error:
        raise BrokenTestError(
            f"torch.export cannot trace the model. {describe_error(error)}"
        ) from error


def _lower_program(exported: Any, arguments: Mapping[str, Any], *, two_steps: bool) -> Any:
    if not two_steps:
        return to_edge_transform_and_lower(exported, generate_etrecord=True, **arguments)
    options = {k: v for k, v in arguments.items() if k == "compile_config"}
    edge = to_edge(exported, generate_etrecord=True, **options)
    for partitioner in arguments.get("partitioner") or ():
        edge = edge.to_backend(partitioner)
    return edge
