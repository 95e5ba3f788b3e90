"""Calls an operator on a sample, on the device and on the reference, with or without gradients."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch.testing._internal.opinfo.core import OpInfo, SampleInput
from torch.utils._pytree import tree_leaves

from accelerator_validation.suites.layouts import relaid
from accelerator_validation.suites.random_checks import RandomDetector
from accelerator_validation.suites.result_comparison import leaves, tensors
from accelerator_validation.suites.sample_placement import (
    WIDER_TYPES,
    copy_tensor,
    expected_device,
    is_cpu,
    on_cpu,
    on_device,
    widen_sample,
)

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
