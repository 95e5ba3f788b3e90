"""Calls an operator on a device and on the CPU, and compares."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import torch
from torch.testing._internal.opinfo.core import (
    BinaryUfuncInfo,
    ForeachFuncInfo,
    OpInfo,
    SampleInput,
    UnaryUfuncInfo,
)
from torch.utils._pytree import tree_leaves

from accelerator_reports.report import Tolerance
from accelerator_validation.case import MismatchError
from accelerator_validation.suite_interface import Context
from accelerator_validation.suites.layouts import outline, relaid
from accelerator_validation.suites.random_checks import RandomDetector
from accelerator_validation.suites.result_comparison import (
    Comparison,
    leaves,
    max_magnitude,
    tensors,
)
from accelerator_validation.suites.rounding import Compute, RoundingLimits, settled
from accelerator_validation.suites.sample_placement import (
    WIDER_TYPES,
    copy_tensor,
    expected_device,
    is_cpu,
    on_cpu,
    on_device,
    sample_text,
    sample_values,
    widen_sample,
)

# Calls an operator on a sample, on the device and on the reference, with or without gradients.

_BOUND_TO_A_TYPE = frozenset({"nan_to_num", "nextafter"})
"""Operators whose results are other ones in a wider type, such as the greatest number of a type."""

# In evaluation mode, each device returns what its own backward pass needs as further results: the
# CPU empty tensors, CUDA statistics.
_BATCH_NORMS = frozenset({"_native_batch_norm_legit", "native_batch_norm"})


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
            if self.info.name in _BOUND_TO_A_TYPE or (
                input_dtypes
                and input_dtypes[0] not in WIDER_TYPES
                and not set(all_dtypes) & WIDER_TYPES.keys()
            ):
                return None
            sample = widen_sample(sample)
        with RandomDetector() as detector:
            result = self._compute(sample)
        return OperatorResult(result.outputs, result.gradients, detector.has_drawn)

    def results_on_cpu(self, sample: SampleInput) -> list[object]:
        """Return the results for another sample on the CPU, in its data types."""
        return self._compute(on_cpu(sample, self.device)).results

    def _compute(self, sample: SampleInput) -> OperatorResult:
        torch.manual_seed(self.seed)
        output = self.info(sample.input, *sample.args, **sample.kwargs)
        output = sample.output_process_fn_grad(output)
        gradients = input_gradients(sample, output) if self.backward else None
        if self.info.name in _BATCH_NORMS and any(argument is False for argument in sample.args):
            output = output[0]
        return OperatorResult(leaves(output), gradients)


def input_gradients(
    sample: SampleInput, output: object, layout: str = "contiguous"
) -> list[object]:
    """Return the gradients of the sample's inputs that require gradients.

    `layout` is the layout of the gradient of the output.
    """
    all_inputs = tensors(leaves([sample.input, sample.args, sample.kwargs]))
    inputs = [leaf for leaf in all_inputs if leaf.requires_grad]
    outputs = [leaf for leaf in tensors(leaves(output)) if leaf.requires_grad]
    if not inputs or not outputs:
        return []
    weights = [copy_tensor(relaid(_weights(o), layout), str(o.device), o.dtype) for o in outputs]
    return list(torch.autograd.grad(outputs, inputs, weights, allow_unused=True))


def _weights(output: torch.Tensor) -> torch.Tensor:
    """Return the gradient of an output to begin with: not all ones, which a kernel could ignore.

    Made on the CPU to be copied, as the device may lack an operator that fills a tensor.
    """
    numbers = torch.arange(output.numel(), dtype=torch.float64) % 7 / 4 + 0.5
    return numbers.view(output.shape).to(output.dtype)


_DECOMPOSITIONS = (
    *("cholesky", "geqrf", "linalg", "logdet", "lu", "lobpcg", "ormqr", "pca_lowrank", "pinverse"),
    *("qr", "svd", "triangular_solve", "matrix_exp", "det"),
)
"""The beginnings of the names of operators of linear algebra. The library of a device chooses the
strides, signs and order of their results."""
_NO_DECOMPOSITIONS = tuple(
    f"linalg.{name}"
    for name in ("vector_norm", "norm", "vecdot", "cross", "diagonal", "vander", "multi_dot")
)
"""Operators with such names that compute each number of the result in one way only."""

WITH_TIES = (
    *(
        "sort",
        "msort",
        "argsort",
        "quantile",
        "nanquantile",
        "topk",
        "kthvalue",
        "median",
        "nanmedian",
        "mode",
        "max_pool",
    ),
    *("nn.functional.max_pool", "nn.functional.adaptive_max_pool"),
    "nn.functional.fractional_max_pool",
)
"""The beginnings of the names of operators that return an index of one of several equal numbers.

