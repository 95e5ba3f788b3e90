"""Runs the suite `operators`: each operator of PyTorch's OpInfo database, on device and reference.

The samples are made on the CPU and copied, so that every device gets the same numbers. Arguments
that PyTorch's own tests keep on the CPU stay there. The reference is the CPU. If the CPU is tested,
the reference is the same operator in a wider type. The dispatched ATen operators are recorded in
further calls after the verdict, so that recording cannot change the verdict.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache, partial
from itertools import islice
from typing import Any

import torch
from torch.testing._internal import common_methods_invocations
from torch.testing._internal.common_device_type import toleranceOverride
from torch.testing._internal.common_methods_invocations import op_db
from torch.testing._internal.opinfo.core import DecorateInfo, OpInfo, SampleInput

from accelerator_reports.report import Tolerance
from accelerator_validation.case import (
    BrokenTestError,
    Case,
    Result,
    SkippedError,
    UncheckedError,
    describe_error,
    short_message,
)
from accelerator_validation.matrix import Matrix
from accelerator_validation.plan import Offer
from accelerator_validation.suite_interface import Context
from accelerator_validation.suites.aten import observe_operators
from accelerator_validation.suites.layouts import (
    beginning_with_zero,
    in_all_quadrants,
    map_tensors,
    with_shape,
)
from accelerator_validation.suites.model_comparison import full_float32
from accelerator_validation.suites.operator_lab import (
    WITH_TIES,
    OperatorLab,
    OperatorTest,
    changes_inputs,
    is_decomposition,
    is_elementwise,
    is_finite,
    is_foreach,
)
from accelerator_validation.suites.operator_variants import (
    VARIANTS,
    check_side_effects,
    offers_variant,
)
from accelerator_validation.suites.result_comparison import (
    Comparison,
    check_device,
    check_strides,
    check_structure,
    tensors,
)
from accelerator_validation.suites.sample_placement import (
    WIDER_TYPES,
    is_cpu,
    is_marked,
    map_sample,
    mark_all,
    marked,
    placed_samples,
    sample_text,
    sample_values,
    with_arguments,
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

_IMAGES = (2, 3, 4, 5)
"""A shape that can be channels-last, and whose axes can be told apart."""
_NARROW_TYPES = frozenset({"bfloat16", "float16"})
_COMPLEX_TYPES = frozenset({"complex64", "complex128"})
"""Types in which operators only run forward and in a few combined calls at `standard`."""
_MOST_COMPLEX = 4
_ROUNDED_TYPES = frozenset({"float64", "float32", "bfloat16", "float16"})
_SHORT_INTEGERS = frozenset({"int8", "int16"})
"""Types in which only elementwise operators are tested at the level `standard`."""
_MOST_DIFFERENT, _STEPS_OF_ONE = 256, 8
"""How many different numbers bfloat16 holds with these steps."""
_MOST_FROZEN = 3
"""How many inputs are in turn without a gradient."""

CPU_SAMPLES_NOTE = (
    "OpInfo has no samples for this device. The samples for the CPU were copied to it."
)
_NO_REFERENCE_REASON = "There is no reference for this data type."
_RANDOM_RESULTS_REASON = "Results contain random numbers, which differ between devices."


@cache
def opinfo_by_name() -> dict[str, OpInfo]:
    """Return all operators of PyTorch's OpInfo database by their full names."""
    return {info.full_name: info for info in op_db}


@cache
def _tested_operators() -> dict[str, OpInfo]:
    """Return the operators of the suite by their full names, also those for lists of tensors.

    These, whose names begin with `_foreach_`, are in OpInfo databases of their own.
    """
    databases = (
        getattr(common_methods_invocations, f"foreach_{kind}_op_db", ())
        for kind in ("unary", "binary", "pointwise", "reduce", "other")
    )
    return {**opinfo_by_name(), **{i.full_name: i for database in databases for i in database}}


def _supported_types(info: OpInfo) -> frozenset[torch.dtype]:
    """Return the data types that the CPU supports.

    OpInfos for lists of tensors name all types. Those of the operator for one tensor count.
    """
    single = next((i for i in op_db if is_foreach(info) and i.op is info.ref), info)
    return frozenset(info.dtypes) & frozenset(single.dtypes)


