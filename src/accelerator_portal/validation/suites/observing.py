"""What a computation dispatched, and what of it PyTorch computed on the CPU instead of the device.

`at::native::cpu_fallback`, which backends register for what they lack, begins with the operator
`_to_cpu`; the profiler shows it beneath the operator that fell back. Source: PyTorch,
aten/src/ATen/native/CPUFallback.cpp. A fallback of a backend's own making is not seen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from torch.profiler import ProfilerActivity, profile

from accelerator_portal.validation.case import Observation
from accelerator_portal.validation.suites.aten import Seen, operator_name, operators

_COPIES = "aten::_to_cpu"


def observe(compute: Callable[[], object]) -> Observation:
    """Compute once more and return the operators that took part."""
    with profile(activities=[ProfilerActivity.CPU]) as profiled, Seen() as seen:
        compute()
    fallen = {operator_name(name) for name in _fallen_back(profiled.events())}
    return Observation(_sorted(seen.operators), _sorted(fallen & operators()))


def _fallen_back(events: Iterable[Any]) -> Iterable[str]:
    """Yield the operators beneath which tensors were copied to the CPU to compute there."""
    for event in events:
        if event.name == _COPIES and event.cpu_parent is not None:
            yield event.cpu_parent.name


def _sorted(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(names))
