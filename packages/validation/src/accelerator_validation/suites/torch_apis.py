"""Skips a check if the installed torch lacks an API that the check needs.

This module does not import torch, so that it can be used where `import torch` fails.
"""

from __future__ import annotations

from operator import attrgetter
from types import ModuleType, TracebackType
from typing import Any

from accelerator_validation.classify import SkippedError

_SUITES_PACKAGE = __name__.rpartition(".")[0]


def require_api(torch: Any, *names: str) -> None:
    """Raise SkippedError if `torch` lacks one of these names, such as `Stream.__enter__`."""
    for name in names:
        try:
            attrgetter(name)(torch)
        except AttributeError:
            raise SkippedError(missing_api_reason(torch, f"torch.{name}")) from None


def missing_api_reason(torch: Any, name: str) -> str:
    """Return the reason of a skipped check: `Not in torch 2.6.0: torch.foo.`."""
    return f"Not in torch {torch.__version__}: {name}."


def missing_torch_name(error: AttributeError) -> str | None:
    """Return the name that a check did not find in a torch module, or None for other errors.

    An error counts only if the check's own code used the name. If a plugin or torch used it, the
    result is None, because the check must report the failure.
    """
    owner = error.obj
    if not isinstance(owner, ModuleType) or owner.__name__.partition(".")[0] != "torch":
        return None
    return f"{owner.__name__}.{error.name}" if _is_used_by_suites(error) else None


def _is_used_by_suites(error: BaseException) -> bool:
    """Return whether an error was raised by code of the suites, not by code of a plugin or torch.

    Frames of `__getattr__` in the error's traceback are ignored.
    """
    user_module = ""
    trace: TracebackType | None = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_name != "__getattr__":
            user_module = str(trace.tb_frame.f_globals.get("__name__", ""))
        trace = trace.tb_next
    return user_module.startswith(f"{_SUITES_PACKAGE}.")
