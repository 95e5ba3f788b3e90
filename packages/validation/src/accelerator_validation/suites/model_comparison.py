"""Compares a model on a device with the CPU; limits its memory, and rounds float32 alike.

The reference is the CPU, in the same data type. If the CPU itself is tested, the reference is the
same model in float64.
"""

from __future__ import annotations

import copy
import ctypes
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from itertools import pairwise
from operator import attrgetter
from pathlib import Path
from typing import Any

import torch
from torch import nn
from torch.nn.modules.batchnorm import _BatchNorm
from torch.utils._pytree import tree_map

from accelerator_validation.case import Case, MismatchError, Result, SkippedError, UncheckedError
from accelerator_validation.suite_interface import Context
from accelerator_validation.suites.random_checks import RandomDetector
from accelerator_validation.suites.result_comparison import (
    Comparison,
    leaves,
    max_magnitude,
    tensors,
    value_text,
)

# Finds memory that an operation loses with each call, in the process and on the device.

_PROCESS_MEMORY = Path("/proc/self/statm")
_SYSTEM_MEMORY = Path("/proc/meminfo")
_CALLS = 6
_BLOCKS = 3
_ATTEMPTS = 3
_LEAST_BYTES = (1, 16 * 1024)
"""The least growth with each call that counts as a loss: of the memory that the device has given
out, and of the memory of the process, which grows by pages."""


def available_memory() -> int | None:
    """Return how many bytes of memory programs can take without swapping; None if unknown."""
    with suppress(OSError):
        for line in _SYSTEM_MEMORY.read_text("ascii").splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    return None


def grows_with_each_call(action: Callable[[], object]) -> int:
    """Return how many bytes of memory each call loses; 0 if memory does not grow steadily.

    A loss grows in each block of calls, a cache only in some.
    """
    growth = 0
    with suppress(OSError, AttributeError):  # another C library
        ctypes.CDLL(None).malloc_trim(0)  # else a loss fills what was freed before
    for _ in range(_ATTEMPTS):
        points = [_after(action, 1)] + [_after(action, _CALLS) for _ in range(_BLOCKS)]
        growths = [
            min(later[place] - earlier[place] for earlier, later in pairwise(points))
            for place in range(len(_LEAST_BYTES))
        ]
        limits = zip(growths, _LEAST_BYTES, strict=True)
        growth = max((size for size, least in limits if size >= _CALLS * least), default=0)
        if not growth:
            return 0
    return growth // _CALLS


def _after(action: Callable[[], object], calls: int) -> tuple[int, int]:
    """Return the bytes in use on the device and by the process after some calls; 0 if unknown."""
    for _ in range(calls):
        action()
    on_device = in_process = 0
    with suppress(Exception):  # a device that does not tell
        torch.accelerator.synchronize()
        on_device = torch.accelerator.memory_allocated()
    with suppress(OSError):
        pages = int(_PROCESS_MEMORY.read_text("ascii").split()[1])
        in_process = pages * os.sysconf("SC_PAGE_SIZE")
    return on_device, in_process


# Turns off TF32 and HF32, with which devices compute float32 faster, but less precisely.
#
# These number formats round the inputs of a product to fewer bits. By default, cuDNN's convolutions
# use TF32, and Ascend's use HF32. A comparison with a float32 reference would report their results
# as wrong.

# The switches of torch and of plugins. Each is documented by its project: torch's notes on CUDA
# semantics, torch_npu's, torch_mlu's and torch_musa's sources and tests.
_SWITCHES = (
    "backends.cuda.matmul.allow_tf32",
    "backends.mlu.matmul.allow_tf32",
    "backends.cnnl.allow_tf32",
    "backends.musa.matmul.allow_tf32",
    "backends.mudnn.allow_tf32",
    "npu.matmul.allow_hf32",
    "npu.conv.allow_hf32",
)


@contextmanager
def full_float32() -> Iterator[None]:
    """Turn off TF32 and HF32 in a `with` block or a decorated function."""
    with ExitStack() as restoring:
        # PyTorch's test helpers allow no other way to change a setting of cuDNN.
        restoring.enter_context(torch.backends.cudnn.flags(enabled=True, allow_tf32=False))
        for switch in _SWITCHES:
            path, _, name = switch.rpartition(".")
            try:
                owner = attrgetter(path)(torch)
                is_on = getattr(owner, name)
            except (AttributeError, RuntimeError):  # the plugin is missing, or too old for it
                continue
            if is_on:
                setattr(owner, name, False)
                restoring.callback(setattr, owner, name, is_on)
        yield


