"""One sample of an operator: computed on the device, and on the CPU as its reference."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch.testing._internal.opinfo.core import OpInfo, SampleInput
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from accelerator_portal.validation.suites.comparing import leaves, tensors
from accelerator_portal.validation.suites.sample_placement import (
    expected_device,
    is_cpu,
    on_cpu,
    on_device,
    widened,
)

# Types in which the same computation is a reference: much finer, and by other code.
WIDER = {
    torch.float16: torch.float64,
    torch.bfloat16: torch.float64,
    torch.float32: torch.float64,
    torch.complex64: torch.complex128,
}


@dataclass(frozen=True)
class OperatorResult:
    """What came of a sample; `gradients` is None where none were asked for."""

    outputs: list[object]
    gradients: list[object] | None = None
    drawn: bool = False
    """Whether random numbers were drawn; only a reference tells it."""

    @property
    def results(self) -> list[object]:
        """What is compared with the reference."""
        return self.outputs if self.gradients is None else self.gradients


@dataclass(frozen=True)
class OperatorTest:
    """One sample of an operator, its numbers on the CPU, and what is done with it on each side."""

    info: OpInfo
    sample: SampleInput
    device: str
    seed: int
    backward: bool

    @property
    def expected_device(self) -> str | None:
        """The type of device that the results must lie on, where that is known."""
        return None if is_cpu(self.device) else expected_device(self.sample, self.device)

    def on_device(self) -> OperatorResult:
        """Compute it plainly on the device."""
        return self._compute(on_device(self.sample, self.device))

    def on_reference(self) -> OperatorResult | None:
        """Compute it on the CPU; None where no second way to compute it is known."""
        sample = on_cpu(self.sample, self.device)
        if is_cpu(self.device):
            types = [t.dtype for t in tensors(tree_leaves((sample.input, sample.args)))]
            every = types + [t.dtype for t in tensors(tree_leaves(sample.kwargs))]
            if types and types[0] not in WIDER and not set(every) & WIDER.keys():
                return None
            sample = widened(sample, WIDER)
        with _Draws() as draws:
            found = self._compute(sample)
        return OperatorResult(found.outputs, found.gradients, draws.drew)

    def _compute(self, sample: SampleInput) -> OperatorResult:
        torch.manual_seed(self.seed)
        output = self.info(sample.input, *sample.args, **sample.kwargs)
        output = sample.output_process_fn_grad(output)
        gradients = _gradients(sample, output) if self.backward else None
        return OperatorResult(leaves(output), gradients)


def _gradients(sample: SampleInput, output: object) -> list[object]:
    """Return the gradients of the inputs that have one."""
    given = tensors(leaves([sample.input, sample.args, sample.kwargs]))
    inputs = [leaf for leaf in given if leaf.requires_grad]
    outputs = [leaf for leaf in tensors(leaves(output)) if leaf.requires_grad]
    if not inputs or not outputs:
        return []
    # Made on the CPU and copied: the device may have no operator that fills a tensor.
    ones = [torch.ones(leaf.shape, dtype=leaf.dtype).to(leaf.device) for leaf in outputs]
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
