"""Compares results of a device with a reference: structure, shapes, types and numbers.

In all functions, `what` names the compared value in error messages.
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from types import NoneType
from typing import Any

import torch
from torch.utils._pytree import tree_leaves

from accelerator_reports.report import Tolerance
from accelerator_validation.case import MismatchError


@dataclass
class Comparison:
    """Compares results with a reference, within a tolerance, and collects their differences.

    If `same_dtype` is false, data types may differ from those of the reference. `total` and
    `numbers` are the sum and the count of the finite absolute differences so far.
    """

    tolerance: Tolerance
    same_dtype: bool = True
    floor: float | None = None
    """If set, `atol` is multiplied by the greatest absolute value of the reference tensor, but at
    least by `floor`."""
    largest: float = 0.0
    """The greatest absolute difference of two finite numbers so far."""
    share: float = 0.0
    """The greatest difference so far, as a share of the largest number of its tensor; of gradients,
    the norm of the difference as a share of the norm."""
    total: float = 0.0
    numbers: int = 0

    def check(self, found: object, wanted: object, what: str) -> None:
        """Compare two tensors, values or nested structures of them.

        Raises MismatchError if they differ by more than the tolerance.
        """
        for part, found_value, wanted_value in _value_pairs(found, wanted, what):
            self._compare_leaf(found_value, wanted_value, part)

    def take(self, other: Comparison) -> None:
        """Add the differences that another comparison has collected to this one."""
        self.largest = max(self.largest, other.largest)
        self.share = max(self.share, other.share)
        self.total += other.total
        self.numbers += other.numbers

    def check_norm(
        self, found: torch.Tensor, wanted: torch.Tensor, what: str, floor: float
    ) -> None:
        """Compare two tensors by the norm of their difference, relative to the reference's norm.

        Use this for gradients, because single numbers may differ more near a kink of a function. If
        the reference's norm is less than `floor`, the difference is relative to `floor`. Raises
        MismatchError if shapes differ, or if the relative difference is larger than `rtol`.
        """
        found_numbers, wanted_numbers = (
            found.detach().cpu().double(),
            wanted.detach().cpu().double(),
        )
        if found_numbers.shape != wanted_numbers.shape:
            raise MismatchError(f"{what} and the reference have different shapes")
        distance, reference_norm = (
            float((found_numbers - wanted_numbers).norm()),
            max(float(wanted_numbers.norm()), floor),
        )
        self._add_differences(found_numbers, wanted_numbers)
        if reference_norm and math.isfinite(distance):
            self.share = max(self.share, distance / reference_norm)
        if not distance <= self.tolerance.rtol * reference_norm:  # also if it is NaN
            share = distance / reference_norm if reference_norm else math.inf
            limit_text = f"up to {self.tolerance.rtol:g} allowed"
            raise MismatchError(
                f"{what} differs by {share:.3g} of the reference's norm ({limit_text})"
            )

    def metrics(self) -> dict[str, tuple[float, str]]:
        """Return the metrics `max-abs-error`, `mean-abs-error` and `max-relative-error`.

        Each has the unit `1`. The relative error is a share of the largest number of the tensor.

        The result is empty if no number was compared.
        """
        if not self.numbers:
            return {}
        mean = self.total / self.numbers
        return {
            "max-abs-error": (_three_digits(self.largest), "1"),
            "mean-abs-error": (_three_digits(mean), "1"),
            "max-relative-error": (_three_digits(self.share), "1"),
        }

    def _compare_leaf(self, found_value: Any, wanted_value: Any, what: str) -> None:
        if not isinstance(found_value, torch.Tensor) or not isinstance(wanted_value, torch.Tensor):
            self._compare_plain_values(found_value, wanted_value, what)
            return
        found_value, wanted_value = found_value.detach().cpu(), wanted_value.detach().cpu()
        _check_shape_and_dtype(found_value, wanted_value, what, same_dtype=self.same_dtype)
        if (
            not self.same_dtype
            and found_value.is_floating_point()
            and wanted_value.dtype is torch.float64
        ):
            wanted_value = wanted_value.to(found_value.dtype)  # overflow then happens on both sides
        if _are_equal(found_value, wanted_value):
            self.numbers += int(found_value.isfinite().sum())
            return
        largest = self._add_differences(found_value, wanted_value)
        if largest and _is_rounded(wanted_value) and (scale := max_magnitude(wanted_value)):
            self.share = max(self.share, largest / scale)
        rtol, atol = self.tolerance.rtol, self.tolerance.atol
        if self.floor is not None:
            atol *= max(max_magnitude(wanted_value), self.floor)
        if not _is_rounded(found_value) and not _is_rounded(wanted_value):
            rtol = atol = 0  # integers are exact
        try:
            torch.testing.assert_close(
                found_value,
                wanted_value,
                equal_nan=True,
                check_dtype=False,
                check_stride=False,
                rtol=rtol,
                atol=atol,
            )
        except AssertionError as error:
            raise MismatchError(f"{what}: {error}") from None

    def _add_differences(self, found_value: torch.Tensor, wanted_value: torch.Tensor) -> float:
        """Add the differences between two tensors, where both have finite numbers.

        Return the greatest one.
        """
        largest = 0.0
        if (
            found_value.layout != torch.strided
            or found_value.is_quantized
            or not found_value.numel()
        ):
            return largest
        wide_dtype = (
            torch.complex128
            if found_value.is_complex() or wanted_value.is_complex()
            else torch.float64
        )
        deviations = (found_value.to(wide_dtype) - wanted_value.to(wide_dtype)).abs()
        deviations = deviations[torch.isfinite(deviations)]
        if deviations.numel():
            largest = float(deviations.max())
            self.largest = max(self.largest, largest)
            self.total += float(deviations.sum())
            self.numbers += deviations.numel()
        return largest

    def _compare_plain_values(self, found_value: object, wanted_value: object, what: str) -> None:
        if isinstance(found_value, bool | int | float | complex) and isinstance(
            wanted_value, int | float | complex
        ):
            if math.isnan(abs(found_value)) and math.isnan(abs(wanted_value)):
                return
            allowed = self.tolerance.atol + self.tolerance.rtol * abs(wanted_value)
            is_close = cmath.isfinite(wanted_value) and abs(found_value - wanted_value) <= allowed
            if is_close or found_value == wanted_value:
                return
        elif self._is_equal(found_value, wanted_value):
            return
        raise MismatchError(
            f"{what} is {found_value!r:.100}, the reference is {wanted_value!r:.100}"
        )

    def _is_equal(self, found_value: object, wanted_value: object) -> bool:
        if isinstance(found_value, torch.dtype) and not self.same_dtype:
            return True
        return type(found_value) is type(wanted_value) and (
            found_value == wanted_value or isinstance(found_value, torch.device)
        )


def _are_equal(found: torch.Tensor, wanted: torch.Tensor) -> bool:
    """Return whether all numbers are equal and none is NaN, in a tenth of the time of the rest."""
    has_numbers = found.layout is wanted.layout is torch.strided and not found.is_quantized
    with suppress(RuntimeError):  # as for complex32
        return has_numbers and found.dtype is wanted.dtype and torch.equal(found, wanted)
    return False


def _is_rounded(value: torch.Tensor) -> bool:
    return bool(value.is_floating_point() or value.is_complex() or value.is_quantized)


def leaves(value: object) -> list[object]:
    """Return the values in a nested structure, such as a dict of tuples, in order. Omit None."""
    return [leaf for leaf in all_leaves(value) if leaf is not None]


def all_leaves(value: Any) -> list[Any]:
    """Return what `tree_leaves` does, which takes a tenth of the time of a test of an operator."""
    kind = type(value)
    if kind is dict:
        value = value.values()
    elif kind is not tuple and kind is not list:
        return [value] if is_leaf(value) else tree_leaves(value)
    return [leaf for item in value for leaf in all_leaves(item)]


_LEAF_TYPES = (torch.Tensor, int, float, str, NoneType)


def is_leaf(value: object) -> bool:
    """Return whether a value surely is a leaf, in less time than it takes `tree_leaves`."""
    return isinstance(value, _LEAF_TYPES)


def max_magnitude(value: torch.Tensor) -> float:
    """Return the greatest absolute value of a tensor's finite numbers, or 0 if it has none."""
    finite = value.detach()[torch.isfinite(value)].abs()
    return float(finite.max()) if finite.numel() else 0.0


