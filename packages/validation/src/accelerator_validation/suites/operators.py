"""Runs the suite `operators`: each operator of PyTorch's OpInfo database, on device and reference.

The samples are made on the CPU and copied, so that every device gets the same numbers. Arguments
that PyTorch's own tests keep on the CPU stay there. The reference is the CPU. If the CPU is tested,
the reference is the same operator in a wider type. The dispatched ATen operators are recorded in
further calls after the verdict, so that recording cannot change the verdict.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import torch
from torch.testing._internal.common_device_type import toleranceOverride
from torch.testing._internal.common_methods_invocations import op_db
from torch.testing._internal.opinfo.core import DecorateInfo, OpInfo, SampleInput
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from accelerator_validation.case import Case, Result, short_message
from accelerator_validation.classify import BrokenTestError, UncheckedError, describe_error
from accelerator_validation.matrix import Matrix, Tolerance
from accelerator_validation.plan import Offer
from accelerator_validation.suite_interface import Context
from accelerator_validation.suites.aten import observe_operators
from accelerator_validation.suites.float32_precision import full_float32
from accelerator_validation.suites.result_comparison import (
    Comparison,
    check_device,
    check_strides,
    check_structure,
    leaves,
    tensors,
)
from accelerator_validation.suites.sample_placement import (
    expected_device,
    is_cpu,
    mark_all,
    on_cpu,
    on_device,
    placed_samples,
    sample_text,
    widen_sample,
)
from accelerator_validation.suites.sample_plan import MOST_KNOWN, choose_samples

# Tests of PyTorch that compare with another implementation; their tolerances are used here, too.
_COMPARISON_TESTS = frozenset({"test_compare_cpu", "test_numpy_ref"})

# Operators whose arguments or names determine the strides of the result.
_LAYOUTS = frozenset(
    {
        "as_strided",
        "as_strided.partial_views",
        "contiguous",
        "empty_permuted",
        "empty_strided",
        "new_empty_strided",
    }
)

# In evaluation mode, each device returns what its own backward pass needs as further results: the
# CPU empty tensors, CUDA statistics.
_BATCH_NORMS = frozenset({"_native_batch_norm_legit", "native_batch_norm"})

# The wider data types for the reference: more precise, and computed by other code.
_WIDER_TYPES = {
    torch.float16: torch.float64,
    torch.bfloat16: torch.float64,
    torch.float32: torch.float64,
    torch.complex64: torch.complex128,
}

CPU_SAMPLES_NOTE = (
    "OpInfo has no samples for this device. The samples for the CPU were copied to it."
)
_NO_REFERENCE_REASON = "There is no reference for this data type."
_RANDOM_RESULTS_REASON = "Results contain random numbers, which differ between devices."


@cache
def opinfo_by_name() -> dict[str, OpInfo]:
    """Return all operators of PyTorch's OpInfo database by their full names."""
    return {info.full_name: info for info in op_db}


def offers(matrix: Matrix) -> Iterator[Offer]:
    """Yield tests of each operator, forward and backward, with data types that the CPU supports."""
    name_by_dtype = {getattr(torch, name): name for name in matrix.axes["dtype"]}
    for name, info in sorted(opinfo_by_name().items()):
        forward = frozenset(name_by_dtype[d] for d in info.dtypes if d in name_by_dtype)
        backward = frozenset(name_by_dtype[d] for d in info.backward_dtypes if d in name_by_dtype)
        if forward:
            yield Offer(name, {"dtype": forward, "mode": frozenset({"forward"})})
        if info.supports_autograd and backward & forward:
            yield Offer(name, {"dtype": backward & forward, "mode": frozenset({"backward"})})


@full_float32()
def run(case: Case, context: Context) -> Result:
    """Run an operator on its samples, on the device and on the reference, and compare the results.

    The test passes if all compared numbers are correct and at least half of the samples were
    compared. Samples that the CPU cannot compute are not compared. If the CPU can compute none, the
    test is broken.
    """
    info = opinfo_by_name()[case.name]
    dtype: torch.dtype = getattr(torch, case["dtype"])
    backward = case["mode"] == "backward"
    tolerance = _operator_tolerance(info, dtype, context.matrix)
    comparison = Comparison(tolerance, same_dtype=not is_cpu(context.device))
    known_samples = _make_samples(info, dtype, case, context, requires_grad=backward)
    if not known_samples:
        raise BrokenTestError("The operator has no sample inputs of this data type.")
    samples = choose_samples(known_samples, context.matrix.settings["samples"])
    trials = [OperatorTest(info, sample, context.device, case.seed, backward) for sample in samples]
    cpu_errors: list[Exception] = []
    compared_trials = [
        trial
        for number, trial in enumerate(trials, 1)
        if _compare_sample(trial, number, context, comparison, cpu_errors)
    ]
    if len(cpu_errors) == len(trials):
        context.stage = "run"
        with context.on_reference():
            raise cpu_errors[0]
    context.observation = partial(
        observe_operators, lambda: [trial.on_device() for trial in compared_trials]
    )
    context.metrics |= {
        "samples": (len(trials), "1"),
        "known-samples": (len(known_samples), "1"),
        **comparison.metrics(),
    }
    return _compared_result(case, context, len(trials), len(compared_trials), cpu_errors)