Not among them are `max` and `min`, whose documentation names the first one, and `cummax` and
`cummin`, for which PyTorch's own backends return the last one."""


@dataclass(frozen=True)
class OperatorLab:
    """An operator with the samples to try, on a device."""

    info: OpInfo
    samples: Sequence[SampleInput]
    context: Context
    comparison: Comparison
    dtype: torch.dtype
    seed: int
    limit: int
    """How many comparisons of one kind are made."""
    certain: bool = False
    """Whether only numbers are compared that the CPU computes alike in wider data types, and of
    gradients, finite ones."""

    @property
    def device(self) -> str:
        """The device under test."""
        return self.context.device

    @property
    def scalars_last(self) -> list[SampleInput]:
        """The samples, those without a tensor of several elements at the end."""
        return sorted(
            self.samples,
            key=lambda s: all(v.numel() < 2 for v in tensors(sample_values(s))),  # noqa: PLR2004 - several
        )

    def call(self, sample: SampleInput, function: Any = None, **more: Any) -> Any:
        """Return what a function of the operator (default: the operator) returns for a sample."""
        torch.manual_seed(self.seed)
        operator = function or self.info
        return operator(sample.input, *sample.args, **{**sample.kwargs, **more})

    def on_cpu(self, sample: SampleInput) -> SampleInput:
        """Return a copy of a sample on the CPU, whose tensors can be changed."""
        return on_cpu(sample, self.device, _own_copy)

    def on_device(self, sample: SampleInput) -> SampleInput:
        """Return a copy of a sample on the device, whose tensors can be changed."""
        return on_device(sample, self.device)

    def reference(self, sample: SampleInput) -> list[object] | None:
        """Return the operator's results on the CPU; None if it fails or draws random numbers."""
        with suppress(Exception), self.context.on_reference():
            with RandomDetector() as detector:
                result = leaves(self.call(self.on_cpu(sample)))
            if not detector.has_drawn and any(value.is_complex() for value in tensors(result)):
                # PyTorch 2.13's `linalg.pinv` of several matrices is wrong while a mode watches.
                result = leaves(self.call(self.on_cpu(sample)))
            return None if detector.has_drawn else result
        self.context.reference = False
        return None

    def reference_gradients(self, sample: SampleInput, layout: str) -> list[object] | None:
        """Return the gradients of a sample's inputs on the CPU; None if it has none or fails."""
        with suppress(Exception), self.context.on_reference():
            placed = self.on_cpu(sample)
            return self.gradients(placed, self.call(placed), layout) or None
        self.context.reference = False
        return None

    @staticmethod
    def gradients(placed: SampleInput, found: object, layout: str) -> list[object]:
        """Return the gradients of the inputs, where the gradient of the result has a layout."""
        return input_gradients(placed, placed.output_process_fn_grad(found), layout)

    @staticmethod
    def comparable(sample: SampleInput, values: Sequence[object]) -> list[object]:
        """Return what is determined of an operator's results: of an SVD, not the signs."""
        with suppress(Exception):
            on_cpu = [v.cpu() if isinstance(v, torch.Tensor) else v for v in values]
            result = on_cpu[0] if len(values) == 1 else tuple(on_cpu)
            return leaves(sample.output_process_fn_grad(result))
        return list(values)

    def with_scale(self, scale: float) -> OperatorLab:
        """Return the laboratory for numbers that are smaller by a factor."""
        rtol, atol = self.comparison.tolerance.rtol, self.comparison.tolerance.atol
        tolerance = Tolerance(rtol=rtol, atol=atol * scale)
        return replace(self, comparison=replace(self.comparison, tolerance=tolerance))

    def announce(self, what: str, sample: SampleInput) -> None:
        """Say which comparison begins, for the report of a crash."""
        self.context.announce(f"{what}: {sample_text(sample)}")

    def compare(self, found: object, wanted: object, what: str) -> None:
        """Raise MismatchError if results on the device differ from the reference."""
        self.context.stage = "compare"
        self.comparison.check(leaves(found), wanted, what)
        self.context.stage = "run"

    def with_types_of(self, sample: SampleInput) -> OperatorLab:
        """Return the laboratory with the widest tolerance for the data types of a sample."""
        known = self.context.matrix.tolerances
        names = {str(getattr(v, "dtype", v)).removeprefix("torch.") for v in sample_values(sample)}
        found = [self.comparison.tolerance, *(known[name] for name in names & known.keys())]
        rtol, atol = max(t.rtol for t in found), max(t.atol for t in found)
        return replace(
            self, comparison=replace(self.comparison, tolerance=Tolerance(rtol=rtol, atol=atol))
        )

    def compare_derived(
        self, sample: SampleInput, what: str, reference: SampleInput | None = None
    ) -> bool:
        """Compare the result for a derived sample; return whether the CPU has one to compare.

        The reference is the result of the CPU for the sample or, if given, `reference`.
        Results are not compared if the device has PyTorch's own shapes and the CPU other ones, as
        of `pixel_unshuffle` without elements.
        """
        wanted = self.reference(reference or sample)
        if not wanted:
            return False
        self.announce(what, sample)
        found = self.comparable(sample, leaves(self.call(self.on_device(sample))))
        wanted = self.comparable(sample, wanted)
        if shapes(found) != shapes(wanted) and shapes(found) == shapes(self.on_meta(sample)):
            return False
        if self.certain and _has_more_nan(found, wanted):
            wide = self.comparable(sample, self.reference(widen_sample(sample)) or [])
            if _has_more_nan(wanted, wide):  # steps between overflow on the CPU, too
                return False
        lab = self.with_scale(_scale(wanted)) if self.certain else self
        text = sample_text(sample)
        where = f"the result for {what if text in what else f'{what} ({text})'}"
        try:
            lab.compare_settled(found, wanted, sample, self.reference, where)
        except MismatchError:
            composite = self.comparable(sample, self.composite(sample))
            if not composite or not lab.agrees(found, composite):
                raise
        return True

    def composite(self, sample: SampleInput) -> list[object]:
        """Return the results, on the CPU, of PyTorch's kernel for all devices.

        Empty if PyTorch has no such kernel beside that of the CPU, as it has of `addr`: a device
        that brings none of its own uses it, and some of its numbers differ.
        """
        key = torch._C.DispatchKey.CompositeExplicitAutograd  # noqa: SLF001
        with suppress(Exception), torch.no_grad():
            packet: Any = getattr(torch.ops.aten, self.info.aten_name or self.info.name)
            if packet.default.has_kernel_for_dispatch_key(key):  # without one, it would end here
                return leaves(self.call(self.on_cpu(sample), partial(packet.default._op_dk, key)))  # noqa: SLF001
        return []

    def compare_gradients(
        self,
        sample: SampleInput,
        what: str,
        layout: str = "contiguous",
        reference: SampleInput | None = None,
    ) -> None:
        """Compare the gradients of a sample's inputs, where the CPU has them for `reference`.

        `layout` is the layout of the gradient of the result. The reference is the sample unless
        given. Gradients are not compared if the CPU cannot compute those of the sample itself, or
        if they are other ones, as those of singular matrices may be.
        """
        wanted = self.reference_gradients(reference or sample, layout)
        own = self.reference_gradients(sample, layout) if reference else wanted
        if wanted is None or own is None or not self.agrees(own, wanted):
            return
        placed = self.on_device(sample)
        found = self.gradients(placed, self.call(placed), layout)
        if self.certain:
            found = [*map(_where_finite, found, wanted)]

        def compute(changed: SampleInput) -> list[object] | None:
            return self.reference_gradients(changed, layout)

        self.compare_settled(found, wanted, reference or sample, compute, f"a gradient for {what}")

    def compare_settled(
        self,
        found: Sequence[object],
        wanted: Sequence[object],
        sample: SampleInput,
        compute: Compute,
        what: str,
    ) -> None:
        """Raise MismatchError if rounding does not explain a difference from the reference."""
        found, wanted = self.without_ties(sample, found, wanted)
        if not self.agrees(found, wanted):
            limits = RoundingLimits(
                self.comparison.tolerance,
                is_elementwise(self.info),
                self.certain,
                self.device == "cpu",
            )
            found = settled(found, wanted, sample, compute, limits)
        self.compare(found, self._with_types(wanted, found, sample), what)

    def without_ties(
        self, sample: SampleInput, found: Sequence[object], wanted: Sequence[object]
    ) -> tuple[list[object], list[object]]:
        """Return results on the device and the reference without indices of equal numbers.

        Of equal numbers, a device may return the index of any, unless the sample asks for a stable
        order. The indices stay, to be compared, if the input has other numbers there.
        """
        same = list(found), list(wanted)
        name, own, others = self.info.full_name, tensors(found), tensors(wanted)
        if not name.startswith(WITH_TIES) or sample.kwargs.get("stable") or not own or not others:
            return same
        if not isinstance(sample.input, torch.Tensor) or own[-1].dtype is not torch.int64:
            return same
        numbers, indices = sample.input.detach().cpu(), own[-1].cpu()
        if name.startswith("argsort"):
            chosen = [*_numbers_at(numbers, others[-1].cpu())]
        elif len(own) > 1:
            chosen = [own[0].detach().cpu()] * len([*_numbers_at(numbers, indices)])
        else:
            return same
        distinct = not name.startswith(("sort", "argsort", "topk")) or _are_distinct(indices)
        pairs = zip(_numbers_at(numbers, indices), chosen, strict=False)
        equal = (_equal(a, b.reshape(a.shape)) for a, b in pairs if a.numel() == b.numel())
        if distinct and any(equal):
            return same[0][:-1], same[1][:-1]
        return same

    def _with_types(
        self, wanted: Sequence[object], found: Sequence[object], sample: SampleInput
    ) -> list[object]:
        """Return the reference's results in the types of `found`, where PyTorch computes these.

        The CPU's norms in bfloat16 return statistics in bfloat16, other devices in float32.
        """
        pairs = list(zip(tensors(found), tensors(wanted), strict=False))
        if all(f.dtype is w.dtype for f, w in pairs) or not self.comparison.same_dtype:
            return list(wanted)
        if [v.dtype for v in tensors(self.on_meta(sample))] == [v.dtype for v in tensors(found)]:
            return [w.to(f.dtype) for f, w in pairs]
        return list(wanted)

    def on_meta(self, sample: SampleInput) -> list[object]:
        """Return the operator's results on PyTorch's meta device; empty if it has none."""
        with suppress(Exception):
            return leaves(self.call(outline(sample)))
        return []

    def agrees(self, found: object, wanted: object) -> bool:
        """Return whether two results agree."""
        try:
            comparison = replace(self.comparison)  # which counts nothing
            comparison.check(leaves(found), wanted, "the result")
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


