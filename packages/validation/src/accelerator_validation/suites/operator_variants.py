"""Tries an operator's variants: out, in place, views, side effects and wrong calls.

Each variant is a mode of the suite `operators`. The reference is what the operator returns on the
CPU, not the same variant on the CPU, whose variants can be wrong, too. Inputs for which the CPU
itself depends on the variant are not compared.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import Any

import torch
from torch.testing._internal.opinfo.core import OpInfo, SampleInput

from accelerator_validation.case import CheckFailedError, MismatchError
from accelerator_validation.suites.combined_calls import (
    WRITES_TO_INDICES,
    CallDraw,
)
from accelerator_validation.suites.large_inputs import (
    check_large,
    has_large_inputs,
    is_affordable,
)
from accelerator_validation.suites.layouts import (
    LAYOUTS,
    map_tensors,
    overlaps_itself,
    relaid,
    strides_differ,
    surroundings,
    with_layout,
    with_many_tensors,
)
from accelerator_validation.suites.model_comparison import grows_with_each_call
from accelerator_validation.suites.operator_lab import (
    WITH_TIES,
    OperatorLab,
    changes_inputs,
    error_of,
    inplace_call,
    is_decomposition,
    is_elementwise,
    is_foreach,
    shapes,
)
from accelerator_validation.suites.other_arguments import (
    FAR,
    has_other_arguments,
    other_arguments,
)
from accelerator_validation.suites.random_checks import LAWS, RandomDetector, check_random
from accelerator_validation.suites.result_comparison import (
    leaves,
    max_magnitude,
    significant_strides,
    tensors,
)
from accelerator_validation.suites.sample_placement import (
    mark_like,
    marked,
    on_device,
    sample_text,
    sample_values,
    widen_sample,
    with_arguments,
)

# Checks what an operator does besides its numbers: arguments, strides and shared memory.


def check_side_effects(lab: OperatorLab, sample: SampleInput, what: str) -> None:
    """Raise MismatchError if the device treats arguments or results otherwise than the CPU does.

    The operator must leave the arguments alone that the CPU leaves alone. Results must have the
    strides of the CPU's results, or those that PyTorch computes for shapes alone. A result must
    share memory with an argument where that is so on the CPU, and nowhere else.
    """
    with lab.context.on_reference(), RandomDetector() as detector:
        wanted_sample = lab.on_cpu(sample)
        wanted = tensors(leaves(lab.call(wanted_sample)))
        keeps = lab.has_same_numbers(sample, wanted_sample)
    is_determined = not detector.has_drawn
    placed = lab.on_device(sample)
    found = tensors(leaves(lab.call(placed)))
    lab.context.stage = "compare"
    places = {value.device for value in tensors(sample_values(placed))}
    strays = {value.device for value in found} - places - {torch.device("cpu")}
    if places and strays:
        where = " and ".join(sorted(map(str, places)))
        raise MismatchError(f"the result of {what} is on {strays.pop()}, the inputs are on {where}")
    if keeps:
        lab.check_unchanged(sample, placed, f"the operator in {what}")
    elif is_determined:
        after, wanted_after = (tensors(sample_values(s)) for s in (placed, wanted_sample))
        lab.compare(after, wanted_after, f"an argument that {what} changes")
    if len(found) != len(wanted):
        return  # the comparison of numbers reports it
    if not is_decomposition(lab.info):
        check_result_strides(lab, sample, found, wanted, f"the result of {what}")
    found_reach, wanted_reach = _reached(found, placed), _reached(wanted, wanted_sample)
    if None not in {found_reach, wanted_reach} and found_reach != wanted_reach:
        verb = "shares" if any(found_reach or ()) else "does not share"
        raise MismatchError(f"the result of {what} {verb} memory with an argument")


def check_result_strides(
    lab: OperatorLab, sample: SampleInput, found: object, wanted: object, what: str
) -> None:
    """Raise MismatchError if results have other strides than the reference, and than computed."""
    pairs = zip(tensors(leaves(found)), tensors(leaves(wanted)), strict=True)
    for number, (value, reference) in enumerate(pairs):
        strides = significant_strides(value)
        if strides in (significant_strides(reference), _computed_strides(lab, sample, number)):
            continue
        strides_text = f"{value.stride()}, the reference has {reference.stride()}"
        raise MismatchError(f"{what} has the strides {strides_text}")


def _computed_strides(lab: OperatorLab, sample: SampleInput, number: int) -> list[int] | None:
    """Return the strides that PyTorch computes for a result from shapes alone; None if it fails."""
    from torch._subclasses.fake_tensor import FakeTensorMode
    from torch.utils._pytree import tree_map

    with suppress(Exception), FakeTensorMode() as mode:
        placed = lab.on_cpu(sample)
        values = (placed.input, tuple(placed.args), placed.kwargs)
        fake_input, fake_args, fake_kwargs = tree_map(
            lambda v: mode.from_tensor(v) if isinstance(v, torch.Tensor) else v, values
        )
        results = tensors(leaves(lab.info(fake_input, *fake_args, **fake_kwargs)))
        return significant_strides(results[number])
    return None


def _reached(results: list[torch.Tensor], sample: SampleInput) -> tuple[bool, ...] | None:
    """Write to the results, and return which arguments this changes; None if it cannot be written.

    Addresses of memory would tell the same, but not every device has them.
    """
    arguments = [value for value in tensors(sample_values(sample)) if value.numel()]
    try:
        before = [value.detach().cpu().clone() for value in arguments]
        for value in results:
            value.detach().fill_(77)
        after = [value.detach().cpu() for value in arguments]
        return tuple(not torch.equal(*pair) for pair in zip(before, after, strict=True))
    except Exception:  # noqa: BLE001 - sparse or overlapping results, or no operator to write
        return None


# Checks that a device raises an error where PyTorch does, such as for shapes that do not fit.

_NO_AXIS = 99
"""The number of an axis that no sample has."""
_SINGULAR = "a singular matrix"
_LAST_SINGULAR = "a singular matrix after others"
_WHOLE = "in place in whole numbers"
_LISTED = "wrong in OpInfo"
_AXIS_KIND = "an axis that does not exist"


@dataclass(frozen=True)
class WrongCall:
    """A call that should raise an error."""

    sample: SampleInput
    kind: str
    """What is wrong with it. Calls that OpInfo lists are `_LISTED`."""
    function: Any = None
    out: torch.Tensor | None = None

    def error(self, lab: OperatorLab, device: str) -> str | None:
        """Return the text of the error that the call raises on a device, or None."""
        more = {} if self.out is None else {"out": self.out.to(device)}

        def call() -> object:
            placed = lab.on_cpu(self.sample) if device == "cpu" else on_device(self.sample, device)
            return lab.call(placed, self.function, **more)

        return error_of(call)


def check_errors(lab: OperatorLab) -> Iterator[None]:
    """Expect an error where the CPU and PyTorch's own computation of shapes raise one."""
    counts: Counter[str] = Counter()
    for call in _wrong_calls(lab):
        if counts[call.kind] >= lab.limit and call.kind != _LISTED:
            continue
        with lab.context.on_reference():
            message = call.error(lab, "cpu")
        if message is None or "not implemented" in message:
            continue
        if call.kind == _WHOLE and "can't be cast" not in message:
            continue
        from_shapes = call.kind not in {_LISTED, _SINGULAR, _LAST_SINGULAR, _WHOLE}
        if from_shapes and call.error(lab, "meta") is None:
            continue  # a kernel of the CPU refuses more than PyTorch does
        lab.announce(f"wrong input ({call.kind})", call.sample)
        if call.error(lab, lab.device) is None:
            text = f"{sample_text(call.sample)}{'' if call.out is None else ', out='}"
            what = f"no error for {text} ({call.kind}), where the CPU says: {message[:120]}"
            raise CheckFailedError(what)
        counts[call.kind] += 1
        yield