def check_structure(found: object, wanted: object, what: str, *, same_dtype: bool) -> None:
    """Raise MismatchError if results differ in their number of values, or in tensor shapes.

    If `same_dtype` is true, data types are compared, too. The numbers in tensors are not compared.
    """
    for part, found_value, wanted_value in _value_pairs(found, wanted, what):
        if isinstance(found_value, torch.Tensor) and isinstance(wanted_value, torch.Tensor):
            _check_shape_and_dtype(found_value, wanted_value, part, same_dtype=same_dtype)


def check_device(found: object, device: str, what: str) -> None:
    """Raise MismatchError if a tensor in `found` is not on the device type `device`."""
    for leaf in tensors(leaves(found)):
        if leaf.device.type != device:
            raise MismatchError(f"{what} is on {leaf.device.type}, not on {device}")


def check_strides(found: object, wanted: object, what: str) -> None:
    """Raise MismatchError if the tensors in two structures have different strides.

    The strides of axes of length 1 are not compared.
    """
    for part, found_value, wanted_value in _value_pairs(found, wanted, what):
        if not isinstance(found_value, torch.Tensor) or not isinstance(wanted_value, torch.Tensor):
            continue
        if significant_strides(found_value) != significant_strides(wanted_value):
            strides = f"{found_value.stride()}, the reference has {wanted_value.stride()}"
            raise MismatchError(f"{part} has the strides {strides}")


