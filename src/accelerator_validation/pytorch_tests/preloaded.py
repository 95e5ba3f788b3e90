"""Preloads PyTorch's test helpers, which saves each worker seconds.

Not for CUDA and XPU: those helpers ask such a device what it can do, and a process that was forked
after that cannot use it.
"""

from __future__ import annotations

import accelerator_validation.pytorch_tests.loading  # noqa: F401 - what is to be there
from accelerator_validation.pytorch_tests.suite import offers, run

__all__ = ["offers", "run"]