def offers(matrix: Matrix) -> Iterator[Offer]:
    """Yield tests of each operator, forward and backward, with data types that the CPU supports."""
    name_by_dtype = {getattr(torch, name): name for name in matrix.axes["dtype"]}
    for name, info in sorted(_tested_operators().items()):
        supported = _supported_types(info)
        forward = frozenset(name_by_dtype[d] for d in supported if d in name_by_dtype)
        backward = frozenset(
            name_by_dtype[dtype]
            for dtype in info.backward_dtypes
            if dtype in name_by_dtype and (dtype.is_floating_point or dtype.is_complex)
        )
        if matrix.level == "standard" and not is_elementwise(info):
            forward -= _SHORT_INTEGERS
        if is_foreach(info):  # gradients are those of the operators for one tensor
            # The CPU lacks integers for several of them, which OpInfo does not say.
            forward, backward = forward & _ROUNDED_TYPES, backward & {"float32"}
        if forward:
            yield Offer(name, {"dtype": forward, "mode": frozenset({"forward"})})
        few = frozenset[str]()
        if matrix.level == "standard":
            few = forward & _COMPLEX_TYPES
            forward, backward = forward - few, backward - _COMPLEX_TYPES
        if info.supports_autograd and backward & forward and not changes_inputs(info):
            yield Offer(name, {"dtype": backward & forward, "mode": frozenset({"backward"})})
        variants = frozenset(mode for mode in VARIANTS if offers_variant(info, mode)) - {"combined"}
        # One type for each operator: other types use the same code around the kernel.
        variant_dtype = next(filter(forward.__contains__, matrix.axes["dtype"]), "")
        if variants and forward:
            yield Offer(name, {"dtype": frozenset({variant_dtype}), "mode": variants})
        if (forward | few) and offers_variant(info, "combined"):
            yield Offer(name, {"dtype": forward | few, "mode": frozenset({"combined"})})
        narrow = forward & _NARROW_TYPES - {variant_dtype}
        if narrow and offers_variant(info, "large"):
            yield Offer(name, {"dtype": narrow, "mode": frozenset({"large"})})


@full_float32()
def run(case: Case, context: Context) -> Result:
    """Run an operator on its samples, on the device and on the reference, and compare the results.

    The test passes if all compared numbers are correct and at least half of the samples were
    compared. Samples that the CPU cannot compute are not compared. If the CPU can compute none, the
    test is broken.
    """
    seed_only_present_devices()
    info = _tested_operators()[case.name]
    dtype: torch.dtype = getattr(torch, case["dtype"])
    backward = case["mode"] == "backward"
    tolerance = _operator_tolerance(info, dtype, context.matrix)
    comparison = Comparison(tolerance, same_dtype=not is_cpu(context.device))
    with_gradients = {"noncontiguous", "arguments", "combined", "repeat"}
    has_gradients = case["mode"] in with_gradients and info.supports_autograd
    requires_grad = backward or (has_gradients and (dtype.is_floating_point or dtype.is_complex))
    known_samples = _make_samples(info, dtype, case, context, requires_grad=requires_grad)
    if not known_samples:
        raise BrokenTestError("The operator has no sample inputs of this data type.")
    settings = context.matrix.settings
    small = [s for s in known_samples if _elements(s) <= settings["elements"]] or known_samples
    if _has_few_samples(dtype, context.matrix):
        samples = choose_samples(small, _MOST_COMPLEX)
    else:
        samples = choose_samples(small, settings["samples"], settings["further_samples"])
    context.metrics |= {"samples": (len(samples), "1"), "known-samples": (len(known_samples), "1")}
    limit = settings["comparisons"]
    context.tolerance, context.inputs = tolerance, _samples_text(samples, known_samples)
    lab = OperatorLab(info, samples, context, comparison, dtype, case.seed, limit)
    if backward and info.full_name.startswith(WITH_TIES):
        samples = [  # not the arguments: quantiles must stay between 0 and 1
            with_arguments(s, map_tensors(s, _untied).input, s.args, s.kwargs) for s in samples
        ]
    if case["mode"] in VARIANTS:
        if is_elementwise(info):  # OpInfo's samples have one axis
            images = (with_shape(sample, _IMAGES, case.seed) for sample in samples)
            lab = replace(lab, samples=[*islice(filter(None, images), 1), *samples])
        return _run_variant(case, context, lab)
    trials = [OperatorTest(info, sample, context.device, case.seed, backward) for sample in samples]
    cpu_errors: list[Exception] = []
    compared_trials = [
        trial
        for number, trial in enumerate(trials, 1)
        if _compare_sample(trial, number, lab, cpu_errors)
    ]
    for number, trial in enumerate(compared_trials[:limit], 1):
        _check_further(lab, trial, f"sample {number}")
    if len(cpu_errors) == len(trials):
        context.stage = "run"
        if is_foreach(info):  # OpInfo does not say which types the CPU has
            raise SkippedError(f"The CPU cannot compute it. {describe_error(cpu_errors[0])}")
        with context.on_reference():
            raise cpu_errors[0]
    context.observation = partial(
        observe_operators, lambda: [trial.on_device() for trial in compared_trials]
    )
    context.metrics |= comparison.metrics()
    return _compared_result(case, context, len(trials), len(compared_trials), cpu_errors)


@cache
def seed_only_present_devices() -> None:
    """Let `torch.manual_seed` do nothing for kinds of devices that this machine lacks.

    For each of them, PyTorch 2.13 would keep the seed with a stack trace, which takes a hundred
    times as long as to seed the CPU. OpInfo seeds before each call of some operators.
    """
    for name in ("cuda", "xpu", "mtia"):
        if (module := getattr(torch, name, None)) and not module.is_available():
            module.manual_seed_all = lambda seed: None  # noqa: ARG005 - as PyTorch calls it


