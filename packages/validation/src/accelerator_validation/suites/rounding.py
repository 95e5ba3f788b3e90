"""Decides whether rounding explains that a result differs from the reference.

Rounding in a device's arithmetic has about the effect of rounding of the inputs. So the inputs are
changed by their last bit, and the reference is computed in a wider data type: what then changes in
the result is uncertain. A device also need not be more exact than PyTorch's own kernels for the CPU
in the same data type. This is looked at only after a comparison has failed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from typing import Any

import torch
from torch._decomp import decomposition_table
from torch.testing._internal.opinfo.core import SampleInput
from torch.utils._python_dispatch import TorchDispatchMode

from accelerator_reports.report import Tolerance
from accelerator_validation.suites.layouts import map_tensors
from accelerator_validation.suites.result_comparison import max_magnitude, tensors
from accelerator_validation.suites.sample_placement import WIDER_TYPES, sample_values, widen_sample

_DIRECTIONS = ((1, 1), (-1, -1), (1, -1), (-1, 1), (0, 0), (0, 0))
"""In which directions the numbers of the first tensor, and of every other one, are changed. At 0,
directions are drawn for each number."""

_ROUNDINGS_OF_ONE = 2
_ROUNDINGS_OF_MANY = 12
"""How many roundings of the inputs explain a difference, where each number of a result comes from
one of each input, and where it comes from many."""

Compute = Callable[[SampleInput], Sequence[object] | None]
"""Returns an operator's results for a sample on the CPU, or None if it cannot."""


@dataclass(frozen=True)
class RoundingLimits:
    """How much a result may differ from the reference in wider data types."""

    tolerance: Tolerance
    elementwise: bool
    """Whether each number of the result comes from one of each input. Otherwise, a number may be
    rounded as the greatest one of its tensor is."""
    certain: bool = False
    """Whether only numbers count that the CPU computes alike in the data types of the sample, in
    wider ones, and from other operators, as PyTorch decomposes operators."""
    on_cpu: bool = False
    """Whether the device is the CPU, whose own results explain nothing."""


def settled(
    found: Sequence[object],
    wanted: Sequence[object],
    sample: SampleInput,
    compute: Compute,
    limits: RoundingLimits,
) -> list[object]:
    """Return the results `found`, where rounding does not explain the difference from `wanted`.

    Elsewhere, and where the CPU computes the same in the data types of the sample or in wider ones,
    the numbers are those of `wanted`. Results of other shapes than the reference are returned as
    they are.
    """
    with suppress(Exception):
        wide = _wide(compute, sample)
        own = wide if limits.on_cpu else compute(sample)
        numbers = range(len(_DIRECTIONS))
        samples = [_changed(sample, number) for number in numbers]
        if not limits.elementwise:
            samples += [_changed(sample, number, like_greatest=True) for number in numbers]
        changed = [compute(changed_sample) for changed_sample in samples]
        if wide and own and len(found) == len(wanted) == len(wide):
            with _Decompositions() if limits.certain else nullcontext():
                other = (_wide(compute, sample) if limits.certain else None) or wide
            computed = zip(wide, own, other, *filter(None, changed), strict=True)
            parts = zip(found, wanted, computed, strict=True)
            is_exact = limits.elementwise and all(map(_has_halves, sample_values(sample)))
            return [_settled_part(*part, limits, is_exact=is_exact) for part in parts]
    return list(found)


class _Decompositions(TorchDispatchMode):
    """Computes operators from other ones, as PyTorch's compilers do."""

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        with suppress(Exception):
            return decomposition_table[func](*args, **(kwargs or {}))
        return func(*args, **(kwargs or {}))


def _wide(compute: Compute, sample: SampleInput) -> Sequence[object] | None:
    """Return the results in wider data types, also those of whole numbers."""
    usual = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        return compute(widen_sample(sample))
    finally:
        torch.set_default_dtype(usual)


def _changed(sample: SampleInput, number: int, *, like_greatest: bool = False) -> SampleInput:
    """Return the sample in wider data types, with numbers that differ by the last bit.

    `number` is the place in `_DIRECTIONS`. If `like_greatest` is true, it is the last bit of the
    greatest number of a tensor.
    """
    draw = torch.Generator().manual_seed(number)
    originals = enumerate(tensors(sample_values(sample)))

    def change(value: torch.Tensor) -> torch.Tensor:
        place, original = next(originals)
        if original.dtype not in WIDER_TYPES or value.layout is not torch.strided:
            return value
        signs = 2 * torch.randint(2, value.shape, generator=draw, dtype=torch.float64) - 1
        if direction := _DIRECTIONS[number][place % 2]:
            signs = torch.full_like(signs, direction)
        steps = signs * torch.finfo(original.dtype).eps
        if like_greatest:
            return value.detach() + steps * max_magnitude(value)
        return (value.detach() * (1 + steps)).to(original.dtype).to(value.dtype)

    return map_tensors(widen_sample(sample), change)