_LEARNING_RATE = 0.1

_BYTES_PER_PARAMETER: Mapping[str, int] = {"inference": 16, "training": 44}
_OTHER_MEMORY = 1_000_000_000
"""The memory that `run_model` needs on the CPU, without the results between layers.

Weights are kept in float32 for both sides and in float64 for the reference. Training adds gradients
and what the comparison copies. The libraries need a further gigabyte.
"""

# Numbers smaller than this part of the largest one count as rounding errors.
_NEGLIGIBLE = 1e-3

# In these types, rounding errors add up over the layers of a deep network. If they change the CPU's
# own results by more than the tolerance, the results of a device cannot be checked.
_NARROW_TYPES = frozenset({"bfloat16", "float16"})
_ROUNDING_MESSAGE = "Rounding in {} alone changes the results of the CPU by more than the tolerance"

# Without this function, Module.to replaces every parameter, also one that several modules share.
_UNTIED_HINT = (
    "Possible cause: Module.to separates tied weights if the backend does not implement "
    "_has_compatible_shallow_copy_type"
)

# Weights that are initialized with (nearly) zero would hide errors in the layers before them.
_NOISE = 0.02


@dataclass(frozen=True)
class Example:
    """A model, and the inputs of its method `forward`: by name, or by position (`args`)."""

    model: Any
    inputs: Mapping[str, Any] = field(default_factory=dict)
    args: tuple[Any, ...] = ()


@dataclass(frozen=True)
class Gradient:
    """A gradient or an updated weight. It is compared by the norm of its deviation."""

    value: torch.Tensor


ModelWrapper = Callable[[Any], Any]
RunFunction = Callable[[Example, ModelWrapper], dict[str, Any]]


@full_float32()
def run_model(case: Case, context: Context, make: Callable[[], Example]) -> Result:
    """Create a model with the test's seed, run it on the device and the reference, and compare.

    `make` creates the model and its inputs. Raises MismatchError if the results differ, but
    UncheckedError if rounding alone can be the cause, or if the model draws random numbers.
    """
    # Models of suites without data types are created in float32.
    dtype_name = dict(case.parameters).get("dtype", "float32")
    dtype: torch.dtype = getattr(torch, dtype_name)
    on_cpu = torch.device(context.device).type == "cpu"
    context.stage = "load"
    with context.on_reference():
        torch.manual_seed(case.seed)
        example = make()
        require_memory(parameter_count(example.model), case["mode"])
        _perturb_weights(example)
        # Rounded before both sides copy it, so that the reference has the same weights.
        example = _copy_example(example, "cpu", dtype)
        context.inputs = _example_text(example)
    tolerances = context.matrix.tolerances
    context.tolerance = tolerances["training" if case["mode"] == "training" else dtype_name]
    run_function = _RUN_FUNCTIONS[case["mode"]]
    context.stage = "eager"
    with context.on_reference():
        reference_type = torch.float64 if on_cpu else dtype
        with _default_dtype(reference_type), RandomDetector() as detector:
            reference_results = run_function(
                _copy_example(example, "cpu", reference_type), _unwrapped_model
            )
    is_compiled = case["compiler"] != "eager"
    context.stage = "compile" if is_compiled else "run"
    with _default_dtype(dtype):
        device_results = run_function(
            _copy_example(example, context.device, dtype),
            _compile_wrapper(case) if is_compiled else _unwrapped_model,
        )
    context.stage = "compare"
    if detector.has_drawn:  # as the hashes of Reformer
        raise UncheckedError("The model draws random numbers, which differ between devices.")
    comparison = _make_comparison(context, dtype_name, reference_results, same_dtype=not on_cpu)
    try:
        _check_results(device_results, reference_results, context, comparison)
    except MismatchError as error:
        other_results = device_results if on_cpu else reference_results
        if (on_cpu and dtype_name in _NARROW_TYPES) or _is_rounding_sensitive(
            example, context, run_function, other_results, dtype
        ):
            raise UncheckedError(f"{_ROUNDING_MESSAGE.format(dtype_name)}: {error}") from None
        raise
    context.metrics |= comparison.metrics()
    return Result("passed", "compare")


