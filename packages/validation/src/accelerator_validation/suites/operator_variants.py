"""Runs an operator in the variants in which wrong kernels hide, such as `out=` and in-place.

Each variant is a mode of the suite `operators`. The reference is what the operator returns on the
CPU, not the same variant on the CPU, whose variants can be wrong, too. Inputs for which the CPU
itself depends on the variant are not compared.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
from torch.testing._internal.opinfo.core import OpInfo, SampleInput

from accelerator_validation.classify import CheckFailedError, MismatchError
from accelerator_validation.suite_interface import Context
from accelerator_validation.suites.layouts import (
    LAYOUTS,
    enlarged,
    map_tensors,
    overlaps_itself,
    relaid,
    strides_differ,
    with_layout,
)
from accelerator_validation.suites.memory_use import grows_with_each_call
from accelerator_validation.suites.operator_call import RandomDetector
from accelerator_validation.suites.random_checks import LAWS, check_random
from accelerator_validation.suites.result_comparison import Comparison, leaves, tensors
from accelerator_validation.suites.sample_placement import (
    copy_tensor,
    marked,
    on_cpu,
    on_device,
    sample_text,
    sample_values,
)

_MOST_RESULT_ELEMENTS = 2_000_000
"""The maximum number of elements of a result on a large sample: outer products grow faster than
their inputs."""

DECOMPOSITIONS = (
    *("cholesky", "geqrf", "linalg", "logdet", "lu", "lobpcg", "ormqr", "pca_lowrank", "pinverse"),
    *("qr", "svd", "triangular_solve", "matrix_exp", "det"),
)
"""The beginnings of the names of operators of linear algebra. The library of a device chooses the
strides, signs and order of their results."""

_NEVER_LARGE = (
    *("as_strided", "nn.functional.multilabel_margin_loss", "nn.functional.multi_margin_loss"),
    *("grid_sampler", "nn.functional.grid_sample", "nn.functional.pdist", "nn.functional.ctc_loss"),
    *("combinations", "cartesian_prod", "block_diag", "kron", "histogramdd", "sparse", "unbind"),
)
"""The beginnings of the names of operators for which a large input takes minutes, or whose
arguments state sizes that would not fit a larger input."""

_REPEATS = 3
"""How often an operator is called with the same inputs, to compare the results."""


@dataclass(frozen=True)
class OperatorLab:
    """An operator with the samples to try, on a device."""

    info: OpInfo
    samples: Sequence[SampleInput]
    context: Context
    comparison: Comparison
    seed: int

    @property
    def device(self) -> str:
        """The device under test."""
        return self.context.device

    def call(self, sample: SampleInput, function: Any = None, **more: Any) -> Any:
        """Return what a function of the operator (default: the operator) returns for a sample."""
        torch.manual_seed(self.seed)
        operator = function or self.info
        return operator(sample.input, *sample.args, **{**sample.kwargs, **more})

    def on_cpu(self, sample: SampleInput) -> SampleInput:
        """Return a copy of a sample on the CPU, whose tensors can be changed."""
        return map_tensors(on_cpu(sample, self.device), _own_copy)

    def on_device(self, sample: SampleInput) -> SampleInput:
        """Return a copy of a sample on the device, whose tensors can be changed."""
        return on_device(sample, self.device)

    def reference(self, sample: SampleInput) -> list[object] | None:
        """Return the operator's results on the CPU; None if it fails or draws random numbers."""
        with suppress(Exception), self.context.on_reference(), RandomDetector() as detector:
            result = leaves(self.call(self.on_cpu(sample)))
            return None if detector.has_drawn else result
        self.context.reference = False
        return None

    def announce(self, what: str, sample: SampleInput) -> None:
        """Say which comparison begins, for the report of a crash."""
        self.context.announce(f"{what}: {sample_text(sample)}")

    def compare(self, found: object, wanted: object, what: str) -> None:
        """Raise MismatchError if results on the device differ from the reference."""
        self.context.stage = "compare"
        self.comparison.check(leaves(found), wanted, what)
        self.context.stage = "run"

    def agrees(self, found: object, wanted: object) -> bool:
        """Return whether two results of the CPU agree."""
        try:
            Comparison(self.comparison.tolerance).check(leaves(found), wanted, "the CPU's result")
        except MismatchError:
            return False
        return True

    def check_unchanged(self, before: SampleInput, after: SampleInput, what: str) -> None:
        """Raise MismatchError if a tensor of a sample on the device has other numbers."""
        pairs = zip(tensors(sample_values(before)), tensors(sample_values(after)), strict=True)
        for number, (old, new) in enumerate(pairs, 1):
            if old.layout is torch.strided and not _equal(old.cpu(), new.cpu()):
                raise MismatchError(f"{what} changed argument {number}")

    def keeps_arguments(self, sample: SampleInput) -> bool:
        """Return whether the CPU leaves the arguments of a sample alone."""
        copied = self.on_cpu(sample)
        self.call(copied)
        return self.has_same_numbers(sample, copied)

    @staticmethod
    def has_same_numbers(first: SampleInput, second: SampleInput) -> bool:
        """Return whether two samples on the CPU have the same numbers."""
        pairs = zip(tensors(sample_values(first)), tensors(sample_values(second)), strict=True)
        return all(old.layout is not torch.strided or _equal(old, new) for old, new in pairs)


