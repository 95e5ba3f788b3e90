"""Provides the functions of the module `suite`, and also imports PyTorch's test helpers.

The process from which workers are forked imports this module. Each worker then starts seconds
faster. CUDA and XPU use the module `suite` instead. For them, importing the helpers queries the
device, and a process that is forked after that cannot use the device.
"""

from __future__ import annotations

import accelerator_validation.pytorch_tests.loading  # noqa: F401 - what is to be there
from accelerator_validation.pytorch_tests.suite import offers, run

__all__ = ["offers", "run"]
