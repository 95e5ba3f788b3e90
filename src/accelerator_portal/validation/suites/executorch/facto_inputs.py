"""Inputs that FACTO draws, ExecuTorch's generator of operator inputs, where it is installed.

FACTO is not on PyPI (the package `facto` there is another program): install it from its
repository, github.com/meta-pytorch/FACTO. It describes overloads of ATen operators.
"""

from __future__ import annotations

import importlib.util
import random
from collections.abc import Iterator
from itertools import islice
from typing import Any

import torch

from accelerator_portal.validation.classify import BrokenTestError
from accelerator_portal.validation.suites.executorch.calls import call_sample
from accelerator_portal.validation.suites.executorch.lowering import Sample

# It yields from small to large; of so many calls the first that fits the type is taken.
_MOST_TRIED = 200


def facto_names() -> list[str]:
    """Return the overloads that it describes: `add.Tensor`; none where it is not installed."""
    if not _has_facto():
        return []
    from facto.specdb.db import SpecDictDB

    return sorted(name for name in SpecDictDB if _overload(name) is not None)


def _has_facto() -> bool:
    """Look for a module that the other package of that name does not have."""
    try:
        return importlib.util.find_spec("facto.specdb.db") is not None
    except ModuleNotFoundError:
        return False


def facto_sample(name: str, dtype: torch.dtype, seed: int) -> Sample:
    """Make the first call with tensors of a type that is not empty; raises BrokenTestError."""
    random.seed(seed)
    torch.manual_seed(seed)
    operator = _overload(name)
    for args, kwargs in islice(_drawn(name), _MOST_TRIED):
        sample = call_sample(operator, args, kwargs, narrow=dtype is not torch.float32)
        floats = [v.dtype for v in sample.inputs if v.is_floating_point()]
        if sample.inputs and all(v.numel() for v in sample.inputs) and {*floats} <= {dtype}:
            return sample
    raise BrokenTestError(f"FACTO draws no inputs of {dtype} that are not empty.")


def _drawn(name: str) -> Iterator[tuple[list[Any], dict[str, Any]]]:
    from facto.inputgen.argtuple.gen import ArgumentTupleGenerator
    from facto.specdb.db import SpecDictDB

    for args, kwargs, _ in ArgumentTupleGenerator(SpecDictDB[name]).gen():
        yield args, dict(kwargs)


def _overload(name: str) -> Any:
    packet, _, overload = name.partition(".")
    return getattr(getattr(torch.ops.aten, packet, None), overload or "default", None)
