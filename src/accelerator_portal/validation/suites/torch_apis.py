"""Skips a check if the installed torch lacks an API that it needs.

This module imports nothing of torch, so that it can be used where `import torch` fails.
"""

from __future__ import annotations

from functools import reduce
from types import ModuleType, TracebackType
from typing import Any

from accelerator_portal.validation.classify import SkippedError

_OWN = __name__.rpartition(".")[0]


def missing_api(torch: Any, *names: str) -> str | None:
    """Return the first of these names that torch lacks: `accelerator.memory_allocated`."""
    for name in names:
        try:
            reduce(getattr, name.split("."), torch)
        except AttributeError:
            return name
    return None


def need_api(torch: Any, *names: str) -> None:
    """Skip a check that uses what this torch lacks; raises SkippedError."""
    if name := missing_api(torch, *names):
        raise SkippedError(not_in(torch, f"torch.{name}"))


def not_in(torch: Any, name: str) -> str:
    """Return the reason for which a check is skipped: `Not in torch 2.6.0: torch.foo.`."""
    return f"Not in torch {torch.__version__}: {name}."


def absent_name(error: AttributeError) -> str | None:
    """Return what a check asked a module of torch for in vain; None for any other error.

    Only where the check itself asked. A plugin, or torch's own code, that lacks something is what
    the check is to find.
    """
    owner = error.obj
    if not isinstance(owner, ModuleType) or owner.__name__.partition(".")[0] != "torch":
        return None
    return f"{owner.__name__}.{error.name}" if _asker(error) else None


def _asker(error: BaseException) -> bool:
    """Whether the error was raised by code of the suites, or by a module's own `__getattr__`."""
    asked = ""
    trace: TracebackType | None = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_name != "__getattr__":
            asked = str(trace.tb_frame.f_globals.get("__name__", ""))
        trace = trace.tb_next
    return asked.startswith(f"{_OWN}.")