def _has_halves(value: object) -> bool:
    """Return whether all numbers are whole or halves, which operators like `round` keep exact."""
    if isinstance(value, torch.Tensor):
        return not value.is_complex() and bool(torch.all(2 * value == (2 * value).round()))
    return 2 * value % 1 == 0 if isinstance(value, float) else not isinstance(value, complex)


def _settled_part(
    found: object,
    wanted: object,
    computed: Sequence[object],
    limits: RoundingLimits,
    *,
    is_exact: bool,
) -> object:
    """Return one result.

    `computed` is the result in wider types, the CPU's own, that of PyTorch's decompositions, and
    those of changed inputs. If `is_exact` is true, rounding explains nothing where the result is
    whole or a half in all types.
    """
    values = [v.detach().cpu() for v in tensors((found, wanted, *computed))]
    are_alike = len({v.shape for v in values}) == 1 and {v.layout for v in values} == {
        torch.strided
    }
    if len(values) != 2 + len(computed) or not are_alike:
        return found
    result, reference, *parts = (v.resolve_conj().resolve_neg() for v in values)
    exact, kernel, decomposed, *varied = (
        value.to(result.dtype) for value in parts
    )  # all overflow alike
    roundings = _ROUNDINGS_OF_ONE if limits.elementwise else _ROUNDINGS_OF_MANY
    slack = roundings * torch.stack([_differences(other, exact) for other in varied]).amax(0)
    if not limits.elementwise and result.dtype in WIDER_TYPES:  # also where all inputs are whole
        slack = slack + torch.finfo(result.dtype).eps * max_magnitude(exact)
    if is_exact:
        slack = torch.where((kernel == exact) & (2 * exact == (2 * exact).round()), 0, slack)
    if exact.is_floating_point() or exact.is_complex():
        allowed = slack + _tolerated(exact, limits.tolerance)
        allowed_of_kernel = _tolerated(kernel, limits.tolerance)
    else:
        allowed = torch.where(slack > 0, torch.inf, 0)
        allowed_of_kernel = torch.zeros_like(allowed)
    is_explained = _differences(result, exact) <= allowed
    is_explained |= _differences(result, kernel) <= allowed_of_kernel
    if limits.certain and not limits.elementwise:
        is_explained |= _differences(result, exact) <= _largest_error(kernel, exact, allowed)
    if limits.certain:
        is_explained |= _differences(kernel, exact) > allowed
        is_explained |= _differences(decomposed, exact) > allowed
    if limits.elementwise and exact.is_floating_point():
        # What is finite in narrow types alone is a limit that the operator sets, as `nan_to_num`.
        is_cut = parts[0].isfinite() & exact.isinf() & kernel.isfinite()
        is_explained &= ~is_cut | (_differences(result, kernel) <= allowed_of_kernel)
    return torch.where(is_explained, reference.to(result.dtype), result)


def _largest_error(kernel: torch.Tensor, exact: torch.Tensor, allowed: torch.Tensor) -> float:
    """Return the largest finite error of the CPU's own result that is not allowed; 0 if none is.

    The device need not compute one number more exactly than the CPU computes another one.
    """
    if not (exact.is_floating_point() or exact.is_complex()) or not exact.numel():
        return 0
    errors = _differences(kernel, exact)
    return float(torch.where(errors.isfinite() & (errors > allowed), errors, 0).max())


def _tolerated(value: torch.Tensor, tolerance: Tolerance) -> torch.Tensor:
    magnitude = value.abs().double().nan_to_num(nan=0, posinf=0)
    return tolerance.atol + tolerance.rtol * magnitude


def _differences(first: torch.Tensor, second: torch.Tensor) -> torch.Tensor:
    """Return absolute differences: 0 between equal infinities or NaNs, infinite from others."""
    is_same = (first == second) | (first.isnan() & second.isnan())
    wide = torch.complex128 if first.is_complex() or second.is_complex() else torch.float64
    distance = (first.to(wide) - second.to(wide)).abs().nan_to_num(nan=torch.inf)
    if not (first.is_floating_point() or first.is_complex()):
        distance = distance.clamp(min=1)  # float64 rounds integers above 2**53
    return torch.where(is_same, 0, distance)