def _wrong_calls(lab: OperatorLab) -> Iterator[WrongCall]:
    """Yield the calls that OpInfo lists as wrong, and calls derived from samples.

    Indices of elements that do not exist are not derived: on a GPU, they can end the process.
    """
    if lab.info.error_inputs_func is not None:
        with suppress(Exception):
            for wrong in lab.info.error_inputs("cpu"):
                yield WrongCall(map_tensors(wrong.sample_input, marked), _LISTED)
    for sample in lab.samples:
        if is_decomposition(lab.info):
            yield WrongCall(map_tensors(sample, torch.zeros_like), _SINGULAR)
            yield WrongCall(map_tensors(sample, _with_last_zero), _LAST_SINGULAR)
        yield from _wrong_shapes(sample)
        yield from _wrong_destinations(lab.info, sample)
        yield from _missing_axes(sample)


def _wrong_shapes(sample: SampleInput) -> Iterator[WrongCall]:
    if 0 in (sample.kwargs.get("beta"), sample.kwargs.get("alpha")):
        return  # what is multiplied by 0 need not be looked at
    floats = [v for v in tensors(sample_values(sample)) if v.dim() and v.is_floating_point()]
    for longer in floats[:3] if len(floats) > 1 else ():
        if longer.numel() and longer.layout is torch.strided:
            yield WrongCall(map_tensors(sample, partial(_lengthened, longer)), "shapes")