def is_decomposition(info: OpInfo) -> bool:
    """Return whether the library of a device chooses strides, signs or order of the results."""
    name = info.full_name
    return name.startswith(_DECOMPOSITIONS) and not name.startswith(_NO_DECOMPOSITIONS)


def is_finite(values: Sequence[object] | None) -> bool:
    """Return whether no number of the tensors is infinite or NaN."""
    found = [value for value in tensors(values or ()) if value.layout is torch.strided]
    return all(bool(value.isfinite().all()) for value in found)


def is_elementwise(info: OpInfo) -> bool:
    """Return whether an operator computes each number of the result from one of each input."""
    return isinstance(info, (UnaryUfuncInfo, BinaryUfuncInfo))


def is_foreach(info: OpInfo) -> bool:
    """Return whether an operator computes another one for each tensor of a list."""
    return isinstance(info, ForeachFuncInfo)


def changes_inputs(info: OpInfo) -> bool:
    """Return whether an operator for lists only exists in place, as `_foreach_zero_`."""
    return is_foreach(info) and info.op is info.inplace_variant


def inplace_call(info: OpInfo) -> tuple[Any, Mapping[str, Any]]:
    """Return the in-place variant of an operator and its further arguments; None if it has none."""
    if info.inplace_variant is not None:
        return info.inplace_variant, {}
    with suppress(TypeError, ValueError):
        if "inplace" in inspect.signature(info.op).parameters:
            return info.op, {"inplace": True}
    return None, {}


