"""Compares results of a device with a reference: structure, shapes, types and numbers.

In all functions, `what` names the compared value in error messages.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch.utils._pytree import tree_flatten

from accelerator_validation.classify import MismatchError
from accelerator_validation.matrix import Tolerance


@dataclass
class Comparison:
    """Compares results with a reference, within a tolerance, and collects their differences.

    `total` and `numbers` are the sum and the count of the finite absolute differences so far.
    """

    tolerance: Tolerance
    same_dtype: bool = True
    floor: float | None = None
    """If set, `atol` is multiplied by the greatest absolute value of the reference tensor, at least
    by `floor`."""
    largest: float = 0.0
    """The greatest absolute difference of two finite numbers."""
    total: float = 0.0
    numbers: int = 0

    def check(self, found: object, wanted: object, what: str) -> None:
        """Compare two results of any structure. Raises MismatchError if they differ too much."""
        for part, one, other in _value_pairs(found, wanted, what):
            self._compare_leaf(one, other, part)

    def take(self, other: Comparison) -> None:
        """Add the differences of another comparison to this one."""
        self.largest = max(self.largest, other.largest)
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
        one, other = found.detach().cpu().double(), wanted.detach().cpu().double()
        if one.shape != other.shape:
            raise MismatchError(f"{what} and the reference have different shapes")
        self._add_differences(one, other)
        distance, length = float((one - other).norm()), max(float(other.norm()), floor)
        if not distance <= self.tolerance.rtol * length:  # also if it is NaN
            part = distance / length if length else math.inf
            room = f"up to {self.tolerance.rtol:g} allowed"
            raise MismatchError(f"{what} differs by {part:.3g} of the reference's norm ({room})")

    def metrics(self) -> dict[str, tuple[float, str]]:
        """Return `max-abs-error` and `mean-abs-error`, each as (value, "1").

        The result is empty if no number was compared.
        """
        if not self.numbers:
            return {}
        mean = self.total / self.numbers
        return {
            "max-abs-error": (_three_digits(self.largest), "1"),
            "mean-abs-error": (_three_digits(mean), "1"),
        }

    def _compare_leaf(self, one: Any, other: Any, what: str) -> None:
        if not isinstance(one, torch.Tensor) or not isinstance(other, torch.Tensor):
            self._compare_plain_values(one, other, what)
            return
        one, other = one.detach().cpu(), other.detach().cpu()
        _check_shape_and_dtype(one, other, what, same_dtype=self.same_dtype)
        if not self.same_dtype and one.is_floating_point() and other.dtype is torch.float64:
            other = other.to(one.dtype)  # overflow then happens on both sides
        self._add_differences(one, other)
        room = self.tolerance.atol
        if self.floor is not None:
            room *= max(max_magnitude(other), self.floor)
        close: dict[str, Any] = {"rtol": self.tolerance.rtol, "atol": room}
        try:
            torch.testing.assert_close(
                one, other, equal_nan=True, check_dtype=False, check_stride=False, **close
            )
        except AssertionError as error:
            raise MismatchError(f"{what}: {error}") from None

    def _add_differences(self, one: torch.Tensor, other: torch.Tensor) -> None:
        """Add the differences between numbers that are finite on both sides."""
        if one.layout != torch.strided or one.is_quantized or not one.numel():
            return
        wide = torch.complex128 if one.is_complex() or other.is_complex() else torch.float64
        deviations = (one.to(wide) - other.to(wide)).abs()
        deviations = deviations[torch.isfinite(deviations)]
        if deviations.numel():
            self.largest = max(self.largest, float(deviations.max()))
            self.total += float(deviations.sum())
            self.numbers += deviations.numel()

    def _compare_plain_values(self, one: object, other: object, what: str) -> None:
        if isinstance(one, bool | int | float | complex) and isinstance(
            other, int | float | complex
        ):
            if math.isnan(abs(one)) and math.isnan(abs(other)):
                return
            room = self.tolerance.atol + self.tolerance.rtol * abs(other)
            if one == other or abs(one - other) <= room:
                return
        elif self._is_equal(one, other):
            return
        raise MismatchError(f"{what} is {one!r:.100}, the reference is {other!r:.100}")

    def _is_equal(self, one: object, other: object) -> bool:
        if isinstance(one, torch.dtype) and not self.same_dtype:
            return True
        return type(one) is type(other) and (one == other or isinstance(one, torch.device))


def leaves(value: object) -> list[object]:
    """Return the values in a nested structure in order, without None."""
    return [leaf for leaf in tree_flatten(value)[0] if leaf is not None]


def max_magnitude(value: torch.Tensor) -> float:
    """Return the greatest absolute value of the finite numbers in a tensor, or 0 without any."""
    finite = value.detach()[torch.isfinite(value)].abs()
    return float(finite.max()) if finite.numel() else 0.0


def check_structure(found: object, wanted: object, what: str, *, same_dtype: bool) -> None:
    """Raise MismatchError if results differ in their number of values, tensor shapes or data types.

    Data types are compared only if `same_dtype` is true. The numbers in tensors are not compared.
    """
    for part, one, other in _value_pairs(found, wanted, what):
        if isinstance(one, torch.Tensor) and isinstance(other, torch.Tensor):
            _check_shape_and_dtype(one, other, part, same_dtype=same_dtype)


def check_device(found: object, device: str, what: str) -> None:
    """Raise MismatchError if a tensor is not on the device type `device`, such as `cuda`."""
    for leaf in tensors(leaves(found)):
        if leaf.device.type != device:
            raise MismatchError(f"{what} is on {leaf.device.type}, not on {device}")


def check_strides(found: object, wanted: object, what: str) -> None:
    """Raise MismatchError if tensors differ in the strides of axes longer than one."""
    for part, one, other in _value_pairs(found, wanted, what):
        if not isinstance(one, torch.Tensor) or not isinstance(other, torch.Tensor):
            continue
        if _significant_strides(one) != _significant_strides(other):
            strides = f"{one.stride()}, the reference has {other.stride()}"
            raise MismatchError(f"{part} has the strides {strides}")


def _value_pairs(found: object, wanted: object, what: str) -> Iterator[tuple[str, object, object]]:
    """Yield the name, the found value and the wanted value of each part of two nested structures.

    Raises MismatchError if they have different numbers of parts.
    """
    ours, wanted_values = leaves(found), leaves(wanted)
    if len(ours) != len(wanted_values):
        raise MismatchError(f"{what} has {len(ours)} parts, the reference has {len(wanted_values)}")
    for number, (one, other) in enumerate(zip(ours, wanted_values, strict=True), 1):
        yield f"{what}, part {number}" if len(ours) > 1 else what, one, other


def _check_shape_and_dtype(
    one: torch.Tensor, other: torch.Tensor, what: str, *, same_dtype: bool
) -> None:
    if one.shape != other.shape:
        shapes = f"{tuple(one.shape)}, the reference has {tuple(other.shape)}"
        raise MismatchError(f"{what} has the shape {shapes}")
    if same_dtype and one.dtype != other.dtype:
        raise MismatchError(f"{what} has {one.dtype}, the reference has {other.dtype}")


def _significant_strides(value: torch.Tensor) -> list[int]:
    """Return the strides of axes longer than one. An empty or non-strided tensor has none."""
    if value.layout != torch.strided or not value.numel():
        return []
    return [s for length, s in zip(value.shape, value.stride(), strict=True) if length > 1]


def tensors(values: Iterable[object]) -> list[torch.Tensor]:
    """Return the values that are tensors."""
    return [value for value in values if isinstance(value, torch.Tensor)]


def _three_digits(value: float) -> float:
    return float(f"{value:.3g}")