def check_noncontiguous(lab: OperatorLab) -> Iterator[None]:
    """Compare results for permuted, stepped, shifted and expanded inputs with contiguous ones."""
    for sample in lab.samples:
        for layout in (*LAYOUTS, "expanded"):
            moved = with_layout(sample, layout)
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
            lab.compare(lab.call(placed), wanted, f"the result for {layout} inputs")
            lab.check_unchanged(moved, placed, f"the operator with {layout} inputs")
            yield


def check_out(lab: OperatorLab) -> Iterator[None]:
    """Compare what `out=` holds and returns, for tensors of several layouts and an empty one."""
    for sample in lab.samples:
        wanted = lab.reference(sample)
        if wanted is None or not wanted or not _are_strided(wanted):
            continue
        if not _cpu_accepts_out(lab, sample, wanted, "same"):
            continue
        for layout in ("same", *LAYOUTS[:2], "empty"):
            lab.announce(f"out= ({layout})", sample)
            placed, outs = lab.on_device(sample), _outs(wanted, layout, lab.device)
            try:
                returned = lab.call(placed, out=outs[0] if len(outs) == 1 else tuple(outs))
            except Exception:
                # Only now: PyTorch 2.13's `lu_unpack(out=)` crashes on the CPU for some layouts.
                if not _cpu_accepts_out(lab, sample, wanted, layout):
                    continue
                raise
            lab.compare(outs, wanted, f"out= ({layout})")
            if returned is not None:
                lab.compare(returned, wanted, f"what out= ({layout}) returns")
            if lab.keeps_arguments(sample):
                lab.check_unchanged(sample, placed, f"out= ({layout})")
            yield


def _cpu_accepts_out(
    lab: OperatorLab, sample: SampleInput, wanted: Sequence[object], layout: str
) -> bool:
    """Return whether the CPU accepts `out=` for a sample; its result may be wrong.

    PyTorch 2.13's `gelu(out=)` writes nothing on the CPU if the tensor has steps.
    """
    outs = _outs(wanted, layout, "cpu")
    out = outs[0] if len(outs) == 1 else tuple(outs)
    with lab.context.on_reference():
        lab.announce(f"out= ({layout})", sample)
        return _error(lambda: lab.call(lab.on_cpu(sample), out=out)) is None


def _outs(wanted: Sequence[object], layout: str, device: str) -> list[torch.Tensor]:
    """Return tensors for `out=` that are filled with ones, in a layout, on a device."""
    outs = []
    for value in tensors(wanted):
        filled = torch.ones((0,) if layout == "empty" else value.shape, dtype=value.dtype)
        moved = relaid(filled, layout)
        memory = torch.ones(_extent(moved), dtype=value.dtype).to(device)
        outs.append(memory.as_strided(moved.shape, moved.stride(), 0))
    return outs


def _extent(value: torch.Tensor) -> int:
    """Return how many elements of storage a tensor spans."""
    if not value.numel():
        return 0
    steps = zip(value.shape, value.stride(), strict=True)
    return 1 + int(sum((length - 1) * stride for length, stride in steps))


