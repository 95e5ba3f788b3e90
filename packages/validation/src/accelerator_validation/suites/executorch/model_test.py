"""Runs one ExecuTorch test: the model in PyTorch, then the program, then a comparison.

Also limits the size of the files that a test writes. If ExecuTorch's runtime raises an error, adds
the runtime's log to the error.
"""

from __future__ import annotations

import copy
import errno
import importlib
import os
import re
import stat
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch

from accelerator_validation.case import Case, MismatchError, Result, SkippedError, short_message
from accelerator_validation.executorch.backend import Backend, Execute, Recipe, UnavailableError
from accelerator_validation.executorch.registry import Flow, find_flows
from accelerator_validation.suite_interface import Context
from accelerator_validation.suites.executorch.differences import check_outputs
from accelerator_validation.suites.executorch.lowering import (
    LoweredModel,
    Sample,
    lower_model,
)
from accelerator_validation.suites.executorch.metrics import Measurement
from accelerator_validation.suites.result_comparison import leaves, tensors

UNDELEGATED_REASON = "The backend executed no part of the model. Nothing ran on the device."

# The run time is the median of this many runs. The first run before them may set things up.
_TIMED_RUNS = 5

# The maximum size of a program. Larger programs don't fit ExecuTorch's target devices.
_MAX_FILE_GB = 4

# Messages that the runtime writes only to its log; its errors have only a number.
_LOG_MESSAGE = re.compile(
    r"^\[[\w.]+:\d+\] (.*\b(?:Check failed|KernelCall failed|Unsupported|File size is too small"
    r"|Program identifier|overflow detected)\b.*)$",
    re.MULTILINE,
)

# Explanations of its messages about files.
_LOG_EXPLANATIONS = {
    "File size is too small": "Program file is cut off or damaged.",
    "overflow detected": "Program file is cut off or damaged.",
    "Program identifier": "Program file is from a different version of ExecuTorch.",
}
_MAX_LOG_MESSAGES = 2
_LOG_BYTES = 65_536


def run_model_test(case: Case, context: Context, make: Callable[[], Sample]) -> Result:
    """Lower a model with the backend and recipe of a test, run it, and compare the outputs.

    `make` creates the model and its inputs. Raises MismatchError if an output is wrong. If all are
    correct, the outcome is `passed`, with one exception: if the recipe should delegate, but the
    backend executed no part of the model, the outcome is `executed`.
    """
    flow = find_flows(context.backend)[case["recipe"]]
    threads = dict(case.parameters).get("threads")
    set_thread_count(int(threads) if threads else None)
    measurement = Measurement(context)
    with torch.no_grad(), limit_file_sizes():
        try:
            result = _run_steps(case, context, make, flow, measurement)
        finally:
            measurement.finish()
            context.note = " ".join(measurement.faults) or None
    if measurement.faults:
        reason_parts = [result.reason, *measurement.faults]
        return replace(result, reason=short_message(" ".join(filter(None, reason_parts))))
    return result


def _run_steps(
    case: Case, context: Context, make: Callable[[], Sample], flow: Flow, measurement: Measurement
) -> Result:
    observed, recipe = measurement.observed, flow.recipe
    context.stage = "eager"
    with context.on_reference():
        torch.manual_seed(case.seed)
        observed.sample = sample = _in_recipe_type(make(), recipe)
        inputs = sample.others or sample.inputs
        observed.original = _eager_outputs(sample, inputs)
    with measurement.memory("serialize"):
        lowered_model = lower_model(sample, recipe, context, measurement)
    with measurement.memory("run"):
        observed.found = _run_program(lowered_model, flow.backend, context, inputs, measurement)
    context.stage = "compare"
    observed.reference = observed.original
    if recipe.quantizer:
        with context.on_reference():
            observed.reference = leaves(lowered_model.reference(*_copy_tensors(inputs)))
    with measurement.step("compare"):
        pass  # metrics measure before the verdict, which may raise
    _require_correct_outputs(lowered_model, recipe, sample, observed.found, observed.reference)
    return _flow_result(lowered_model, flow.backend, recipe)


def _flow_result(lowered_model: LoweredModel, backend: Backend, recipe: Recipe) -> Result:
    note = lowered_model.delegation.undelegated_sentence() if recipe.delegates else None
    if recipe.delegates and not lowered_model.delegation.delegates:
        return Result("executed", "lower", f"{UNDELEGATED_REASON} {note or ''}".strip())
    if backend.simulate and recipe.delegates:
        simulator_note = f"Run with {backend.simulator}, not with ExecuTorch's runtime."
        note = f"{simulator_note} {note}" if note else simulator_note
    operator_names = lowered_model.delegation.aten_names if recipe.delegates else ()
    return Result("passed", "compare", note, operators=operator_names)