def require_memory(parameters: int, mode: str) -> None:
    """Raise SkippedError if a model of this many parameters does not fit into the free memory."""
    needed = _OTHER_MEMORY + parameters * _BYTES_PER_PARAMETER.get(mode, 0)
    available = available_memory()
    if available is not None and needed > available:
        raise SkippedError(
            f"{mode} of {parameters / 1e6:,.0f} million parameters needs about {needed / 1e9:.0f} "
            f"GB of memory, and {available / 1e9:.0f} GB are available"
        )


def parameter_count(model: Any) -> int:
    """Return the number of parameters of a model."""
    return sum(parameter.numel() for parameter in model.parameters())


def _example_text(example: Example) -> str:
    """Return the size of a model, and its inputs: `25,557,032 parameters; x float32[1, 3]`."""
    inputs = [*map(value_text, example.args)]
    inputs += [f"{name} {value_text(value)}" for name, value in example.inputs.items()]
    return f"{parameter_count(example.model):,} parameters; {', '.join(inputs)}"


def _make_comparison(
    context: Context, dtype: str, reference_results: Mapping[str, Any], *, same_dtype: bool
) -> Comparison:
    numbers = [value for part in reference_results.values() for value in tensors(leaves(part))]
    largest = max((max_magnitude(value) for value in numbers), default=0.0)
    return Comparison(context.matrix.tolerances[dtype], same_dtype, floor=largest * _NEGLIGIBLE)


def _check_results(
    device_results: Mapping[str, Any],
    reference_results: Mapping[str, Any],
    context: Context,
    comparison: Comparison,
) -> None:
    for what, value in reference_results.items():
        if not isinstance(value, Gradient):
            comparison.check(device_results[what], value, what)
    _check_gradients(device_results, reference_results, context, comparison)


def _is_rounding_sensitive(
    example: Example,
    context: Context,
    run_function: RunFunction,
    cpu_results: Mapping[str, Any],
    dtype: torch.dtype,
) -> bool:
    """Return whether rounding in `dtype` changes the CPU's results by more than the tolerance.

    If it does, these results cannot show whether a device is correct. They are compared with those
    in float64. If the CPU is tested, that has been done, and they are compared with its results for
    numbers that are one rounding step away.
    """
    on_cpu = torch.device(context.device).type == "cpu"
    other_dtype = dtype if on_cpu else torch.float64
    with context.on_reference(), _default_dtype(other_dtype):
        other_example = _copy_example(example, "cpu", other_dtype)
        if on_cpu:
            other_example = _rounded_differently(other_example)
        other_results = run_function(other_example, _unwrapped_model)
        name = str(dtype).removeprefix("torch.")
        comparison = _make_comparison(context, name, other_results, same_dtype=on_cpu)
        try:
            _check_results(cpu_results, other_results, context, comparison)
        except MismatchError:
            return True
    return False


def _rounded_differently(example: Example) -> Example:
    """Return a copy of an example in which every second number is larger by one rounding step."""

    def nudged(value: Any) -> Any:
        if not isinstance(value, torch.Tensor) or not value.is_floating_point():
            return value
        steps = torch.arange(value.numel(), dtype=value.dtype).view(value.shape) % 2
        return value * (1 + torch.finfo(value.dtype).eps * steps)

    with torch.no_grad():
        for parameter in example.model.parameters():
            parameter.copy_(nudged(parameter))
    args, inputs = tree_map(nudged, (example.args, dict(example.inputs)))
    return Example(example.model, inputs, args)


def _check_gradients(
    device_results: Mapping[str, Any],
    reference_results: Mapping[str, Any],
    context: Context,
    comparison: Comparison,
) -> None:
    gradients = {
        what: value for what, value in reference_results.items() if isinstance(value, Gradient)
    }
    device_names = {what for what, value in device_results.items() if isinstance(value, Gradient)}
    if unpaired_names := gradients.keys() ^ device_names:
        side = "CPU" if min(unpaired_names) in gradients else "device"
        raise MismatchError(f"{min(unpaired_names)} exists only on the {side}. {_UNTIED_HINT}")
    floor = _NEGLIGIBLE * max((float(g.value.norm()) for g in gradients.values()), default=0.0)
    gradient_comparison = Comparison(context.matrix.tolerances["training"])
    for what, gradient in gradients.items():
        gradient_comparison.check_norm(device_results[what].value, gradient.value, what, floor)
    comparison.take(gradient_comparison)


