"""Compares the outputs of an ExecuTorch program with a reference, and checks the tolerances."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import starmap
from typing import Any

import torch

from accelerator_validation.case import MismatchError
from accelerator_validation.executorch.backend import Recipe

# float16 has 11 binary digits, bfloat16 has 8; several steps add up.
_NARROW_TOLERANCES = {torch.float16: 1e-2, torch.bfloat16: 2e-2}


@dataclass(frozen=True, slots=True)
class TensorDifference:
    """Statistics of the difference between an output and its reference, two tensors.

    Only positions at which both have finite numbers count.
    """

    largest: float
    """The greatest absolute difference."""
    mean: float
    """The mean absolute difference."""
    relative: float
    """The greatest absolute difference, divided by the greatest absolute value of the reference. It
    is infinite if the reference is 0 and the output is not."""
    mean_relative: float
    """The mean of the absolute differences, each divided by the reference number. Reference numbers
    that are 0 don't count; if all are 0, the result is NaN."""
    sqnr_db: float
    """The signal-to-noise ratio in dB: the norm of the reference, divided by the norm of the
    difference. It is infinite if there is no difference."""

    def metrics(self, output: int) -> dict[str, tuple[float, str]]:
        """Return the finite statistics as metrics: `{"output_0_error_max": (0.5, "1")}`.

        `output` is the number of the output, from 0.
        """
        statistics = {
            "error_max": (self.largest, "1"),
            "error_mae": (self.mean, "1"),
            "error_relative": (self.relative, "1"),
            "error_mean_relative": (self.mean_relative, "1"),
            "snr": (self.sqnr_db, "dB"),
        }
        return {
            f"output_{output}_{name}": (_four_digits(value), unit)
            for name, (value, unit) in statistics.items()
            if math.isfinite(value)
        }


def tensor_difference(found: torch.Tensor, wanted: torch.Tensor) -> TensorDifference | None:
    """Return the difference between an output and its reference.

    Returns None if the shapes differ, or if no position has finite numbers in both tensors.
    """
    if found.shape != wanted.shape:
        return None
    found_numbers, wanted_numbers = found.detach().double(), wanted.detach().double()
    is_finite = torch.isfinite(found_numbers) & torch.isfinite(wanted_numbers)
    if not is_finite.any():
        return None
    wanted_numbers = wanted_numbers[is_finite]
    deviation = found_numbers[is_finite] - wanted_numbers
    largest, max_reference = float(deviation.abs().max()), float(wanted_numbers.abs().max())
    relative_to_zero = math.inf if largest else 0.0
    relative = largest / max_reference if max_reference else relative_to_zero
    mean = float(deviation.abs().mean())
    return TensorDifference(
        largest,
        mean,
        relative,
        _mean_relative(wanted_numbers, deviation),
        _sqnr(wanted_numbers, deviation),
    )


def _mean_relative(signal: torch.Tensor, noise: torch.Tensor) -> float:
    is_nonzero = signal != 0
    return (
        float((noise[is_nonzero] / signal[is_nonzero]).abs().mean())
        if is_nonzero.any()
        else math.nan
    )


def _sqnr(signal: torch.Tensor, noise: torch.Tensor) -> float:
    signal_norm, noise_norm = float(signal.norm()), float(noise.norm())
    if not noise_norm:
        return math.inf
    return 20 * math.log10(signal_norm / noise_norm) if signal_norm else -math.inf


def check_outputs(
    found: Sequence[Any], wanted: Sequence[Any], recipe: Recipe, *, narrow: bool = False
) -> None:
    """Raise MismatchError if outputs of a program differ from `wanted` more than the recipe allows.

    If `narrow` is true, outputs in float16 and bfloat16 may also differ by the precision of their
    type.
    """
    if len(found) != len(wanted):
        outputs = f"{len(found)} outputs, the reference has {len(wanted)}"
        raise MismatchError(f"the program has {outputs}")
    for number, (output, reference) in enumerate(zip(found, wanted, strict=True)):
        what = f"output {number}" if len(found) > 1 else "the output"
        if isinstance(output, torch.Tensor) and isinstance(reference, torch.Tensor):
            _check_tensor(
                output, reference, what, _with_type_tolerance(output, recipe, narrow=narrow)
            )
        elif output != reference:
            raise MismatchError(f"{what} is {output!r:.100}, the reference is {reference!r:.100}")


def _with_type_tolerance(output: torch.Tensor, recipe: Recipe, *, narrow: bool) -> Recipe:
    min_tolerance = _NARROW_TOLERANCES.get(output.dtype, 0.0) if narrow else 0.0
    return replace(
        recipe, rtol=max(recipe.rtol, min_tolerance), atol=max(recipe.atol, min_tolerance)
    )


def _check_tensor(output: torch.Tensor, reference: torch.Tensor, what: str, recipe: Recipe) -> None:
    if output.shape != reference.shape:
        shapes = f"{tuple(output.shape)}, the reference has {tuple(reference.shape)}"
        raise MismatchError(f"{what} has the shape {shapes}")
    if not (output.is_floating_point() and reference.is_floating_point()):
        if not torch.equal(output, reference.to(output.dtype)):
            wrong_count = int((output != reference.to(output.dtype)).sum())
            raise MismatchError(
                f"{what} differs in {wrong_count} of {output.numel()} whole numbers"
            )
        return
    if recipe.sqnr_db is not None:
        _check_sqnr(output, reference, what, recipe.sqnr_db)
        return
    _check_nan(output, reference, what)
    try:
        torch.testing.assert_close(
            output.double(), reference.double(), rtol=recipe.rtol, atol=recipe.atol, equal_nan=True
        )
    except AssertionError as error:
        raise MismatchError(f"{what}: {error}") from None


def _check_nan(output: torch.Tensor, reference: torch.Tensor, what: str) -> None:
    """Raise MismatchError if an output has NaN where its reference has none."""
    nan_count = int((output.isnan() & ~reference.isnan()).sum())
    if nan_count:
        raise MismatchError(
            f"{what} has {nan_count} NaN of {output.numel()} where the reference has none"
        )


def _check_sqnr(
    output: torch.Tensor, reference: torch.Tensor, what: str, min_sqnr_db: float
) -> None:
    _check_nan(output, reference, what)
    is_nonfinite = ~torch.isfinite(reference)
    if not torch.equal(is_nonfinite, ~torch.isfinite(output)):
        raise MismatchError(f"{what} is not finite at different positions than the reference")
    difference = tensor_difference(output, reference)
    if difference and difference.sqnr_db < min_sqnr_db:
        sqnr_text = (
            f"{difference.sqnr_db:.1f} dB signal-to-noise ratio; the minimum is {min_sqnr_db:g} dB"
        )
        raise MismatchError(f"{what} differs from the reference: {sqnr_text}")


def worst_sqnr(found: Sequence[Any], wanted: Sequence[Any]) -> float | None:
    """Return the lowest finite signal-to-noise ratio of the floating-point outputs, in dB.

    Returns None if no output has a finite ratio. An output that equals its reference has an
    infinite ratio.
    """
    pairs = [
        (output, reference)
        for output, reference in zip(found, wanted, strict=False)
        if isinstance(output, torch.Tensor) and output.is_floating_point()
    ]
    values = [
        d.sqnr_db for d in starmap(tensor_difference, pairs) if d and math.isfinite(d.sqnr_db)
    ]
    return _four_digits(min(values)) if values else None


def _four_digits(value: float) -> float:
    return float(f"{value:.4g}")
