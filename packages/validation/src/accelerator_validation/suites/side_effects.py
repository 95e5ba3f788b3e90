"""Checks what an operator does besides its numbers: arguments, strides and shared memory."""

from __future__ import annotations

from contextlib import suppress

import torch
from torch.testing._internal.opinfo.core import SampleInput

from accelerator_validation.classify import MismatchError
from accelerator_validation.suites.operator_lab import OperatorLab, is_decomposition
from accelerator_validation.suites.random_checks import RandomDetector
from accelerator_validation.suites.result_comparison import (
    leaves,
    significant_strides,
    tensors,
)
from accelerator_validation.suites.sample_placement import sample_values


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
