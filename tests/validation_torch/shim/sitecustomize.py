"""Lets PyPI's torchvision be imported beside a torch for the CPU; for tests and runs on CPU alone.

That torchvision is built for CUDA: its C++ operators do not load here, and the import stops where
it registers a Python function for one of them. With the operators declared it goes on; they cannot
be called, and timm does not call them. Put this folder on PYTHONPATH, and nothing else.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

_SCHEMA = "(Tensor dets, Tensor scores, float iou_threshold) -> Tensor"


class _Declaring(MetaPathFinder):
    """Declares the operators just before torchvision is looked for, once."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        del path, target
        if name == "torchvision":
            sys.meta_path.remove(self)
            import torch

            for operator in ("nms", "qnms"):
                torch.library.define(f"torchvision::{operator}", _SCHEMA)
        return None


sys.meta_path.insert(0, _Declaring())