def _compared_result(
    case: Case,
    context: Context,
    sample_count: int,
    compared_count: int,
    cpu_errors: Sequence[Exception],
) -> Result:
    """Return a passed result, with a note about samples whose numbers were not compared.

    Of `sample_count` samples, `compared_count` were compared. `cpu_errors` has the error of each
    sample that the CPU cannot compute. Raises UncheckedError if fewer than half of the samples were
    compared.
    """
    cpu_reason = (
        f"The CPU cannot compute {len(cpu_errors)} of {sample_count} samples. "
        f"{describe_error(cpu_errors[0])}"
        if cpu_errors
        else None
    )
    if 2 * compared_count < sample_count:
        unchecked_reason = context.matrix.unchecked.get(case.name) or cpu_reason
        dtype = getattr(torch, case["dtype"])
        has_no_wider_type = is_cpu(context.device) and dtype not in _WIDER_TYPES
        raise UncheckedError(
            unchecked_reason
            or (_NO_REFERENCE_REASON if has_no_wider_type else _RANDOM_RESULTS_REASON)
        )
    random_count = sample_count - compared_count - len(cpu_errors)
    random_reason = (
        f"Only the shapes were checked in {random_count} of {sample_count} samples. "
        f"{_RANDOM_RESULTS_REASON}"
        if random_count
        else None
    )
    reason = " ".join(filter(None, (random_reason, cpu_reason)))
    return Result("passed", "compare", short_message(reason) if reason else None)


def _compare_sample(
    trial: OperatorTest,
    number: int,
    context: Context,
    comparison: Comparison,
    cpu_errors: list[Exception],
) -> bool:
    """Run a sample on the device and the reference, and return whether numbers were compared.

    `number` is the sample's position, from 1, for messages. Differences are added to `comparison`.
    If the reference raises an exception, it is added to `cpu_errors`.
    """
    context.stage = "run"
    name = trial.info.full_name
    step = f"sample {number}: {sample_text(trial.sample)}"
    unchecked = name in context.matrix.unchecked
    with context.on_reference():
        context.announce(step)
        has_no_reference = is_cpu(context.device) and unchecked
        try:
            reference = None if has_no_reference else trial.on_reference()
        except Exception as error:  # noqa: BLE001 - whatever an operator raises
            cpu_errors.append(error)
            return False
    context.announce(step)
    result = trial.on_device()
    context.stage = "compare"
    what = "a gradient" if trial.backward else "the result"
    for value, part in ((result.outputs, "the result"), (result.gradients, "a gradient")):
        if trial.expected_device:
            check_device(value, trial.expected_device, f"{part} of sample {number}")
    if reference is None:
        return False
    if name in _LAYOUTS:
        check_strides(result.outputs, reference.outputs, f"the result of sample {number}")
    if reference.drawn or unchecked:
        check_structure(result.results, reference.results, what, same_dtype=comparison.same_dtype)
        return False
    comparison.check(result.results, reference.results, what)
    return True


def _make_samples(
    info: OpInfo, dtype: torch.dtype, case: Case, context: Context, *, requires_grad: bool
) -> list[SampleInput]:
    """Return the operator's samples for the device, at most MOST_KNOWN, on the CPU.

    Tensors to be copied to the device are marked. If the OpInfo fails for the device or creates no samples for it, the samples
    that the OpInfo creates for the CPU are returned, and all their tensors are marked.
    """
    make_samples = partial(placed_samples, info, dtype=dtype, number=MOST_KNOWN)
    torch.manual_seed(case.seed)
    with suppress(Exception), context.on_reference():
        if samples := make_samples(device=context.device, requires_grad=requires_grad):
            return samples
    context.reference = False
    context.note = None if is_cpu(context.device) else CPU_SAMPLES_NOTE
    torch.manual_seed(case.seed)
    with context.on_reference():
        return [
            mark_all(sample) for sample in make_samples(device="cpu", requires_grad=requires_grad)
        ]