def error_of(action: Callable[[], object]) -> str | None:
    """Return the text of the error that an action raises, or None."""
    try:
        result = action()
        [value.cpu() for value in tensors(leaves(result)) if value.device.type != "meta"]
    except Exception as error:  # noqa: BLE001 - whatever an operator raises
        return str(error) or type(error).__name__
    return None


def _scale(results: Sequence[object]) -> float:
    """Return the greatest number of results, from 1 to where devices take numbers for 0."""
    found = [value for value in tensors(results) if value.is_floating_point()]
    least = max((torch.finfo(value.dtype).smallest_normal ** 0.5 for value in found), default=1)
    return min(1, max([least, *map(max_magnitude, found)]))


def _has_more_nan(values: Sequence[object], wanted: Sequence[object]) -> bool:
    """Return whether there is NaN in place of numbers."""
    pairs = zip(tensors(values), tensors(wanted), strict=False)
    return any(
        bool((one.cpu().isnan() & ~other.cpu().isnan()).any())
        for one, other in pairs
        if one.shape == other.shape and one.layout is other.layout is torch.strided
    )


def _where_finite(found: object, wanted: object) -> object:
    """Return a gradient, with the numbers of the reference where these are infinite or NaN."""
    if not isinstance(found, torch.Tensor) or not isinstance(wanted, torch.Tensor):
        return found
    own = found.detach().cpu()
    return torch.where(wanted.isfinite(), own, wanted) if own.shape == wanted.shape else found


