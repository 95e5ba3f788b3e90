"""Single operators as models: a call whose tensors are the model's inputs, and all else fixed.

Of an operator with weights only the first tensor is an input: backends take weights as constants,
as models have them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import nn
from torch.utils._pytree import TreeSpec, tree_flatten, tree_unflatten

from accelerator_portal.validation.suites.executorch.lowering import Sample

_LARGEST_SIZE = 64


class OperatorCall(nn.Module):
    """Calls an operator with tensors that it is given, and with arguments that it holds."""

    def __init__(
        self,
        operator: Callable[..., Any],
        leaves: Sequence[Any],
        tree: TreeSpec,
        inputs: int | None = None,
    ) -> None:
        super().__init__()
        self._operator, self._tree = operator, tree
        self._leaves = [None if isinstance(leaf, torch.Tensor) else leaf for leaf in leaves]
        places = [n for n, leaf in enumerate(leaves) if isinstance(leaf, torch.Tensor)]
        self._places = places[:inputs]
        self._held = places[inputs:] if inputs is not None else []
        for place in self._held:
            self.register_buffer(f"held_{place}", leaves[place].detach())

    def forward(self, *tensors: torch.Tensor) -> Any:
        """Call it."""
        leaves = list(self._leaves)
        for place, tensor in zip(self._places, tensors, strict=True):
            leaves[place] = tensor
        for place in self._held:
            leaves[place] = getattr(self, f"held_{place}")
        args, kwargs = tree_unflatten(leaves, self._tree)
        result = self._operator(*args, **kwargs)
        # A program returns plain tuples; those with names of PyTorch's operators cannot be saved.
        return tuple(result) if isinstance(result, tuple) else result


def call_sample(
    operator: Callable[..., Any],
    args: Sequence[Any],
    kwargs: dict[str, Any],
    *,
    narrow: bool,
    inputs: int | None = None,
) -> Sample:
    """Make a sample of a call; `inputs`: of its tensors so many are inputs, None: all of them."""
    leaves, tree = tree_flatten((tuple(args), kwargs))
    tensors = tuple(leaf.detach() for leaf in leaves if isinstance(leaf, torch.Tensor))
    return Sample(OperatorCall(operator, leaves, tree, inputs), tensors[:inputs], narrow=narrow)


def with_open_sizes(sample: Sample) -> Sample:
    """Return the sample with a first axis whose size is open; run with one more, where that works.

    Only axes as long as the first tensor's change together: others may be weights.
    """
    sizes = [value.shape[0] for value in sample.inputs if value.dim()]
    if not sizes or sizes[0] < 2:  # noqa: PLR2004 - torch.export takes sizes of 0 and 1 as fixed
        return sample
    open_axis = [bool(value.dim()) and value.shape[0] == sizes[0] for value in sample.inputs]
    size = torch.export.Dim.AUTO(max=_LARGEST_SIZE)  # memory is planned for the largest
    shapes = tuple({0: size} if is_open else None for is_open in open_axis)
    longer = tuple(
        torch.cat([value, value[:1]]) if is_open else value
        for value, is_open in zip(sample.inputs, open_axis, strict=True)
    )
    others = longer if sizes[0] < _LARGEST_SIZE and _runs(sample, longer) else None
    return Sample(sample.model, sample.inputs, (shapes,), others, narrow=sample.narrow)


def _runs(sample: Sample, inputs: tuple[torch.Tensor, ...]) -> bool:
    try:
        sample.model(*(value.clone() for value in inputs))
    except Exception:  # noqa: BLE001 - an operator may refuse sizes with any error
        return False
    return True
