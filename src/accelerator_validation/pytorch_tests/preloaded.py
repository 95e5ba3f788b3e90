"""Preloads PyTorch's test helpers, which saves each worker seconds.

It is not used for CUDA and XPU: importing the helpers queries such a device, and a process that is
forked after that cannot use it.
"""

from __future__ import annotations

import accelerator_validation.pytorch_tests.loading  # noqa: F401 - what is to be there
from accelerator_validation.pytorch_tests.suite import offers, run

__all__ = ["offers", "run"]