def _in_recipe_type(sample: Sample, recipe: Recipe) -> Sample:
    sample = replace(sample, model=sample.model.eval())
    if recipe.dtype is None:
        return sample
    dtype: torch.dtype = getattr(torch, recipe.dtype)

    def cast_all(values: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(_cast(value, dtype) for value in values)

    others = cast_all(sample.others) if sample.others else None
    model = sample.model.to(dtype)
    return Sample(model, cast_all(sample.inputs), sample.shapes, others, narrow=True)


def _cast(value: Any, dtype: torch.dtype) -> Any:
    if isinstance(value, torch.Tensor) and value.is_floating_point():
        return value.to(dtype)
    return value


def _eager_outputs(sample: Sample, inputs: tuple[Any, ...]) -> Sequence[Any]:
    """Return the outputs of a sample's model for `inputs`, computed by PyTorch.

    If `sample.narrow` is true, the model and the inputs are converted to float32.
    """
    model = sample.model
    if sample.narrow:
        model = copy.deepcopy(model).to(torch.float32)
        inputs = tuple(_cast(value, torch.float32) for value in inputs)
    return leaves(model(*_copy_tensors(inputs)))


def _run_program(
    lowered_model: LoweredModel,
    backend: Backend,
    context: Context,
    inputs: tuple[Any, ...],
    measurement: Measurement,
) -> Sequence[Any]:
    """Load and run the program, and return the outputs of the first run. Then time further runs."""
    context.stage = "load"
    with add_runtime_log(), measurement.step("load"):
        execute = _load_program(lowered_model, backend)
    context.stage = "run"
    flat_inputs = tensors(leaves(inputs))
    with add_runtime_log():
        start = time.perf_counter()
        outputs = execute(_copy_tensors(flat_inputs))
        measurement.observed.seconds["run"] = time.perf_counter() - start
        with measurement.step("run"):
            measurement.observed.run_seconds = _time_runs(execute, flat_inputs)
    return outputs


def _load_program(lowered_model: LoweredModel, backend: Backend) -> Execute:
    """Return a function that runs the program.

    A program with delegates is loaded by the backend's `simulate` or `load`, if the backend has one
    of them. Any other program is loaded in this process. Raises UnavailableError if this machine
    cannot run the program, and NotImplementedError if ExecuTorch's runtime lacks an operator.
    """
    delegated = bool(lowered_model.delegation.delegates)
    if delegated and backend.simulate:
        return backend.simulate(lowered_model.edge)
    if delegated and backend.load:
        return backend.load(lowered_model.program.buffer)
    try:
        check_runtime(backend if delegated else None)
    except UnavailableError as error:
        raise UnavailableError(f"{lowered_model.delegation.extent_sentence()} {error}") from None
    if missing := missing_operators(lowered_model.program):
        raise NotImplementedError(f"{', '.join(missing)}: not in ExecuTorch's runtime")
    return load_in_process(lowered_model.program.buffer)


def _time_runs(execute: Execute, flat_inputs: Sequence[Any]) -> list[float]:
    """Return the seconds of each of several runs, without the time for copying inputs."""
    seconds = []
    for _ in range(_TIMED_RUNS):
        values = _copy_tensors(flat_inputs)
        start = time.perf_counter()
        execute(values)
        seconds.append(time.perf_counter() - start)
    return seconds


def _require_correct_outputs(
    lowered_model: LoweredModel,
    recipe: Recipe,
    sample: Sample,
    outputs: Sequence[Any],
    reference: Sequence[Any],
) -> None:
    try:
        check_outputs(outputs, reference, recipe, narrow=sample.narrow)
    except MismatchError as error:
        if recipe.delegates and not lowered_model.delegation.delegates:
            raise MismatchError(
                f"{UNDELEGATED_REASON} With ExecuTorch's own kernels: {error}"
            ) from None
        raise


def _copy_tensors(values: Sequence[Any]) -> tuple[Any, ...]:
    """Return `values` with copies of tensors, so that a run cannot change inputs of other runs."""
    return tuple(v.detach().clone() if isinstance(v, torch.Tensor) else v for v in values)


@contextmanager
def limit_file_sizes() -> Iterator[None]:
    """Limit the size of each file that a `with` block writes, and remove its temporary files.

    Raises RuntimeError, which names the file, if a file would be larger than 4 GB. On Windows,
    sizes are not limited.
    """
    previous_folder = tempfile.tempdir
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder, _file_size_limit():
        tempfile.tempdir = folder
        try:
            yield
        except OSError as error:
            if error.errno != errno.EFBIG:
                raise
            name = Path(str(error.filename)).name if error.filename else "A file"
            raise RuntimeError(f"{name} would be larger than {_MAX_FILE_GB} GB") from error
        finally:
            tempfile.tempdir = previous_folder


@contextmanager
def _file_size_limit() -> Iterator[None]:
    try:
        import resource
    except ImportError:  # not on Windows
        yield
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    limit_bytes = _MAX_FILE_GB * 10**9
    allowed = limit_bytes if hard == resource.RLIM_INFINITY else min(limit_bytes, hard)
    resource.setrlimit(resource.RLIMIT_FSIZE, (allowed, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def missing_operators(program: Any) -> list[str]:
    """Return the names of the operators that a program calls, but ExecuTorch's runtime lacks."""
    from executorch.runtime import Runtime

    runtime_operators = Runtime.get().operator_registry.operator_names
    program_operators = {
        f"{operator.name}.{operator.overload}" if operator.overload else operator.name
        for plan in program.executorch_program.execution_plan
        for operator in plan.operators
    }
    return sorted(program_operators - set(runtime_operators))


def check_runtime(backend: Backend | None) -> None:
    """Raise UnavailableError if this process cannot run programs with the backend.

    If `backend` is None, only ExecuTorch's runtime is checked.
    """
    try:
        from executorch.runtime import Runtime

        registry = Runtime.get().backend_registry
    except (ImportError, RuntimeError) as error:
        raise UnavailableError(
            f"ExecuTorch's runtime cannot be imported: {error}. "
            "Install a wheel of ExecuTorch that has its Python bindings"
        ) from None
    if backend is None:
        return
    name = backend.runtime_name
    needs_text = f" Running it needs {backend.needs}." if backend.needs else ""
    if name not in registry.registered_backend_names:
        raise UnavailableError(f"The runtime of this ExecuTorch has no {name}.{needs_text}")
    if not registry.is_available(name):
        raise UnavailableError(f"{name} is not available here.{needs_text}")


def load_in_process(data: bytes) -> Execute:
    """Load a program in this process, and return a function that runs it.

    `data` is the content of the program's file. Loading and running raise RuntimeError if they
    fail. The message of an error in ExecuTorch has only a number.
    """
    from executorch.runtime import Runtime, Verification

    method = (
        Runtime.get()
        .load_program(data, verification=Verification.InternalConsistency)
        .load_method("forward")
    )
    if method is None:
        raise RuntimeError("the program has no method forward")

    def execute(inputs: Sequence[Any]) -> Sequence[Any]:
        # The next call overwrites the memory of these outputs.
        return [o.clone() if hasattr(o, "clone") else o for o in method.execute(list(inputs))]

    return execute


@contextmanager
def add_runtime_log() -> Iterator[None]:
    """Add messages from the runtime's log to a RuntimeError raised in a `with` block.

    The log is the file to which standard error goes. If there is no such file, nothing is added. In
    a worker, the file has only the output of the current test. Only the last 64 KiB are read.
    """
    try:
        yield
    except RuntimeError as error:
        log_messages = " ".join(_LOG_MESSAGE.findall(_read_runtime_log())[:_MAX_LOG_MESSAGES])
        if not log_messages:
            raise
        explanations = [
            explanation
            for message_part, explanation in _LOG_EXPLANATIONS.items()
            if message_part in log_messages
        ][:1]
        raise RuntimeError(
            " ".join([*explanations, f"{error}. ExecuTorch says: {log_messages}"])
        ) from None


def _read_runtime_log() -> str:
    with suppress(OSError):
        log = os.fstat(2)
        if stat.S_ISREG(log.st_mode):  # reading anything else could block forever
            with Path("/proc/self/fd/2").open("rb") as file:
                file.seek(max(0, log.st_size - _LOG_BYTES))
                return file.read(_LOG_BYTES).decode("utf-8", "replace")
    return ""


def set_thread_count(number: int | None) -> None:
    """Set the number of threads that ExecuTorch uses for programs from now on.

    None stands for torch's number of threads. If this ExecuTorch cannot set the number, None is
    ignored, and any other value raises SkippedError.
    """
    from executorch.extension import pybindings

    try:
        importlib.import_module("executorch.extension.pybindings.portable_lib")
    except ImportError:  # a wheel without bindings can still lower models
        if number is not None:
            raise SkippedError("This ExecuTorch has no Python bindings.") from None
        return
    library: Any = getattr(pybindings, "_C", None) or getattr(pybindings, "_portable_lib", None)
    if not hasattr(library, "_unsafe_reset_threadpool"):
        if number is not None:
            raise SkippedError("This ExecuTorch cannot set the number of its threads.")
        return
    thread_count = number or torch.get_num_threads()
    if library._threadpool_get_thread_count() != thread_count:  # noqa: SLF001 - its only interface
        library._unsafe_reset_threadpool(thread_count)  # noqa: SLF001 - as above