def _wrong_destinations(info: OpInfo, sample: SampleInput) -> Iterator[WrongCall]:
    found = tensors(sample_values(sample))
    inplace, more = inplace_call(info)
    if info.supports_out and found:
        yield WrongCall(sample, "the type of out=", out=torch.ones(0, dtype=torch.bool))
    if inplace and not more and isinstance(sample.input, torch.Tensor) and len(found) > 1:
        yield WrongCall(sample, "in place in a smaller tensor", inplace)
    if inplace and not more and isinstance(sample.input, torch.Tensor):
        whole = mark_like(sample.input.detach().to(torch.int64), sample.input)
        changed = with_arguments(sample, whole, sample.args, sample.kwargs)
        yield WrongCall(changed, _WHOLE, inplace)


def _missing_axes(sample: SampleInput) -> Iterator[WrongCall]:
    """Yield the sample with each of its whole numbers replaced by that of an axis it lacks."""
    for place, value in enumerate(sample.args):
        if type(value) is int:
            args = (*sample.args[:place], _NO_AXIS, *sample.args[place + 1 :])
            yield WrongCall(with_arguments(sample, sample.input, args, sample.kwargs), _AXIS_KIND)
    for name, value in sample.kwargs.items():
        if type(value) is int:
            kwargs = {**sample.kwargs, name: _NO_AXIS}
            yield WrongCall(with_arguments(sample, sample.input, sample.args, kwargs), _AXIS_KIND)


def _with_last_zero(value: torch.Tensor) -> torch.Tensor:
    changed = value.detach().clone()
    if value.dim() > 2:  # noqa: PLR2004 - a matrix has two
        changed[-1:] = 0
    return changed


def _lengthened(chosen: torch.Tensor, value: torch.Tensor) -> torch.Tensor:
    """Return the tensor `chosen` with a longer last axis, and other values unchanged."""
    if value is not chosen:
        return value
    return torch.cat((value.detach(), value.detach().narrow(-1, 0, 1)), -1)


_FILLED = 3
"""The number in a tensor for `out=` before a call: neither of the results of a comparison."""

_OUT_TYPES = (torch.float64, torch.float32, torch.int64, torch.uint8)
"""The data types of `out=` besides that of the result."""

_AXES_WITHOUT_CHANNELS = 3
_MOST_ALONE = 2
"""How many inputs of an operator have another layout alone."""

_COMBINED, _MOST_COMBINED = 30, 8
"""How many combined calls are drawn for one comparison of another kind, of which at most so many
count."""
_SHARE_OF_OTHERS = 0.5
"""How many of these are drawn for complex numbers, and for whole ones but int64."""
_SHARE_OF_FORMS, _SHARE_OF_GRADIENTS = 0.25, 0.6
"""The shares of combined calls that are also made with `out=` and in place, and with gradients."""

_MAGNITUDES = (1e-3, 1e4)
"""Between which the largest number of each tensor is if gradients are compared."""

_REPEATS = 3
"""How often an operator is called with the same inputs, to compare the results."""


def check_noncontiguous(lab: OperatorLab) -> Iterator[None]:
    """Compare results for permuted, stepped, shifted and expanded inputs with contiguous ones.

    If the samples require gradients, the gradients are compared, too.
    """
    layouts = [*LAYOUTS, "channels-last", "expanded", "expanded-indices", "expanded-row"]
    if "batch_norm" in lab.info.name or is_decomposition(lab.info):
        layouts.remove("expanded")  # statistics would be written, or a matrix would be singular
    if any(part in lab.info.full_name for part in WRITES_TO_INDICES):
        layouts.remove("expanded-indices")
    if lab.info.name.startswith("resize"):  # would return memory that nobody wrote
        layouts = [layout for layout in layouts if not layout.startswith("expanded")]
    for layout in layouts:
        yield from islice(_check_layout(lab, layout), lab.limit)
    raised = [] if is_decomposition(lab.info) else [_raised(sample) for sample in lab.samples]
    yield from islice(_check_layout(replace(lab, samples=raised), "channels-last"), lab.limit)
    for only in range(_MOST_ALONE):
        yield from islice(_check_layout(lab, "permuted", only), lab.limit)


def _raised(sample: SampleInput) -> SampleInput:
    """Return a sample whose input has a fourth axis, so that channels can come last."""

    def raised(value: torch.Tensor) -> torch.Tensor:
        if value is not sample.input or value.dim() != _AXES_WITHOUT_CHANNELS:
            return value
        return value.detach().unsqueeze(-1).repeat(1, 1, 1, 2)

    return map_tensors(sample, raised)


