"""One case of ExecuTorch: the model in PyTorch, then as a program, and the two compared."""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import torch

from accelerator_portal.validation.case import Case, Result, brief
from accelerator_portal.validation.classify import MismatchError
from accelerator_portal.validation.context import Context
from accelerator_portal.validation.executorch.backend import (
    Backend,
    Execute,
    NotHereError,
    Recipe,
)
from accelerator_portal.validation.executorch.flows import find_flow
from accelerator_portal.validation.suites.executorch import running
from accelerator_portal.validation.suites.executorch.differences import check
from accelerator_portal.validation.suites.executorch.file_limit import limited_files
from accelerator_portal.validation.suites.executorch.lowering import (
    Lowered,
    Sample,
    lowered,
    outputs,
)
from accelerator_portal.validation.suites.executorch.measuring import Measurement

UNDELEGATED = "The backend executed no part of the model. Nothing ran on the device."

# The median of so many runs is the run time; the first run before them may set things up.
_TIMED_RUNS = 5


def run_model_test(case: Case, context: Context, make: Callable[[], Sample]) -> Result:
    """Lower a model with the backend and recipe of a case, run it, compare it.

    Where the backend takes no part, the program runs all the same, on ExecuTorch's own kernels: it
    counts as executed, never as passed, and as wrong where its numbers are.
    """
    flow = find_flow(context.backend, case["recipe"])
    threads = dict(case.parameters).get("threads")
    running.use_threads(int(threads) if threads else None)
    measurement = Measurement(context)
    with torch.no_grad(), limited_files():
        try:
            result = _tried(case, context, make, flow.backend, flow.recipe, measurement)
        finally:
            measurement.finish()
            context.note = " ".join(measurement.faults) or None
    if measurement.faults:
        words = [result.reason, *measurement.faults]
        return replace(result, reason=brief(" ".join(filter(None, words))))
    return result


def _tried(  # noqa: PLR0913, PLR0917 - one test with all that belongs to it
    case: Case,
    context: Context,
    make: Callable[[], Sample],
    backend: Backend,
    recipe: Recipe,
    measurement: Measurement,
) -> Result:
    observed = measurement.observed
    context.stage = "eager"
    with context.on_reference():
        torch.manual_seed(case.seed)
        observed.sample = sample = _in_type(make(), recipe)
        inputs = sample.others or sample.inputs
        observed.original = _eager(sample, inputs)
    with measurement.memory("serialize"):
        made = lowered(sample, recipe, context, measurement)
    with measurement.memory("run"):
        observed.found = _run(made, backend, context, inputs, measurement)
    context.stage = "compare"
    observed.reference = _reference(made, recipe, context, inputs, observed.original)
    with measurement.step("compare"):
        pass  # metrics measure before the verdict, which may raise
    _judge(made, recipe, sample, observed.found, observed.reference)
    return _result(made, backend, recipe)


def _result(made: Lowered, backend: Backend, recipe: Recipe) -> Result:
    words = made.delegation.words() if recipe.delegates else None
    if recipe.delegates and not made.delegation.delegates:
        return Result("executed", "lower", f"{UNDELEGATED} {words or ''}".strip())
    if backend.simulate and recipe.delegates:
        place = f"Run with {backend.simulator}, not with ExecuTorch's runtime."
        words = f"{place} {words}" if words else place
    names = made.delegation.core_names if recipe.delegates else ()
    return Result("passed", "compare", words, operators=names)


def _in_type(sample: Sample, recipe: Recipe) -> Sample:
    """Turn a model and its inputs into the type of a recipe."""
    sample = replace(sample, model=sample.model.eval())
    if recipe.dtype is None:
        return sample
    dtype: torch.dtype = getattr(torch, recipe.dtype)

    def there(values: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(_cast(value, dtype) for value in values)

    others = there(sample.others) if sample.others else None
    model = sample.model.to(dtype)
    return Sample(model, there(sample.inputs), sample.shapes, others, narrow=True)


def _cast(value: Any, dtype: torch.dtype) -> Any:
    if isinstance(value, torch.Tensor) and value.is_floating_point():
        return value.to(dtype)
    return value


def _eager(sample: Sample, inputs: tuple[Any, ...]) -> Sequence[Any]:
    """Run the model as it is; one in a narrow type is computed in float32, of the same numbers."""
    model = sample.model
    if sample.narrow:
        model = copy.deepcopy(model).to(torch.float32)
        inputs = tuple(_cast(value, torch.float32) for value in inputs)
    return outputs(model(*_copied(inputs)))


def _run(
    made: Lowered,
    backend: Backend,
    context: Context,
    inputs: tuple[Any, ...],
    measurement: Measurement,
) -> Sequence[Any]:
    """Load the program where the backend runs, and run it, several times to measure it."""
    context.stage = "load"
    with running.with_runtime_log(), measurement.step("load"):
        execute = _load(made, backend)
    context.stage = "run"
    flat = [value for value in outputs(inputs) if isinstance(value, torch.Tensor)]
    with running.with_runtime_log():
        start = time.perf_counter()
        found = execute(_copied(flat))
        measurement.observed.seconds["run"] = time.perf_counter() - start
        with measurement.step("run"):
            measurement.observed.run_seconds = _timed(execute, flat)
    return found


def _load(made: Lowered, backend: Backend) -> Execute:
    """Load a program; what was not delegated at all can run here, wherever the backend is."""
    delegated = bool(made.delegation.delegates)
    if delegated and backend.simulate:
        return backend.simulate(made.edge)
    if delegated and backend.load:
        return backend.load(made.program.buffer)
    try:
        running.check_runtime(backend if delegated else None)
    except NotHereError as error:
        raise NotHereError(f"{made.delegation.extent()} {error}") from None
    if missing := running.missing_operators(made.program):
        raise NotImplementedError(f"{', '.join(missing)}: not in ExecuTorch's runtime")
    return running.load_here(made.program.buffer)


def _timed(execute: Execute, flat: Sequence[Any]) -> list[float]:
    """Run a program several times; copying its inputs does not count."""
    seconds = []
    for _ in range(_TIMED_RUNS):
        values = _copied(flat)
        start = time.perf_counter()
        execute(values)
        seconds.append(time.perf_counter() - start)
    return seconds


def _reference(
    made: Lowered,
    recipe: Recipe,
    context: Context,
    inputs: tuple[Any, ...],
    original: Sequence[Any],
) -> Sequence[Any]:
    """Return what a program is compared with: a quantized one with the quantized model."""
    if not recipe.quantizer:
        return original
    with context.on_reference():
        return outputs(made.reference(*_copied(inputs)))


def _judge(
    made: Lowered,
    recipe: Recipe,
    sample: Sample,
    found: Sequence[Any],
    reference: Sequence[Any],
) -> None:
    try:
        check(found, reference, recipe, narrow=sample.narrow)
    except MismatchError as error:
        if recipe.delegates and not made.delegation.delegates:
            raise MismatchError(f"{UNDELEGATED} ExecuTorch's own kernels: {error}") from None
        raise


def _copied(values: Sequence[Any]) -> tuple[Any, ...]:
    """Copy tensors: neither side shall see what the other writes."""
    return tuple(v.detach().clone() if isinstance(v, torch.Tensor) else v for v in values)
