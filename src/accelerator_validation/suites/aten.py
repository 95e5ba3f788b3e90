"""Lists ATen's operators for a device, and records which ones a computation dispatched.

An operator is a name in torch's namespace `aten`, without its overload; `add_`, which writes into
its input, counts with `add`. Operators that PyTorch always computes from other operators never
reach a device and are not counted. PyTorch registers those for the dispatch key
CompositeImplicitAutograd, except their overloads that write into an argument `out`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from functools import cache, partial
from typing import Any

import torch
from torch.profiler import ProfilerActivity, profile
from torch.utils._python_dispatch import TorchDispatchMode

from accelerator_validation.case import Observation

ORIGINS = ("own", "composite", "fallback", "missing")

_COMPOSITE = "CompositeImplicitAutograd"

# Keys of kernels that PyTorch makes for every backend out of other operators.
_EXPLICIT = ("CompositeExplicitAutograd", "CompositeExplicitAutogradNonFunctional")


@cache
def operators() -> frozenset[str]:
    """Return the ATen operators of the imported torch that can reach a device."""
    has_kernel = torch._C._dispatch_has_kernel_for_dispatch_key  # noqa: SLF001 - there is no other way to ask
    return frozenset(
        operator_name(full) for full in _registered() if not has_kernel(full, _COMPOSITE)
    )


@cache
def core() -> frozenset[str]:
    """Return the operators with the tag `core` in torch, which every backend should have."""
    return frozenset(operator_name(full) for full in _registered() if _is_core(full)) & operators()


def census(device: str) -> dict[str, Any]:
    """Return counts of ATen operators and of their kernels for a device.

    `registered` is the number of operators, `core` the sorted names of core operators, and
    `kernels` the number of overloads by `kernel_origin`.
    """
    kernels = Counter(map(partial(kernel_origin, device), _for_devices()))
    return {
        "registered": len(operators()),
        "core": sorted(core()),
        "kernels": {origin: kernels[origin] for origin in ORIGINS},
    }


def kernel_origin(device: str, full: str) -> str:
    """Return where the kernel of an overload comes from on a device, as one of `ORIGINS`.

    `own`: the device has a kernel; `composite`: PyTorch computes the overload from other operators;
    `fallback`: only the backend's fallback takes it; `missing`: nothing does. `full` is the
    overload's full name, such as `aten::add.out`.
    """
    has_kernel = torch._C._dispatch_has_kernel_for_dispatch_key  # noqa: SLF001 - there is no other way to ask
    key = torch._C._dispatch_key_for_device(torch.device(device).type)  # noqa: SLF001 - the same
    if has_kernel(full, key):
        return "own"
    if any(has_kernel(full, composite) for composite in _EXPLICIT):
        return "composite"
    if torch._C._dispatch_has_computed_kernel_for_dispatch_key(full, key):  # noqa: SLF001 - the same
        return "fallback"
    return "missing"


def _for_devices() -> list[str]:
    """Return the full names of the overloads that reach a device, such as `aten::add.out`."""
    has_kernel = torch._C._dispatch_has_kernel_for_dispatch_key  # noqa: SLF001 - the same
    names = torch._C._dispatch_get_all_op_names()  # noqa: SLF001 - the same
    return [n for n in names if n.startswith("aten::") and not has_kernel(n, _COMPOSITE)]


class Seen(TorchDispatchMode):
    """Records operators dispatched in its context, below autograd, including backward passes."""

    def __init__(self) -> None:
        super().__init__()
        self.names: set[str] = set()

    def __torch_dispatch__(
        self,
        func: Any,
        types: Any,
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        if isinstance(func, torch._ops.OpOverload):  # noqa: SLF001 - the documented class has no other name
            self.names.add(operator_name(func.name()))
        return func(*args, **(kwargs or {}))

    @property
    def operators(self) -> frozenset[str]:
        """The ATen operators among the recorded ones."""
        return frozenset(self.names) & operators()


def _registered() -> list[str]:
    names = torch._C._dispatch_get_all_op_names()  # noqa: SLF001 - the same
    ours = (name for name in names if name.startswith("aten::"))
    return [name for name in ours if not name.endswith((".out", "_out"))]


def _is_core(full: str) -> bool:
    name, _, overload = full.removeprefix("aten::").partition(".")
    packet = getattr(torch.ops.aten, name)
    return torch.Tag.core in getattr(packet, overload or "default").tags


def operator_name(full: str) -> str:
    """Return an operator's name: `add` for `aten::add_.Tensor`, `__and__` for `aten::__and__`."""
    namespace, _, rest = full.partition("::")
    name = rest.partition(".")[0]
    if name.endswith("_") and not name.endswith("__"):
        name = name[:-1]
    return name if namespace == "aten" else full


# Finds the operators that a computation dispatched, and those that PyTorch computed on the CPU
# instead of the device.
#
# `at::native::cpu_fallback`, which backends register for what they lack, begins with the operator
# `_to_cpu`; the profiler shows it beneath the operator that fell back. Source: PyTorch,
# aten/src/ATen/native/CPUFallback.cpp. A backend's own fallback is not detected.

_COPIES = "aten::_to_cpu"


def observe(compute: Callable[[], object]) -> Observation:
    """Run a computation; return the operators it dispatched and those that fell back to the CPU."""
    with profile(activities=[ProfilerActivity.CPU]) as profiled, Seen() as seen:
        compute()
    fallen = {operator_name(name) for name in _fallen_back(profiled.events())}
    return Observation(_sorted(seen.operators), _sorted(fallen & operators()))


def _fallen_back(events: Iterable[Any]) -> Iterable[str]:
    """Yield the names of operators that fell back to the CPU, from the events of a profile."""
    for event in events:
        if event.name == _COPIES and event.cpu_parent is not None:
            yield event.cpu_parent.name


def _sorted(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(names))