def _check_layout(lab: OperatorLab, layout: str, only: int | None = None) -> Iterator[None]:
    for sample in lab.samples:
        moved = with_layout(sample, layout, only)
        if not strides_differ(sample, moved):
            continue
        dense = map_tensors(moved, lambda value: value.detach().contiguous())
        wanted, on_strides = lab.reference(dense), lab.reference(moved)
        if wanted is None or on_strides is None or not lab.agrees(on_strides, wanted):
            continue  # the operator depends on strides, as `as_strided` does
        if not lab.keeps_arguments(dense):
            continue  # memory that is written must not overlap
        lab.announce(f"{layout} input", moved)
        placed = lab.on_device(moved)
        found = lab.call(placed)
        own, expected = lab.comparable(moved, leaves(found)), lab.comparable(moved, wanted)
        own, expected = lab.without_ties(moved, own, expected)
        lab.compare(own, expected, f"the result for {layout} inputs")
        lab.check_unchanged(moved, placed, f"the operator with {layout} inputs")
        if is_elementwise(lab.info):
            check_result_strides(lab, moved, found, on_strides, f"the result for {layout} inputs")
        if not layout.startswith("expanded"):  # gradients of overlapping memory are not defined
            lab.compare_gradients(moved, f"{layout} inputs", layout, dense)
        yield


def check_out(lab: OperatorLab) -> Iterator[None]:
    """Compare what `out=` holds and returns, for tensors of several layouts and an empty one.

    Also tensors of another data type are given, which PyTorch fills if it can convert the result.
    """
    for layout in ("same", *LAYOUTS[:2], "empty", "larger"):
        yield from islice(_check_out_layout(lab, layout), lab.limit)
    yield from islice(_check_out_layout(_odd_first(lab), "offset"), lab.limit)
    for dtype in _OUT_TYPES:
        yield from islice(_check_out_type(lab, dtype), lab.limit)


def _odd_first(lab: OperatorLab) -> OperatorLab:
    """Return the laboratory with samples at first whose elements do not fill vectors.

    A kernel that computes whole vectors writes behind such an input.
    """

    def filled(sample: SampleInput) -> float:
        sizes = [value.numel() for value in _inputs(sample) if value.dim()]
        return max((size & -size for size in sizes if size), default=math.inf)

    shorter = map(_with_odd_axes, lab.samples if is_elementwise(lab.info) else ())
    return replace(lab, samples=sorted([*lab.samples, *shorter], key=filled))


def _with_odd_axes(sample: SampleInput) -> SampleInput:
    """Return a copy of a sample in which axes of an even length are shorter by one."""
    return map_tensors(
        sample, lambda v: v.detach()[tuple(slice(n - 1 + n % 2) for n in v.shape)].contiguous()
    )


def _check_out_type(lab: OperatorLab, dtype: torch.dtype) -> Iterator[None]:
    for sample in lab.scalars_last:
        wanted = lab.reference(sample)
        if not wanted or not _are_strided(wanted) or wanted[0].dtype is dtype:  # type: ignore[attr-defined]
            continue
        expected = [value.to(dtype) for value in tensors(wanted)]
        on_cpu = _cpu_outs(lab, sample, expected, "same")
        if on_cpu is None or not lab.agrees(on_cpu, expected):
            continue  # the CPU does not convert, or computes in the other type
        lab.announce(f"out= of {dtype}", sample)
        outs = _outs(expected, "same", lab.device)
        lab.call(lab.on_device(sample), out=outs[0] if len(outs) == 1 else tuple(outs))
        lab.compare(
            lab.comparable(sample, outs), lab.comparable(sample, expected), f"out= of {dtype}"
        )
        yield


def _check_out_layout(lab: OperatorLab, layout: str) -> Iterator[None]:
    for sample in lab.samples:
        wanted = lab.reference(sample)
        if wanted is None or not wanted or not _are_strided(wanted):
            continue
        on_cpu = _cpu_outs(lab, sample, wanted, "larger" if layout == "larger" else "same")
        if on_cpu is None or (layout == "larger" and shapes(on_cpu) != shapes(wanted)):
            continue  # not each operator gives the tensor another shape
        lab.announce(f"out= ({layout})", sample)
        placed, outs = lab.on_device(sample), _outs(wanted, layout, lab.device)
        before = [*map(surroundings, outs)]
        try:
            returned = lab.call(placed, out=outs[0] if len(outs) == 1 else tuple(outs))
        except Exception:
            # Only now: PyTorch 2.13's `lu_unpack(out=)` crashes on the CPU for some layouts.
            if _cpu_outs(lab, sample, wanted, layout) is None:
                continue
            raise
        expected = lab.comparable(sample, wanted)
        for values, what in (
            (outs, f"out= ({layout})"),
            (returned, f"what out= ({layout}) returns"),
        ):
            found = expected if values is None else lab.comparable(sample, leaves(values))
            if lab.agrees(found, expected) or not _is_wrong_on_cpu(
                lab, sample, wanted, layout, found
            ):
                lab.compare(found, expected, what)
        _check_surroundings(before, outs, f"out= ({layout})")
        if lab.keeps_arguments(sample):
            lab.check_unchanged(sample, placed, f"out= ({layout})")
        yield


