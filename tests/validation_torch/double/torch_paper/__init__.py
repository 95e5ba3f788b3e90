"""A device named `paper`: tensors that the CPU computes, through PyTorch's PrivateUse1 key.

Faults are switched on by the environment, so that a test harness can be tested:

    PAPER_FAULTS="silu=missing,gelu=wrong,tanh=crash,erf=hang,mm=memory,exp=exit,cos=error"
A result is also "at-home" (on the CPU), "contiguous" or "double"; "crash-plain" crashes unless a
TorchDispatchMode watches the operator, "crash-observed" only then. "overrideable" fails as PyTorch
does of itself where a backend has no convolution.

    PAPER_LOADING="broken"   `import torch` fails; "absent": it loads, and brings no device;
                             "hang": `import torch` does not end

Names are those of ATen operators, without `aten::`; besides, `mixed=allowed` adds tensors of two
devices silently, `set_rng_state=ignored` leaves the random numbers as they are, and `fork=broken`
lets the device fail in processes that are forked after PyTorch's test helpers, as CUDA does.
"""

from __future__ import annotations

import os
import time


class LoadingError(Exception):
    """What a plugin says whose driver is not installed."""


def _autoload() -> None:
    """Called by `import torch` through the entry point; importing this module did the work."""


_LOADING = os.environ.get("PAPER_LOADING", "")
if _LOADING == "broken":
    raise LoadingError("libpaper.so: cannot open shared object file: No such file or directory")
while _LOADING == "hang":
    time.sleep(1)
if _LOADING != "absent":
    from torch_paper import device

    device.register()
