"""Generic operator tests: PyTorch's OpInfo database, each operator on the device and on the CPU.

The samples are made on the CPU and copied, so that every device gets the same numbers. On the CPU
itself the reference is the same operator in a wider type.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import islice
from typing import Any

import torch
from torch.testing._internal.common_device_type import toleranceOverride
from torch.testing._internal.common_methods_invocations import op_db
from torch.testing._internal.opinfo.core import DecorateInfo, OpInfo, SampleInput
from torch.utils._python_dispatch import TorchDispatchMode

from accelerator_portal.validation.case import Case, Result
from accelerator_portal.validation.classify import BrokenTestError, UncheckedError
from accelerator_portal.validation.context import Context
from accelerator_portal.validation.matrix import Matrix, Tolerance
from accelerator_portal.validation.plan import Offer
from accelerator_portal.validation.suites.aten import Seen
from accelerator_portal.validation.suites.comparing import (
    Comparison,
    leaves,
    same_shapes,
    tensors,
)

# Types in which the same computation is a reference: much finer, and by other code.
WIDER = {
    torch.float16: torch.float64,
    torch.bfloat16: torch.float64,
    torch.float32: torch.float64,
    torch.complex64: torch.complex128,
}

# Tests of PyTorch whose wider tolerances are about comparing with another implementation.
_COMPARING = frozenset({"test_compare_cpu", "test_numpy_ref"})

NO_REFERENCE = "No second way to compute it is known in this type."
DRAWN = "It draws random numbers, which no two devices share."


@cache
def _by_name() -> dict[str, OpInfo]:
    return {info.full_name: info for info in op_db}


def offers(matrix: Matrix) -> Iterator[Offer]:
    """Yield the operators with the types that the CPU has, and those that have a gradient."""
    names = {getattr(torch, name): name for name in matrix.axes["dtype"]}
    for name, info in sorted(_by_name().items()):
        forward = frozenset(names[d] for d in info.dtypes if d in names)
        backward = frozenset(names[d] for d in info.backward_dtypes if d in names)
        if forward:
            yield Offer(name, {"dtype": forward, "mode": frozenset({"forward"})})
        if info.supports_autograd and backward & forward:
            yield Offer(name, {"dtype": backward & forward, "mode": frozenset({"backward"})})


def run(case: Case, context: Context) -> Result:
    """Run an operator on its samples; it passes if every number that can be compared is right."""
    info = _by_name()[case.name]
    dtype: torch.dtype = getattr(torch, case["dtype"])
    backward = case["mode"] == "backward"
    on_cpu = torch.device(context.device).type == "cpu"
    tolerance = _tolerance(info, dtype, context.matrix)
    compared = Comparison(tolerance, same_dtype=not on_cpu)
    tried = checked = 0
    for sample in _samples(info, dtype, case, context, requires_grad=backward):
        tried += 1
        checked += _one(_Try(info, sample, case.seed, backward), context, compared, on_cpu=on_cpu)
    if not tried:
        raise BrokenTestError("The operator has no sample inputs of this type.")
    context.metrics |= {"samples": (tried, "1"), **compared.metrics()}
    return _outcome(case, context, tried, checked, on_cpu=on_cpu)


def _outcome(case: Case, context: Context, tried: int, checked: int, *, on_cpu: bool) -> Result:
    """Passed needs half of the samples compared; the reason says of how many nothing is known."""
    if 2 * checked < tried:
        known = context.matrix.unchecked.get(case.name)
        dtype = getattr(torch, case["dtype"])
        raise UncheckedError(known or (NO_REFERENCE if on_cpu and dtype not in WIDER else DRAWN))
    left = tried - checked
    reason = f"{left} of {tried} samples only by their shapes: {DRAWN}" if left else None
    return Result("passed", "compare", reason)


class _Try:
    """One sample of an operator, and what is done with it on each side."""

    def __init__(self, info: OpInfo, sample: SampleInput, seed: int, backward: bool) -> None:  # noqa: FBT001 - said by name at the call
        self.info, self.sample, self.seed, self.backward = info, sample, seed, backward

    def compute(self, sample: SampleInput) -> list[object]:
        """Return the results, or the gradients of the inputs."""
        torch.manual_seed(self.seed)
        output = self.info(sample.input, *sample.args, **sample.kwargs)
        output = sample.output_process_fn_grad(output)
        return self._gradients(sample, output) if self.backward else leaves(output)

    def _gradients(self, sample: SampleInput, output: object) -> list[object]:
        inputs = [
            leaf
            for leaf in tensors(leaves([sample.input, sample.args, sample.kwargs]))
            if leaf.requires_grad
        ]
        outputs = [leaf for leaf in tensors(leaves(output)) if leaf.requires_grad]
        if not inputs or not outputs:
            return []
        ones = [torch.ones_like(leaf) for leaf in outputs]
        return list(torch.autograd.grad(outputs, inputs, ones, allow_unused=True))


class _Draws(TorchDispatchMode):
    """Sees whether random numbers are drawn; an OpInfo may put the generator's state back after."""

    def __init__(self) -> None:
        super().__init__()
        self.drew = False

    def __torch_dispatch__(
        self,
        func: Any,
        types: Any,
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        if torch.Tag.nondeterministic_seeded not in func.tags:
            return func(*args, **(kwargs or {}))
        before = torch.get_rng_state()
        result = func(*args, **(kwargs or {}))
        self.drew |= not torch.equal(before, torch.get_rng_state())
        return result


def _one(attempt: _Try, context: Context, compared: Comparison, *, on_cpu: bool) -> bool:
    """Run one sample on both sides; return whether its numbers were compared."""
    context.stage = "run"
    unchecked = attempt.info.full_name in context.matrix.unchecked
    with context.on_reference():
        none = on_cpu and unchecked
        reference, drawn = (None, False) if none else _reference(attempt, on_cpu=on_cpu)
    with Seen() as seen:
        found = attempt.compute(_moved(attempt.sample, context.device))
    context.stage = "compare"
    if reference is None:
        return False
    if drawn or unchecked:
        same_shapes(found, reference, "the result")
        return False
    compared.check(found, reference, "a gradient" if attempt.backward else "the result")
    context.operators |= seen.operators
    return True


def _reference(attempt: _Try, *, on_cpu: bool) -> tuple[list[object] | None, bool]:
    """Return the reference, if there is one, and whether random numbers were drawn for it."""
    sample = attempt.sample
    if on_cpu:
        dtype = next((t.dtype for t in tensors(leaves([sample.input, sample.args]))), None)
        sample = _widened(sample)
        if dtype is not None and dtype not in WIDER and not _has_wider(attempt.sample):
            return None, False
    with _Draws() as draws:
        result = attempt.compute(sample)
    return result, draws.drew


def _has_wider(sample: SampleInput) -> bool:
    return any(
        t.dtype in WIDER for t in tensors(leaves([sample.input, sample.args, sample.kwargs]))
    )


def _samples(
    info: OpInfo, dtype: torch.dtype, case: Case, context: Context, *, requires_grad: bool
) -> Iterator[SampleInput]:
    """Yield the first samples, made on the CPU from the seed of the case alone."""
    torch.manual_seed(case.seed)
    with context.on_reference():
        made = list(
            islice(
                info.sample_inputs("cpu", dtype, requires_grad=requires_grad),
                context.matrix.settings["samples"],
            )
        )
    yield from made


def _moved(sample: SampleInput, device: str) -> SampleInput:
    """Copy a sample to a device; a device that it names as an argument becomes that one."""

    def there(value: Any) -> Any:
        if isinstance(value, torch.Tensor):
            return value.detach().to(device).requires_grad_(value.requires_grad)
        return value

    moved = sample.transform(there)
    if "device" in moved.kwargs:
        moved.kwargs = {**moved.kwargs, "device": device}
    return moved


def _widened(sample: SampleInput) -> SampleInput:
    """Turn a sample into the wider type, also where it names its type as an argument."""

    def wide(value: Any) -> Any:
        if isinstance(value, torch.Tensor) and value.dtype in WIDER:
            return value.detach().to(WIDER[value.dtype]).requires_grad_(value.requires_grad)
        return WIDER.get(value, value) if isinstance(value, torch.dtype) else value

    return sample.transform(wide)


def _tolerance(info: OpInfo, dtype: torch.dtype, matrix: Matrix) -> Tolerance:
    """Return the suite's tolerance, or the wider one that the OpInfo asks for."""
    name = str(dtype).removeprefix("torch.")
    found = matrix.tolerances.get(name) or Tolerance(rtol=0, atol=0)
    for decoration in info.decorators:
        if not isinstance(decoration, DecorateInfo) or decoration.test_name not in _COMPARING:
            continue
        for override in decoration.decorators:
            if isinstance(override, toleranceOverride) and dtype in override.d:
                own = override.d[dtype]
                wider = {"rtol": max(found.rtol, own.rtol), "atol": max(found.atol, own.atol)}
                found = Tolerance(**wider)
    return found