def _check_surroundings(
    before: Iterable[tuple[object, ...] | None], values: Iterable[torch.Tensor], what: str
) -> None:
    """Raise MismatchError if memory around tensors that stay in place has changed."""
    for old, new in zip(before, map(surroundings, values), strict=True):
        if old and new and old[:-1] == new[:-1] and not torch.equal(old[-1], new[-1]):
            raise MismatchError(f"{what} changes memory beside the tensor")


def _is_wrong_on_cpu(
    lab: OperatorLab,
    sample: SampleInput,
    wanted: Sequence[object],
    layout: str,
    found: Sequence[object],
) -> bool:
    """Return whether the CPU, as the reference of another device, writes into `out=` what it did.

    PyTorch 2.13's `gelu(out=)` writes nothing on the CPU if the tensor has steps.
    """
    if lab.device == "cpu":
        return False
    outs = _cpu_outs(lab, sample, wanted, layout)
    return outs is not None and lab.agrees(found, lab.comparable(sample, outs))


def _cpu_outs(
    lab: OperatorLab, sample: SampleInput, wanted: Sequence[object], layout: str
) -> list[torch.Tensor] | None:
    """Return what `out=` holds on the CPU for a sample, or None if the CPU does not accept it."""
    outs = _outs(wanted, layout, "cpu")
    out = outs[0] if len(outs) == 1 else tuple(outs)
    with lab.context.on_reference():
        lab.announce(f"out= ({layout})", sample)
        error = error_of(lambda: lab.call(lab.on_cpu(sample), out=out))
    return outs if error is None else None


def _outs(wanted: Sequence[object], layout: str, device: str) -> list[torch.Tensor]:
    """Return tensors for `out=` that are filled with one number, in a layout, on a device."""
    outs = []
    for value in tensors(wanted):
        longer = (*value.shape[:-1], value.shape[-1] + 1 if value.dim() else 2)
        shape = {"empty": (0,), "larger": longer}.get(layout, value.shape)
        moved = relaid(torch.empty(shape, dtype=value.dtype), layout)
        size = moved.untyped_storage().nbytes() // value.element_size()
        memory = torch.full((size,), _FILLED, dtype=value.dtype).to(device)
        outs.append(memory.as_strided(moved.shape, moved.stride(), moved.storage_offset()))
    return outs


def check_inplace(lab: OperatorLab) -> Iterator[None]:
    """Compare the input after the in-place variant, its memory and version, and the result."""
    for layout in ("same", *LAYOUTS[:2]):
        # The samples of operators for lists differ in what is in the further lists.
        number = lab.limit
        if layout == "same" and is_foreach(lab.info):
            many = (with_many_tensors(sample, lab.seed) for sample in lab.samples[: lab.limit])
            lab = replace(lab, samples=[*lab.samples, *filter(None, many)])
            number = len(lab.samples)
        yield from islice(_check_inplace_layout(lab, layout), number)
    yield from islice(_check_inplace_layout(_odd_first(lab), "offset"), lab.limit)


