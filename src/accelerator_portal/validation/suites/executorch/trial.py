"""One case of ExecuTorch: the model in PyTorch, then as a program, and the two compared."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any

import torch

from accelerator_portal.validation.case import Case, Result
from accelerator_portal.validation.classify import MismatchError
from accelerator_portal.validation.context import Context
from accelerator_portal.validation.executorch.backend import Backend, Recipe
from accelerator_portal.validation.executorch.registry import find_backend
from accelerator_portal.validation.suites.executorch import running
from accelerator_portal.validation.suites.executorch.differences import (
    check,
    difference,
    worst_sqnr,
)
from accelerator_portal.validation.suites.executorch.lowering import (
    Lowered,
    Sample,
    lowered,
    outputs,
    timed,
)

UNDELEGATED = "The backend took no part of the model: nothing ran on the device."

# Outputs whose figures are kept; as many as ExecuTorch's own suite keeps.
_MEASURED = 2

# The first call of a program may still set things up.
_TIMED_RUNS = 3


def try_model(case: Case, context: Context, make: Callable[[], Sample]) -> Result:
    """Lower a model with the backend and recipe of a case, run it, compare it.

    Where the backend takes no part, the program runs all the same, on ExecuTorch's own kernels: it
    counts as executed, never as passed, and as wrong where its numbers are.
    """
    backend = find_backend(context.backend)
    recipe = backend.recipe(case["recipe"])
    threads = dict(case.parameters).get("threads")
    running.use_threads(int(threads) if threads else None)
    running.forget_peak()
    with torch.no_grad():
        context.stage = "eager"
        with context.on_reference():
            torch.manual_seed(case.seed)
            sample = _in_type(make(), recipe)
            inputs = sample.others or sample.inputs
            wanted = _eager(sample, recipe, inputs)
        made = lowered(sample, recipe, context)
        context.metrics |= running.peak_memory()
        nothing = recipe.delegates and not made.delegation.delegates
        found = _run(made, backend, context, inputs)
        context.stage = "compare"
        _compare(found, wanted, made, recipe, context, inputs)
    if nothing:
        words = made.delegation.words() or ""
        return Result("executed", "lower", f"{UNDELEGATED} {words}".strip())
    return Result("passed", "compare", made.delegation.words() if recipe.delegates else None)


def _in_type(sample: Sample, recipe: Recipe) -> Sample:
    """Turn a model and its inputs into the type of a recipe."""
    model = sample.model.eval()
    if recipe.dtype is None:
        return Sample(model, sample.inputs, sample.shapes, sample.others)
    dtype: torch.dtype = getattr(torch, recipe.dtype)

    def there(values: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(_cast(value, dtype) for value in values)

    others = there(sample.others) if sample.others else None
    return Sample(model.to(dtype), there(sample.inputs), sample.shapes, others)


def _cast(value: Any, dtype: torch.dtype) -> Any:
    if isinstance(value, torch.Tensor) and value.is_floating_point():
        return value.to(dtype)
    return value


def _eager(sample: Sample, recipe: Recipe, inputs: tuple[Any, ...]) -> Sequence[Any]:
    """Run the model as it is; one in a narrow type is computed in float32, of the same numbers."""
    model = sample.model
    if recipe.dtype is not None:
        model = copy.deepcopy(model).to(torch.float32)
        inputs = tuple(_cast(value, torch.float32) for value in inputs)
    return outputs(model(*_copied(inputs)))


def _run(
    made: Lowered, backend: Backend, context: Context, inputs: tuple[Any, ...]
) -> Sequence[Any]:
    """Load the program where the backend runs, and run it; the last of its times counts.

    What was not delegated at all can run here, wherever the backend is.
    """
    context.stage = "load"
    load = (backend.load if made.delegation.delegates else None) or running.load_here
    if load is running.load_here and (missing := running.missing_operators(made.program)):
        raise NotImplementedError(f"{', '.join(missing)}: not in ExecuTorch's runtime")
    with running.explained(), timed(context, "load_time"):
        execute = load(made.program.buffer)
    context.stage = "run"
    flat = [value for value in outputs(inputs) if isinstance(value, torch.Tensor)]
    found: Sequence[Any] = ()
    for _ in range(_TIMED_RUNS):
        with running.explained(), timed(context, "run_time"):
            found = execute(_copied(flat))
    return found


def _compare(  # noqa: PLR0913, PLR0917 - what there is to compare
    found: Sequence[Any],
    wanted: Sequence[Any],
    made: Lowered,
    recipe: Recipe,
    context: Context,
    inputs: tuple[Any, ...],
) -> None:
    """Measure, then judge: a quantised program is judged by the quantised model."""
    reference = wanted
    if recipe.quantizer:
        with context.on_reference():
            reference = outputs(made.reference(*_copied(inputs)))
        if (quality := worst_sqnr(found, wanted)) is not None:
            context.metrics["sqnr_to_unquantized"] = (quality, "dB")
    for number, (one, other) in enumerate(zip(found, reference, strict=False)):
        if number < _MEASURED and isinstance(one, torch.Tensor) and isinstance(other, torch.Tensor):
            measured = difference(one, other)
            context.metrics |= measured.metrics(number) if measured else {}
    try:
        check(found, reference, recipe)
    except MismatchError as error:
        if recipe.delegates and not made.delegation.delegates:
            raise MismatchError(f"{UNDELEGATED} ExecuTorch's own kernels: {error}") from None
        raise


def _copied(values: Sequence[Any]) -> tuple[Any, ...]:
    """Copy tensors: neither side shall see what the other writes."""
    return tuple(v.detach().clone() if isinstance(v, torch.Tensor) else v for v in values)