def _check_further(lab: OperatorLab, trial: OperatorTest, what: str) -> None:
    """Compare gradients of some inputs alone or, forward, side effects and other quadrants."""
    for place, frozen in enumerate(_partly_frozen(trial.sample) if trial.backward else (), 1):
        lab.compare_gradients(frozen, f"{what} if number {place} needs none")
    if trial.backward:
        if not is_decomposition(lab.info):
            one_number = f"{what} where the gradient of the result is expanded"
            lab.compare_gradients(trial.sample, one_number, "one-number")
        return
    check_side_effects(lab, trial.sample, what)
    if lab.dtype.is_complex and not is_decomposition(lab.info):
        turned = map_tensors(trial.sample, in_all_quadrants)
        lab.compare_derived(turned, "numbers in all quadrants")
        with_zero = map_tensors(turned, beginning_with_zero)
        if is_elementwise(lab.info) and is_finite(lab.reference(with_zero)):
            lab.compare_derived(with_zero, "numbers of which one is 0")


def _elements(sample: SampleInput) -> int:
    return sum(value.numel() for value in tensors(sample_values(sample)))


def _has_few_samples(dtype: torch.dtype, matrix: Matrix) -> bool:
    return dtype.is_complex and matrix.level == "standard"


def _untied(value: torch.Tensor) -> torch.Tensor:
    """Return different numbers in the order of those of a tensor.

    Of equal numbers, each device gives the gradient to another one.
    """
    if not value.is_floating_point() or value.numel() > _MOST_DIFFERENT:
        return value
    ranks = value.detach().flatten().argsort(stable=True).argsort().view(value.shape)
    numbers = ((ranks - value.numel() // 2) / _STEPS_OF_ONE).to(value.dtype)
    return numbers.requires_grad_(value.requires_grad)


def _samples_text(samples: Sequence[SampleInput], known_samples: Sequence[SampleInput]) -> str:
    """Return how many samples run, and the largest: `8 of 20 samples, up to float32[5, 5]`."""
    largest = max(samples, key=lambda s: sum(t.numel() for t in tensors(sample_values(s))))
    return f"{len(samples)} of {len(known_samples)} samples, up to {sample_text(largest)}"


def _partly_frozen(sample: SampleInput) -> Iterator[SampleInput]:
    """Yield the sample with one input fewer that needs a gradient; nothing if only one does."""
    inputs = [value for value in tensors(sample_values(sample)) if value.requires_grad]
    for chosen in inputs[:_MOST_FROZEN] if len(inputs) > 1 else ():
        yield map_sample(sample, partial(_frozen, chosen))


def _frozen(chosen: torch.Tensor, value: Any) -> Any:
    if value is not chosen:
        return value
    frozen = chosen.detach()
    return marked(frozen) if is_marked(chosen) else frozen


def _run_variant(case: Case, context: Context, lab: OperatorLab) -> Result:
    """Run a variant of an operator on the samples.

    Raises SkippedError if no sample can be compared in this variant.
    """
    context.stage = "run"
    if reason := context.matrix.unchecked.get(case.name):
        raise SkippedError(reason)
    compared = sum(1 for _ in VARIANTS[case["mode"]](lab))
    if not compared:
        raise SkippedError("No sample of the operator can be compared in this variant.")
    context.metrics |= {"comparisons": (compared, "1"), **lab.comparison.metrics()}
    return Result("passed", "compare")


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
        has_no_wider_type = is_cpu(context.device) and dtype not in WIDER_TYPES
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
    trial: OperatorTest, number: int, lab: OperatorLab, cpu_errors: list[Exception]
) -> bool:
    """Run a sample on the device and the reference, and return whether numbers were compared.

    `number` is the sample's position, from 1, for messages. If the reference raises an
    exception, it is added to `cpu_errors`.
    """
    context, comparison = lab.context, lab.comparison
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
    what = f"{'a gradient' if trial.backward else 'the result'} for {sample_text(trial.sample)}"
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
    found, wanted = result.results, reference.results
    lab.compare_settled(found, wanted, trial.sample, trial.results_on_cpu, what)
    return True


def _make_samples(
    info: OpInfo, dtype: torch.dtype, case: Case, context: Context, *, requires_grad: bool
) -> list[SampleInput]:
    """Return the operator's samples for the device, at most MOST_KNOWN, on the CPU.

    Tensors to be copied to the device are marked. If the OpInfo fails for the device or creates no
    samples for it, the samples that the OpInfo creates for the CPU are returned, and all their
    tensors are marked.
    """
    has_more = context.matrix.settings["reference_inputs"] and case["mode"] == "forward"
    has_more = has_more and not _has_few_samples(dtype, context.matrix)
    function = info.reference_inputs if has_more else info.sample_inputs
    make_samples = partial(placed_samples, function, dtype=dtype, number=MOST_KNOWN)
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
    applies to `atol`. Integers have the tolerance of float32, the type of results with fractions.
    """
    name = str(dtype).removeprefix("torch.")
    tolerance = matrix.tolerances.get(name) or matrix.tolerances["float32"]
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