def _check_inplace_layout(lab: OperatorLab, layout: str) -> Iterator[None]:
    function, more = inplace_call(lab.info)
    for sample in lab.samples:
        number = len(_inputs(sample))
        if not number or any(map(overlaps_itself, _inputs(sample))):
            continue
        moved = _with_moved_input(sample, layout)
        kept = lab.on_cpu(moved)
        cpu_memory = _memory(kept)
        wanted = lab.reference(moved)
        failed = error_of(lambda kept=kept: lab.call(kept, function, **more))  # type: ignore[misc]
        if wanted == [] and not failed:  # an operator that only exists in place
            wanted = list(_inputs(kept))
        is_in_place = not failed and _memory(kept) == cpu_memory
        if not (is_in_place and wanted and lab.agrees(kept.input, wanted[:number])):
            continue  # another type or shape cannot be in place
        lab.announce(f"in place ({layout})", moved)
        placed = lab.on_device(moved)
        versions, memory = _versions(placed), _memory(placed)
        around = [*map(surroundings, _inputs(placed))]
        returned = lab.call(placed, function, **more)
        what = f"in place ({layout}) for {sample_text(moved)}"
        lab.compare(placed.input, wanted[:number], f"the input after {what}")
        if returned is not None:
            lab.compare(returned, wanted[:number], f"what {what} returns")
        if _memory(placed) != memory:
            raise MismatchError(f"{what} moved the input to other memory")
        _check_surroundings(around, _inputs(placed), what)
        counts = zip(_versions(placed), versions, _versions(kept), _inputs(kept), strict=True)
        is_list = isinstance(sample.input, (list, tuple))  # wrappers need not count for lists
        if not is_list and any(
            new == old and on_cpu and v.numel() for new, old, on_cpu, v in counts
        ):
            raise MismatchError(f"{what} did not count the version up")
        yield


def _inputs(sample: SampleInput) -> list[torch.Tensor]:
    """Return the tensors that a call in place changes: the input, or those of a list."""
    return tensors(leaves(sample.input))


def _with_moved_input(sample: SampleInput, layout: str) -> SampleInput:
    moved = set(map(id, _inputs(sample)))
    return map_tensors(sample, lambda v: relaid(v, layout) if id(v) in moved else v)


def _memory(sample: SampleInput) -> list[int]:
    """Return the addresses of the inputs' storages; none if the device does not tell."""
    with suppress(Exception):
        return [value.untyped_storage().data_ptr() for value in _inputs(sample)]
    return []


def _versions(sample: SampleInput) -> list[int]:
    """Return the counts by which autograd notices a change of the inputs."""
    return [int(value._version) for value in _inputs(sample)]  # noqa: SLF001


def check_repeat(lab: OperatorLab) -> Iterator[None]:
    """Expect the same results from the same inputs, and no memory that is lost with each call.

    Between the calls, the operator gets other numbers in the same shapes.
    """
    repeatable = (sample for sample in lab.samples if lab.reference(sample) is not None)
    measured: set[bool] = set()  # with tensors of one shape, and of several, as kernels differ
    for sample in islice(repeatable, lab.limit):
        lab.announce("again", sample)
        found = tensors(leaves(lab.call(lab.on_device(sample))))
        first = [value.detach().cpu() for value in found]
        other = map_tensors(
            sample, lambda value: value.detach().flip(0) if _can_flip(value) else value
        )
        with suppress(Exception):
            lab.call(lab.on_device(other))
        for _ in range(_REPEATS):
            again = lab.call(lab.on_device(sample))
            for old, new in zip(first, tensors(leaves(again)), strict=True):
                if old.layout is torch.strided and not _nearly_equal(old, new.detach().cpu()):
                    raise MismatchError("the same inputs give another result")
        lab.compare_derived(other, "other numbers in the same shapes")
        has_several = len({value.shape for value in tensors(sample_values(sample))}) > 1
        if has_several not in measured and any(value.numel() for value in first):
            measured.add(has_several)
            if lost := grows_with_each_call(partial(_call_on_device, lab, sample)):
                raise CheckFailedError(f"memory grows by {lost:,} bytes with each call")
        yield


def _call_on_device(lab: OperatorLab, sample: SampleInput) -> None:
    """Call the operator, forward and, where it has gradients, backward."""
    placed = lab.on_device(sample)
    found = lab.call(placed)
    with suppress(Exception):  # the mode `backward` reports it
        lab.gradients(placed, found, "contiguous")


def check_arguments(lab: OperatorLab) -> Iterator[None]:
    """Compare the results of calls in which one number or flag has another value.

    Before, the operator gets the same tensors with the values of the sample.
    """
    counts: Counter[str] = Counter()
    for sample in lab.samples:
        for what, changed in _other_calls(lab, sample):
            if counts[what] >= lab.limit or not is_affordable(lab, changed):
                continue
            with suppress(Exception):
                lab.call(lab.on_device(sample))
            if lab.compare_derived(changed, what):
                lab.compare_gradients(changed, what)
                if not counts[what]:
                    check_side_effects(lab, changed, what)
                counts[what] += 1
                yield


def _other_calls(lab: OperatorLab, sample: SampleInput) -> Iterator[tuple[str, SampleInput]]:
    for name, text, changed in other_arguments(lab.info, sample):
        yield f"{name} {text}", changed
        for shaped in _revealing(lab, sample, changed) if text == "negated" else ():
            yield f"{name} {text}, with another shape of {shaped.input.dim()} axes", shaped