def check_inplace(lab: OperatorLab) -> Iterator[None]:
    """Compare the input after the in-place variant, its memory and version, and the result."""
    function, more = inplace_call(lab.info)
    for sample in lab.samples:
        if not isinstance(sample.input, torch.Tensor) or overlaps_itself(sample.input):
            continue
        for layout in ("same", *LAYOUTS[:2]):
            moved = _with_moved_input(sample, layout)
            kept = lab.on_cpu(moved)
            cpu_memory = _memory(kept.input)
            wanted = lab.reference(moved)
            failed = _error(lambda kept=kept: lab.call(kept, function, **more))  # type: ignore[misc]
            is_in_place = not failed and _memory(kept.input) == cpu_memory
            if not (is_in_place and wanted and lab.agrees(kept.input, wanted[:1])):
                continue  # another type or shape cannot be in place
            lab.announce(f"in place ({layout})", moved)
            placed = lab.on_device(moved)
            version, memory = _version(placed.input), _memory(placed.input)
            returned = lab.call(placed, function, **more)
            lab.compare(placed.input, wanted[:1], f"the input after in place ({layout})")
            lab.compare(returned, wanted[:1], f"what in place ({layout}) returns")
            if _memory(placed.input) != memory:
                raise MismatchError(f"in place ({layout}) moved the input to other memory")
            if _version(placed.input) == version and _version(kept.input) and kept.input.numel():
                raise MismatchError(f"in place ({layout}) did not count the version up")
            yield


def inplace_call(info: OpInfo) -> tuple[Any, Mapping[str, Any]]:
    """Return the in-place variant of an operator and its further arguments; None if it has none."""
    if info.inplace_variant is not None:
        return info.inplace_variant, {}
    with suppress(TypeError, ValueError):
        if "inplace" in inspect.signature(info.op).parameters:
            return info.op, {"inplace": True}
    return None, {}


def _with_moved_input(sample: SampleInput, layout: str) -> SampleInput:
    return map_tensors(
        sample, lambda value: relaid(value, layout) if value is sample.input else value
    )


def _memory(value: torch.Tensor) -> int:
    """Return the address of a tensor's storage; 0 if the device does not tell."""
    with suppress(Exception):
        return int(value.untyped_storage().data_ptr())
    return 0


def _version(value: torch.Tensor) -> int:
    return int(value._version)  # noqa: SLF001 - how autograd notices a change


def check_errors(lab: OperatorLab) -> Iterator[None]:
    """Expect an error where the CPU and PyTorch's own computation of shapes raise one."""
    for sample, is_listed in _wrong_inputs(lab):
        message = _error_of_call(lab, lab.on_cpu(sample))
        if message is None or "not implemented" in message:
            continue
        if not is_listed and _error_of_call(lab, on_device(sample, "meta")) is None:
            continue  # a kernel of the CPU refuses more than PyTorch does
        lab.announce("wrong input", sample)
        if _error_of_call(lab, lab.on_device(sample)) is None:
            raise CheckFailedError(f"no error, where the CPU says: {message[:120]}")
        yield


def _wrong_inputs(lab: OperatorLab) -> Iterator[tuple[SampleInput, bool]]:
    """Yield the inputs that OpInfo lists as wrong, and samples with one tensor that is too long.

    Each comes with whether OpInfo lists it.
    """
    if lab.info.error_inputs_func is not None:
        with suppress(Exception):
            for wrong in lab.info.error_inputs("cpu"):
                yield map_tensors(wrong.sample_input, marked), True
    for sample in lab.samples:
        floats = [v for v in tensors(sample_values(sample)) if v.dim() and v.is_floating_point()]
        if len(floats) < 2 or 0 in (sample.kwargs.get("beta"), sample.kwargs.get("alpha")):  # noqa: PLR2004 - shapes of two can differ
            continue  # what is multiplied by 0 need not be looked at
        for longer in floats[:3]:
            if longer.numel() and longer.layout is torch.strided:
                yield map_tensors(sample, partial(_lengthened, longer)), False