def _own_copy(value: torch.Tensor) -> torch.Tensor:
    """Return a copy of a tensor of the CPU, with its strides and a storage of its own."""
    return copy_tensor(value, "cpu", value.dtype)


def _numbers_at(numbers: torch.Tensor, indices: torch.Tensor) -> Iterator[torch.Tensor]:
    """Yield the numbers that indices choose: along each axis, and on the axes from there on.

    Indices that lack an axis choose one number along it. Those of pooling count on several axes.
    """
    for axis in range(numbers.dim()):
        for source, places in (
            (numbers, indices),
            (numbers, indices.unsqueeze(axis) if axis <= indices.dim() else indices),
            (numbers.flatten(axis), indices.flatten(axis) if axis < indices.dim() else indices),
        ):
            with suppress(RuntimeError, IndexError):
                yield source.gather(axis, places)


def _are_distinct(indices: torch.Tensor) -> bool:
    """Return whether no index comes twice along one of the axes."""
    ordered = (indices.sort(axis).values.diff(dim=axis) for axis in range(indices.dim()))
    return not indices.dim() or any(bool((steps != 0).all()) for steps in ordered)


def shapes(values: Iterable[object]) -> list[torch.Size]:
    """Return the shapes of the tensors among values."""
    return [value.shape for value in tensors(values)]


def _equal(first: torch.Tensor, second: torch.Tensor) -> bool:
    first, second = first.detach().resolve_conj(), second.detach().resolve_conj()
    return bool(torch.equal(first.nan_to_num(), second.nan_to_num()))
