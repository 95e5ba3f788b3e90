"""The module `torch.paper`, and how it becomes a device."""

from __future__ import annotations

from functools import partial
from typing import Any

import torch
from torch.utils.backend_registration import (
    _setup_privateuseone_for_python_backend,  # experimental; since 2.10
)

from torch_paper import faults
from torch_paper.tensor import NAME, PaperTensor, call, restored

_seed = 0


class Module:
    """What PyTorch asks of `torch.paper`."""

    def is_initialized(self) -> bool:
        """Whether the device was used."""
        return True

    def is_available(self) -> bool:
        """Whether there is one."""
        return True

    def device_count(self) -> int:
        """How many there are."""
        return 1

    def current_device(self) -> int:
        """Which one is used."""
        return 0

    def get_device_name(self, _index: int = 0) -> str:
        """Its model."""
        return "A4, 80 g"

    def get_amp_supported_dtype(self) -> list[torch.dtype]:
        """Types of autocast."""
        return [torch.bfloat16, torch.float16]

    def get_rng_state(self, _device: Any = 0) -> torch.Tensor:
        """The state of its random numbers: the CPU's generator makes them."""
        return torch.get_rng_state()

    def set_rng_state(self, state: torch.Tensor, _device: Any = 0) -> None:
        """Put a state back."""
        if faults.wanted().get("set_rng_state") != "ignored":
            torch.set_rng_state(state)

    def _is_in_bad_fork(self) -> bool:
        return False

    def manual_seed_all(self, seed: int) -> None:
        """Seed its random numbers; they come from the CPU's generator."""


def register() -> None:
    """Make the device known; once in a process."""
    faults.prepare()
    _setup_privateuseone_for_python_backend(NAME, backend_module=Module())
    _library.fallback(_made, "PrivateUse1")
    for name in ("empty.memory_format", "empty_strided", "_copy_from", "copy_"):
        _own.impl(name, partial(_kernel, name), "PrivateUse1")
    torch.serialization.add_safe_globals([restored])


_library = torch.library.Library("_", "IMPL")  # what is registered lives as long as this object
_own = torch.library.Library("aten", "IMPL")


def _kernel(name: str, *args: Any, **kwargs: Any) -> Any:
    """What `torch.tensor` calls, where PyTorch leaves out `__torch_dispatch__` and fallbacks."""
    packet, _, overload = name.partition(".")
    if packet == "_copy_from":
        found, to = args[0], args[1]
        source = found.held if isinstance(found, PaperTensor) else found
        (to.held if isinstance(to, PaperTensor) else to).copy_(source)
        return to
    return call(getattr(getattr(torch.ops.aten, packet), overload or "default"), args, kwargs)


def _made(func: Any, *args: Any, **kwargs: Any) -> Any:
    """Make a tensor of nothing: only such operators come here, the others have a PaperTensor."""
    return call(func, args, kwargs)


__all__ = ["PaperTensor", "register"]
