"""Turns off TF32 and HF32, with which devices compute float32 faster, but less precisely.

These number formats round the inputs of a product to fewer bits. By default, cuDNN's convolutions
use TF32, and Ascend's use HF32. A comparison with a float32 reference would report their results as
wrong.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from operator import attrgetter

import torch

# The switches of torch and of plugins. Each is documented by its project: torch's notes on CUDA
# semantics, torch_npu's, torch_mlu's and torch_musa's sources and tests.
_SWITCHES = (
    "backends.cuda.matmul.allow_tf32",
    "backends.mlu.matmul.allow_tf32",
    "backends.cnnl.allow_tf32",
    "backends.musa.matmul.allow_tf32",
    "backends.mudnn.allow_tf32",
    "npu.matmul.allow_hf32",
    "npu.conv.allow_hf32",
)


@contextmanager
def full_float32() -> Iterator[None]:
    """Turn off TF32 and HF32 in a `with` block or a decorated function."""
    with ExitStack() as restoring:
        # PyTorch's test helpers allow no other way to change a setting of cuDNN.
        restoring.enter_context(torch.backends.cudnn.flags(enabled=True, allow_tf32=False))
        for switch in _SWITCHES:
            path, _, name = switch.rpartition(".")
            try:
                owner = attrgetter(path)(torch)
                is_on = getattr(owner, name)
            except (AttributeError, RuntimeError):  # the plugin is missing, or too old for it
                continue
            if is_on:
                setattr(owner, name, False)
                restoring.callback(setattr, owner, name, is_on)
        yield