def _operator_tolerance(info: OpInfo, dtype: torch.dtype, matrix: Matrix) -> Tolerance:
    """Return the tolerance for an operator and a data type.

    If the suite and the OpInfo state different values of `rtol`, the greater one is used. The same
    applies to `atol`.
    """
    name = str(dtype).removeprefix("torch.")
    tolerance = matrix.tolerances.get(name) or Tolerance(rtol=0, atol=0)
    for decoration in info.decorators:
        if (
            not isinstance(decoration, DecorateInfo)
            or decoration.test_name not in _COMPARISON_TESTS
        ):
            continue
        for override in decoration.decorators:
            if isinstance(override, toleranceOverride) and dtype in override.d:
                override_tolerance = override.d[dtype]
                wider = {
                    "rtol": max(tolerance.rtol, override_tolerance.rtol),
                    "atol": max(tolerance.atol, override_tolerance.atol),
                }
                tolerance = Tolerance(**wider)
    return tolerance


@dataclass(frozen=True)
class OperatorResult:
    """The result of a sample: the outputs, and the gradients of the inputs.

    `gradients` is None if the test has no backward pass.
    """

    outputs: list[object]
    gradients: list[object] | None = None
    drawn: bool = False
    """Whether the reference drew random numbers, so that numbers cannot be compared. Always false
    for results of the device."""

    @property
    def results(self) -> list[object]:
        """The values to compare: the gradients, or the outputs if the test has no backward pass."""
        return self.outputs if self.gradients is None else self.gradients


@dataclass(frozen=True)
class OperatorTest:
    """A sample of an operator, which can be run on the device and on the reference.

    `seed` is for random numbers. If `backward` is true, gradients are computed.
    """

    info: OpInfo
    sample: SampleInput
    device: str
    seed: int
    backward: bool

    @property
    def expected_device(self) -> str | None:
        """The device type on which results must be, or None if any is allowed."""
        return None if is_cpu(self.device) else expected_device(self.sample, self.device)

    def on_device(self) -> OperatorResult:
        """Return the result on the device."""
        return self._compute(on_device(self.sample, self.device))

    def on_reference(self) -> OperatorResult | None:
        """Return the result of the reference, which is the CPU.

        If the CPU is tested, the reference is computed in wider data types. It is None if the
        sample's data types have no wider types.
        """
        sample = on_cpu(self.sample, self.device)
        if is_cpu(self.device):
            input_dtypes = [t.dtype for t in tensors(tree_leaves((sample.input, sample.args)))]
            all_dtypes = input_dtypes + [t.dtype for t in tensors(tree_leaves(sample.kwargs))]
            if (
                input_dtypes
                and input_dtypes[0] not in _WIDER_TYPES
                and not set(all_dtypes) & _WIDER_TYPES.keys()
            ):
                return None
            sample = widen_sample(sample, _WIDER_TYPES)
        with _RandomDetector() as detector:
            result = self._compute(sample)
        return OperatorResult(result.outputs, result.gradients, detector.has_drawn)

    def _compute(self, sample: SampleInput) -> OperatorResult:
        torch.manual_seed(self.seed)
        output = self.info(sample.input, *sample.args, **sample.kwargs)
        output = sample.output_process_fn_grad(output)
        gradients = _input_gradients(sample, output) if self.backward else None
        if self.info.name in _BATCH_NORMS and any(argument is False for argument in sample.args):
            output = output[0]
        return OperatorResult(leaves(output), gradients)


def _input_gradients(sample: SampleInput, output: object) -> list[object]:
    """Return the gradients of the sample's inputs that require gradients."""
    all_inputs = tensors(leaves([sample.input, sample.args, sample.kwargs]))
    inputs = [leaf for leaf in all_inputs if leaf.requires_grad]
    outputs = [leaf for leaf in tensors(leaves(output)) if leaf.requires_grad]
    if not inputs or not outputs:
        return []
    # Created on the CPU and copied, as the device may lack an operator that fills a tensor.
    ones = [torch.ones(leaf.shape, dtype=leaf.dtype).to(leaf.device) for leaf in outputs]
    return list(torch.autograd.grad(outputs, inputs, ones, allow_unused=True))


class _RandomDetector(TorchDispatchMode):
    """Detects whether random numbers are drawn, even if the generator's state is restored."""

    def __init__(self) -> None:
        super().__init__()
        self.has_drawn = False

    def __torch_dispatch__(
        self,
        func: Any,
        types: Any,
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        if torch.Tag.nondeterministic_seeded not in func.tags:
            return func(*args, **(kwargs or {}))
        previous_state = torch.get_rng_state()
        result = func(*args, **(kwargs or {}))
        self.has_drawn |= not torch.equal(previous_state, torch.get_rng_state())
        return result
