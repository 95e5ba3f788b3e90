"""Faults of single operators, as the environment asks for them."""

from __future__ import annotations

import os
import signal
import time
from functools import cache

import torch


@cache
def wanted() -> dict[str, str]:
    """Return the faults by operator."""
    pairs = os.environ.get("PAPER_FAULTS", "").split(",")
    return {name: fault for name, _, fault in (pair.partition("=") for pair in pairs) if name}


def strike(name: str) -> bool:
    """Do what an operator's fault says; return whether its result is to be wrong."""
    fault = wanted().get(name)
    if fault == "missing":
        raise NotImplementedError(
            f"Could not run 'aten::{name}' with arguments from the 'PrivateUse1' backend. This "
            "could be because the operator doesn't exist for this backend."
        )
    if fault == "memory":
        raise torch.OutOfMemoryError("PAPER out of memory. Tried to allocate 2.00 GiB.")
    if fault == "error":
        raise RuntimeError(f"PAPER_STATUS_EXECUTION_FAILED when calling paper_{name}")
    if fault == "model":
        raise NotImplementedError
    if fault == "crash":
        os.kill(os.getpid(), signal.SIGSEGV)
    if fault == "exit":
        os._exit(3)
    while fault == "hang":
        time.sleep(1)
    return fault == "wrong"