def _perturb_weights(example: Example) -> None:
    """Change the weights of a model so that its output depends on all its layers.

    Libraries initialize some layers with zeros, and running statistics with ones. Such values
    would hide wrong computations in the middle of a model. So noise is added to all weights, and
    running statistics are computed from the inputs.
    """
    norms = [m for m in example.model.modules() if isinstance(m, _BatchNorm)]
    with torch.no_grad():
        for parameter in example.model.parameters():
            parameter.add_(torch.randn_like(parameter), alpha=_NOISE)
        example.model.eval()
        if norms:
            for norm in norms:
                norm.train()
                norm.momentum = 1.0  # the statistics become those of these inputs
            example.model(*example.args, **example.inputs)
        # Some models cache tensors without gradients in evaluation. A switch to training clears
        # them; only the CPU's copy would have them.
        example.model.train().eval()


def _unwrapped_model(model: Any) -> Any:
    return model


def _compile_wrapper(case: Case) -> ModelWrapper:
    def wrap(model: Any) -> Any:
        torch._dynamo.reset()  # noqa: SLF001 - documented; else one model's cache is the next one's
        return torch.compile(model, backend=case["compiler"])

    return wrap


def _infer(example: Example, wrap: ModelWrapper) -> dict[str, Any]:
    with torch.no_grad():
        output = wrap(example.model)(*example.args, **example.inputs)
    return {"the output": float_tensors(output)}


def _train(example: Example, wrap: ModelWrapper) -> dict[str, Any]:
    """Run one training step, and return the loss, the gradients and the updated weights.

    The keys describe the values, such as `the gradient of layer.weight`. `wrap` compiles the model
    or returns it unchanged. The learning rate is so large that every gradient affects the weights.
    Dropout is off. Batch normalization does not use the statistics of the small batch, because
    rounding alone would then change the gradients of deep networks by several percent.
    """
    model = example.model
    for module in model.modules():
        if isinstance(module, nn.RNNBase):  # cuDNN needs training mode for their gradients
            module.train()
            module.dropout = 0.0
    optimizer = torch.optim.SGD(model.parameters(), lr=_LEARNING_RATE)
    loss = _loss(wrap(model)(*example.args, **example.inputs))
    loss.backward()
    results: dict[str, Any] = {"the loss": loss}
    parameters = {n: p for n, p in model.named_parameters() if p.grad is not None}
    for name, parameter in parameters.items():
        results[f"the gradient of {name}"] = Gradient(parameter.grad)
    optimizer.step()  # without momentum, a step leaves the gradients as they are
    for name, parameter in parameters.items():
        results[f"{name} after a step"] = Gradient(parameter.detach())
    return results


def _generate(example: Example, wrap: ModelWrapper) -> dict[str, Any]:  # noqa: ARG001 - as the others
    with torch.no_grad():
        words = example.model.generate(**example.inputs, do_sample=False, max_new_tokens=6)
    return {"the generated words": words}


_RUN_FUNCTIONS: Mapping[str, RunFunction] = {
    "inference": _infer,
    "training": _train,
    "generate": _generate,
}


def float_tensors(output: Any) -> list[torch.Tensor]:
    """Return the floating-point tensors in a model's output."""
    if hasattr(output, "to_tuple"):
        output = output.to_tuple()
    return [leaf for leaf in tensors(leaves(output)) if leaf.is_floating_point()]


def _loss(output: Any) -> torch.Tensor:
    """Return a scalar that depends on every floating-point tensor of a model's output."""
    parts = [leaf.square().mean() for leaf in float_tensors(output) if leaf.requires_grad]
    return torch.stack(parts).sum()


def _copy_example(example: Example, device: str, dtype: torch.dtype) -> Example:
    """Return a copy of a model and its inputs on a device, in the floating-point type `dtype`.

    Inputs may be nested structures of tensors. Integer tensors keep their data type.
    """

    def move_value(value: Any) -> Any:
        if not isinstance(value, torch.Tensor):
            return value
        return value.to(device, dtype) if value.is_floating_point() else value.to(device)

    args, inputs = tree_map(move_value, (example.args, dict(example.inputs)))
    model = copy.deepcopy(example.model).to(device=device, dtype=dtype)
    if dtype is torch.float64 and hasattr(model, "set_experts_implementation"):
        # The default, grouped products, is not available in float64.
        model.set_experts_implementation("eager")
    return Example(model, inputs, args)


@contextmanager
def _default_dtype(dtype: torch.dtype) -> Iterator[None]:
    previous_dtype = torch.get_default_dtype()
    torch.set_default_dtype(dtype)
    try:
        yield
    finally:
        torch.set_default_dtype(previous_dtype)