def _revealing(
    lab: OperatorLab, sample: SampleInput, changed: SampleInput
) -> Iterator[SampleInput]:
    """Yield shapes for which a flag matters that changes nothing for the sample itself.

    Along one axis, all tensors but the first are half as long, as with `enable_gqa`.
    """
    if not lab.agrees(lab.reference(changed), lab.reference(sample)):
        return
    first, *others = tensors(sample_values(sample)) or [torch.empty(0)]
    for axis in range(first.dim() if others else 0):
        plain, flagged = (map_tensors(s, partial(_halved, first, axis)) for s in (sample, changed))
        wanted = lab.reference(flagged)
        if wanted is not None and not lab.agrees(wanted, lab.reference(plain)):
            yield flagged


def _halved(first: torch.Tensor, axis: int, value: torch.Tensor) -> torch.Tensor:
    if value is first or value.dim() <= axis or value.shape[axis] < 2:  # noqa: PLR2004 - a half
        return value
    return value.detach().narrow(axis, 0, value.shape[axis] // 2).contiguous()


def check_combined(lab: OperatorLab) -> Iterator[None]:
    """Compare the results of calls in which several things are unusual at once.

    A device may refuse such a call. If it computes a result, the result must be right.
    """
    lab = replace(lab, certain=True)
    overflowing = (
        lab.compare_derived(sample, "numbers whose squares overflow")
        for sample in _squares_overflow(lab)
    )
    for _ in islice(filter(None, overflowing), max(lab.limit, _MOST_COMBINED)):
        yield
    draw = CallDraw(lab, random.Random(lab.seed))  # noqa: S311 - tests, no secrets
    counts: Counter[str] = Counter()
    for what, sample in draw.fixed():
        if counts[what] < lab.limit and _compare_drawn(lab, draw.pick, what, sample):
            counts[what] += 1
            yield
    is_like_others = not lab.dtype.is_floating_point and lab.dtype is not torch.int64
    share = _SHARE_OF_OTHERS if is_like_others else 1
    for _ in range(int(_COMBINED * min(lab.limit, _MOST_COMBINED) * share)):
        drawn = draw.call()
        if drawn and _compare_drawn(lab, draw.pick, *drawn):
            yield


def _squares_overflow(lab: OperatorLab) -> Iterator[SampleInput]:
    """Yield inputs in float16 whose squares overflow, though the smaller result is finite.

    No other narrow type matters: squares overflow in bfloat16 where they do in float32. Each input
    is also tried alone: the default order of a norm squares, and no sample may have it.
    """
    if lab.dtype is not torch.float16 or is_elementwise(lab.info) or is_decomposition(lab.info):
        return
    most = torch.finfo(lab.dtype).max
    alone = [with_arguments(sample, sample.input, (), {}) for sample in lab.samples]
    for sample in (*alone, *lab.samples):
        is_dense = isinstance(sample.input, torch.Tensor) and _are_strided([sample.input])
        if not is_dense or not sample.input.is_floating_point():
            continue
        factor = 1.5 * most**0.5 / (max_magnitude(sample.input) or math.inf)
        scaled = map_tensors(sample, partial(_multiplied, chosen=sample.input, factor=factor))
        results = tensors(lab.reference(widen_sample(scaled)) or ())
        found = [v for v in results if v.is_floating_point() and v.layout is torch.strided]
        size = sum(value.numel() for value in found)
        is_finite = all(float(value.abs().max()) < most for value in found if value.numel())
        if factor and size < sample.input.numel() and is_finite and size:
            yield scaled


def _multiplied(value: torch.Tensor, chosen: torch.Tensor, factor: float) -> torch.Tensor:
    return value.detach() * factor if value is chosen else value


def _compare_drawn(lab: OperatorLab, pick: random.Random, what: str, sample: SampleInput) -> bool:
    dense = map_tensors(sample, lambda value: value.detach().contiguous())
    what, lab = f"{what} ({sample_text(sample)})", lab.with_types_of(sample)
    if is_decomposition(lab.info) and len(lab.reference(dense) or ()) > 1:
        return False  # they may differ in order and signs
    try:
        if not lab.compare_derived(sample, what, dense):
            return False
        has_choice = is_decomposition(lab.info) or lab.info.full_name.startswith(WITH_TIES)
        if has_choice or not all(map(_has_gradients, sample_values(sample))):
            return True
        if pick.random() < _SHARE_OF_GRADIENTS:
            layout = pick.choice(("contiguous", *LAYOUTS))
            lab.compare_gradients(sample, what, layout, dense)
        if pick.random() < _SHARE_OF_FORMS:
            _compare_forms(lab, sample, what)
    except MismatchError:
        if lab.agrees(lab.reference(sample), lab.reference(dense)):
            raise
    except Exception:  # noqa: BLE001 - the device need not support everything at once
        lab.context.stage = "run"
    return True


def _has_gradients(value: object) -> bool:
    """Return whether a value is neither NaN nor so small or large that powers of it are lost."""
    if isinstance(value, torch.Tensor):
        least, most = _MAGNITUDES
        is_rounded = value.is_floating_point() or value.is_complex()
        largest = max_magnitude(value) if is_rounded else 0
        return not bool(value.isnan().any()) and (not largest or least < largest < most)
    return not isinstance(value, (int, float)) or abs(value) < FAR


def _compare_forms(lab: OperatorLab, sample: SampleInput, what: str) -> None:
    """Compare `out=` and the in-place variant with what the device returned, where the CPU can."""
    wanted = lab.reference(sample) or []
    outs = _cpu_outs(lab, sample, wanted, "same") if lab.info.supports_out and wanted else None
    if outs and lab.agrees(outs, wanted):
        outs = _outs(wanted, "same", lab.device)
        lab.call(lab.on_device(sample), out=outs[0] if len(outs) == 1 else tuple(outs))
        own = lab.comparable(sample, leaves(lab.call(lab.on_device(sample))))
        found = lab.comparable(sample, outs)
        lab.compare_settled(found, own, sample, lab.reference, f"out= for {what}")
    function, more = inplace_call(lab.info)
    found = tensors(sample_values(sample))
    is_twice = len(set(map(id, found))) < len(found)  # of a matrix, the result is not defined
    if function and wanted and (is_elementwise(lab.info) or not is_twice):
        kept, placed = lab.on_cpu(sample), lab.on_device(lab.on_cpu(sample))
        failed = error_of(lambda: lab.call(kept, function, **more))
        if not failed and lab.agrees(kept.input, wanted[:1]):
            lab.call(placed, function, **more)
            own = leaves(lab.call(lab.on_device(sample)))
            found = [placed.input]
            lab.compare_settled(found, own, sample, lab.reference, f"in place for {what}")


def check_statistics(lab: OperatorLab) -> Iterator[None]:
    """Compare the numbers that a random operator draws with their law."""
    lab.context.announce("statistics")
    yield from check_random(lab.info.full_name, lab.device, lab.seed)


VARIANTS: Mapping[str, Callable[[OperatorLab], Iterator[None]]] = {
    "noncontiguous": check_noncontiguous,
    "out": check_out,
    "inplace": check_inplace,
    "errors": check_errors,
    "repeat": check_repeat,
    "large": check_large,
    "arguments": check_arguments,
    "combined": check_combined,
    "random": check_statistics,
}
"""The variants by mode. Each yields after each comparison."""


# `resize` returns memory that nobody wrote, `hfftn` of PyTorch 2.13 crashes, and results of the
# others grow as powers of the input.
_NOT_COMBINED = ("resize", "fft.hfft", "fft.ihfft", "combinations", "meshgrid", "cartesian_prod")


def offers_variant(info: OpInfo, mode: str) -> bool:
    """Return whether an operator has a variant."""
    if mode == "inplace":
        return inplace_call(info)[0] is not None
    if is_foreach(info):
        return mode == "large" and not changes_inputs(info)
    if mode == "out":
        return bool(info.supports_out)
    if mode == "arguments":
        return not is_decomposition(info) and has_other_arguments(info)
    if mode == "random":
        return info.full_name in LAWS
    is_small = mode == "large" and not has_large_inputs(info)
    is_excluded = mode == "combined" and info.name.startswith(_NOT_COMBINED)
    return mode == "repeat" or not (info.is_factory_function or is_small or is_excluded)


def _can_flip(value: torch.Tensor) -> bool:
    return value.layout is torch.strided and value.dim() > 0


def _are_strided(values: Sequence[object]) -> bool:
    return all(
        isinstance(value, torch.Tensor) and value.layout is torch.strided for value in values
    )


def _nearly_equal(first: torch.Tensor, second: torch.Tensor) -> bool:
    """Return whether two results agree, up to the order in which a device adds numbers."""
    if not first.is_floating_point() and not first.is_complex():
        return bool(torch.equal(first, second))
    scale = max(1.0, float(second.abs().nan_to_num(posinf=0).max())) if second.numel() else 1.0
    return bool(torch.allclose(first, second, rtol=1e-5, atol=1e-6 * scale, equal_nan=True))
