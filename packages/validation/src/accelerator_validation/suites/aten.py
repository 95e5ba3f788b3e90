"""Counts ATen operators and their kernels for a device, and records which ones a computation used.

An operator is a name in torch's namespace `aten`, without its overload. `add_`, which writes into
its input, counts as `add`.

PyTorch computes some operators from other operators on every device, so it never dispatches them to
a device. These operators have a kernel for the dispatch key CompositeImplicitAutograd, and are not
counted. Their overloads with an argument `out` have no such kernel. So the names of operators are
taken from overloads without `out`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import cache, partial
from typing import Any

import torch
from torch.profiler import ProfilerActivity, profile
from torch.utils._python_dispatch import TorchDispatchMode

from accelerator_validation.case import ObservedOperators

ORIGINS = ("own", "composite", "fallback", "missing")

_has_kernel = torch._C._dispatch_has_kernel_for_dispatch_key  # noqa: SLF001 - there is no other way to ask
_COMPOSITE_KEY = "CompositeImplicitAutograd"
_OUT_SUFFIXES = (".out", "_out")

# Keys of kernels that PyTorch makes for every backend out of other operators.
_EXPLICIT_KEYS = ("CompositeExplicitAutograd", "CompositeExplicitAutogradNonFunctional")

# `at::native::cpu_fallback`, which backends register for what they lack, begins with this operator.
# The profiler shows it beneath the operator that fell back. Source: PyTorch,
# aten/src/ATen/native/CPUFallback.cpp.
_TO_CPU_OPERATOR = "aten::_to_cpu"


@cache
def device_operators() -> frozenset[str]:
    """Return the ATen operators that the imported torch dispatches to devices.

    Operators that PyTorch always computes from other operators are omitted.
    """
    return frozenset(
        operator_name(full) for full in _device_overloads() if not full.endswith(_OUT_SUFFIXES)
    )


@cache
def core_operators() -> frozenset[str]:
    """Return the ATen operators tagged `core` in torch, which every backend should have."""
    names = (
        full
        for full in _aten_overloads()
        if not full.endswith(_OUT_SUFFIXES) and _is_core_overload(full)
    )
    return frozenset(map(operator_name, names)) & device_operators()


def operator_counts(device: str) -> dict[str, Any]:
    """Return counts of ATen operators and kernels for a device.

    `registered` is the number of `device_operators`. `core` is the sorted list of `core_operators`.
    `kernels` has the number of overloads by the origin of their kernel, see `kernel_origin`.
    """
    kernels = Counter(map(partial(kernel_origin, device), _device_overloads()))
    return {
        "registered": len(device_operators()),
        "core": sorted(core_operators()),
        "kernels": {origin: kernels[origin] for origin in ORIGINS},
    }


def kernel_origin(device: str, full: str) -> str:
    """Return how a device computes an overload; `full` is its full name, such as `aten::add.out`.

    - `own`: the device has a kernel.
    - `composite`: PyTorch has a kernel for all devices, which calls other operators.
    - `fallback`: the backend has a fallback for operators without a kernel.
    - `missing`: the device cannot compute the overload.
    """
    key = torch._C._dispatch_key_for_device(torch.device(device).type)  # noqa: SLF001 - the same
    if _has_kernel(full, key):
        return "own"
    if any(_has_kernel(full, composite) for composite in _EXPLICIT_KEYS):
        return "composite"
    if torch._C._dispatch_has_computed_kernel_for_dispatch_key(full, key):  # noqa: SLF001 - the same
        return "fallback"
    return "missing"


def _aten_overloads() -> list[str]:
    """Return the full names of all overloads of ATen operators, such as `aten::add.out`.

    A plugin may have kernels for overloads that this torch doesn't define. They are omitted.
    """
    schemas = torch._C._jit_get_all_schemas()  # noqa: SLF001 - the same
    defined = {f"{schema.name}.{schema.overload_name}".rstrip(".") for schema in schemas}
    names = torch._C._dispatch_get_all_op_names()  # noqa: SLF001 - the same
    return [name for name in names if name.startswith("aten::") and name in defined]


def _device_overloads() -> list[str]:
    """Return the full names of the overloads that torch dispatches to devices.

    Overloads that PyTorch always computes from other operators are omitted.
    """
    return [full for full in _aten_overloads() if not _has_kernel(full, _COMPOSITE_KEY)]


def _is_core_overload(full: str) -> bool:
    name, _, overload = full.removeprefix("aten::").partition(".")
    packet = getattr(torch.ops.aten, name)
    return torch.Tag.core in getattr(packet, overload or "default").tags


def operator_name(full: str) -> str:
    """Return the operator's name in an overload's full name: `add` for `aten::add_.Tensor`.

    A name in another namespace than `aten` is returned unchanged.
    """
    namespace, _, rest = full.partition("::")
    name = rest.partition(".")[0]
    if name.endswith("_") and not name.endswith("__"):
        name = name[:-1]
    return name if namespace == "aten" else full


class _OperatorRecorder(TorchDispatchMode):
    """Records the operators that are dispatched in a `with` block, including backward passes.

    `names` has their names as `operator_name` returns them.
    """

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


def observe_operators(compute: Callable[[], object]) -> ObservedOperators:
    """Run a computation, and return the ATen operators that it dispatched.

    The result also has the operators that PyTorch's own fallback computed on the CPU instead of the
    device. Operators that a backend's own fallback computed are not recognized as such.
    """
    with profile(activities=[ProfilerActivity.CPU]) as profiled, _OperatorRecorder() as recorder:
        compute()
    # Raw events first: to arrange them as a tree takes longer than most operators.
    raw_events = profiled.profiler.kineto_results.events()
    has_copies = any(event.name() == _TO_CPU_OPERATOR for event in raw_events)
    copies = [e for e in profiled.events() if e.name == _TO_CPU_OPERATOR] if has_copies else []
    fallback_operators = {
        operator_name(copy.cpu_parent.name) for copy in copies if copy.cpu_parent is not None
    }
    operators, cpu_operators = (
        tuple(sorted(names & device_operators())) for names in (recorder.names, fallback_operators)
    )
    return ObservedOperators(operators, cpu_operators)