def _value_pairs(found: object, wanted: object, what: str) -> Iterator[tuple[str, object, object]]:
    """Yield the name, the found value and the wanted value of each part of two nested structures.

    Raises MismatchError if the structures have different numbers of parts.
    """
    found_values, wanted_values = leaves(found), leaves(wanted)
    if len(found_values) != len(wanted_values):
        raise MismatchError(
            f"{what} has {len(found_values)} parts, the reference has {len(wanted_values)}"
        )
    for number, (found_value, wanted_value) in enumerate(
        zip(found_values, wanted_values, strict=True), 1
    ):
        yield f"{what}, part {number}" if len(found_values) > 1 else what, found_value, wanted_value


def _check_shape_and_dtype(
    found_value: torch.Tensor, wanted_value: torch.Tensor, what: str, *, same_dtype: bool
) -> None:
    if found_value.shape != wanted_value.shape:
        shapes = f"{tuple(found_value.shape)}, the reference has {tuple(wanted_value.shape)}"
        raise MismatchError(f"{what} has the shape {shapes}")
    if same_dtype and found_value.dtype != wanted_value.dtype:
        raise MismatchError(
            f"{what} has {found_value.dtype}, the reference has {wanted_value.dtype}"
        )


def significant_strides(value: torch.Tensor) -> list[int]:
    """Return the strides of a tensor's axes that are longer than 1.

    The result is empty for empty tensors and for tensors without strides, such as sparse ones.
    """
    if value.layout != torch.strided or not value.numel():
        return []
    return [s for length, s in zip(value.shape, value.stride(), strict=True) if length > 1]


def value_text(value: object) -> str:
    """Return a text that describes a value: `float32[2, 3]` for a tensor."""
    if isinstance(value, torch.Tensor):
        dtype = str(value.dtype).removeprefix("torch.")
        strided = value.layout is torch.strided and not value.is_contiguous()
        strides = f" with strides {tuple(value.stride())}" if strided else ""
        return f"{dtype}{list(value.shape)}{strides}"
    if isinstance(value, list | tuple):
        return f"({', '.join(map(value_text, value))})"
    return repr(value)


def tensors(values: Iterable[object]) -> list[torch.Tensor]:
    """Return the values that are tensors."""
    return [value for value in values if isinstance(value, torch.Tensor)]


def _three_digits(value: float) -> float:
    return float(f"{value:.3g}")