def _lengthened(chosen: torch.Tensor, value: torch.Tensor) -> torch.Tensor:
    """Return the tensor `chosen` with a longer last axis, and other values unchanged."""
    if value is not chosen:
        return value
    return torch.cat((value.detach(), value.detach().narrow(-1, 0, 1)), -1)


def _error_of_call(lab: OperatorLab, sample: SampleInput) -> str | None:
    return _error(lambda: lab.call(sample))


def _error(action: Callable[[], object]) -> str | None:
    """Return the text of the error that an action raises, or None."""
    try:
        result = action()
        [value.cpu() for value in tensors(leaves(result)) if value.device.type != "meta"]
    except Exception as error:  # noqa: BLE001 - whatever an operator raises
        return str(error) or type(error).__name__
    return None


def check_repeat(lab: OperatorLab) -> Iterator[None]:
    """Expect the same results from the same inputs, and no memory that is lost with each call."""
    for number, sample in enumerate(lab.samples):
        if lab.reference(sample) is None:
            continue
        lab.announce("again", sample)
        first = lab.call(lab.on_device(sample))
        for _ in range(_REPEATS):
            again = lab.call(lab.on_device(sample))
            for old, new in zip(tensors(leaves(first)), tensors(leaves(again)), strict=True):
                if old.layout is torch.strided and not _nearly_equal(old.cpu(), new.cpu()):
                    raise MismatchError("the same inputs give another result")
        if number == 0 and (
            lost := grows_with_each_call(lambda: lab.call(lab.on_device(sample)))  # noqa: B023 - called at once
        ):
            raise CheckFailedError(f"memory grows by {lost // 1024:,} KiB with each call")
        yield


def check_large(lab: OperatorLab) -> Iterator[None]:
    """Compare the results of an input with more than 100,000 elements."""
    if lab.info.full_name.startswith((*DECOMPOSITIONS, *_NEVER_LARGE)):
        return
    by_size = sorted(lab.samples, key=lambda s: -sum(v.numel() for v in tensors(sample_values(s))))
    for sample in by_size:
        large = enlarged(sample, lab.seed)
        if large is None or not _is_affordable(lab, large):
            continue
        wanted = lab.reference(large)
        if not wanted:
            continue
        lab.announce("large input", large)
        placed = lab.on_device(large)
        lab.compare(lab.call(placed), wanted, "the result for a large input")
        yield


def _is_affordable(lab: OperatorLab, large: SampleInput) -> bool:
    """Return whether the result of a large sample has a reasonable size."""
    with suppress(Exception):
        result = lab.call(on_device(map_tensors(large, marked), "meta"))
        sizes = [value.numel() for value in tensors(leaves(result))]
        return max(sizes, default=0) <= _MOST_RESULT_ELEMENTS
    return False


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
    "random": check_statistics,
}
"""The variants by mode. Each yields after each comparison."""


def offers_variant(info: OpInfo, mode: str) -> bool:
    """Return whether an operator has a variant."""
    if mode == "out":
        return bool(info.supports_out)
    if mode == "inplace":
        return inplace_call(info)[0] is not None
    if mode == "random":
        return info.full_name in LAWS
    return not info.is_factory_function or mode == "repeat"


def _own_copy(value: torch.Tensor) -> torch.Tensor:
    """Return a copy of a tensor of the CPU, with its strides and a storage of its own."""
    return copy_tensor(value, "cpu", value.dtype)


def _are_strided(values: Sequence[object]) -> bool:
    return all(
        isinstance(value, torch.Tensor) and value.layout is torch.strided for value in values
    )


def _equal(first: torch.Tensor, second: torch.Tensor) -> bool:
    first, second = first.detach().resolve_conj(), second.detach().resolve_conj()
    return bool(torch.equal(first.nan_to_num(), second.nan_to_num()))


def _nearly_equal(first: torch.Tensor, second: torch.Tensor) -> bool:
    """Return whether two results agree, up to the order in which a device adds numbers."""
    if not first.is_floating_point() and not first.is_complex():
        return bool(torch.equal(first, second))
    scale = max(1.0, float(second.abs().nan_to_num(posinf=0).max())) if second.numel() else 1.0
    return bool(torch.allclose(first, second, rtol=1e-5, atol=1e-6 * scale, equal_nan=True))
