"""Imports PyTorch's slow test helpers, then provides the functions of the suite `pytorch-tests`.

The functions are those of the module `suite` in the same folder. The process from which workers
are forked imports this module, so that each worker starts seconds faster. CUDA and XPU use the
module `suite` instead: for them, importing the helpers queries the device, and a process that is
forked after that cannot use the device.
"""

from __future__ import annotations

import accelerator_validation.pytorch_tests.suite  # noqa: F401 - what is to be there
from accelerator_validation.pytorch_tests.suite import offers, run

__all__ = ["offers", "run"]
