"""Loading a program with `executorch.runtime` and running it, with its threads and its memory."""

from __future__ import annotations

import importlib
import os
import re
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from accelerator_portal.validation.classify import SkippedError
from accelerator_portal.validation.executorch.backend import Backend, Execute, NotHereError

# What the runtime writes to its log and leaves out of its errors, which are numbers.
_SAID = re.compile(
    r"^\[[\w.]+:\d+\] (.*\b(?:Check failed|KernelCall failed|Unsupported|File size is too small"
    r"|Program identifier|overflow detected)\b.*)$",
    re.MULTILINE,
)

# What its words mean, where they speak of a file.
_PLAINLY = {
    "File size is too small": "Program file is cut off or damaged.",
    "overflow detected": "Program file is cut off or damaged.",
    "Program identifier": "Program file is from a different version of ExecuTorch.",
}
_MOST_SAID = 2
_LOG_BYTES = 65_536

NO_RUNTIME = "ExecuTorch's runtime cannot be imported"
_WITH_BINDINGS = "Install a wheel of ExecuTorch that has its Python bindings"


def missing_operators(program: Any) -> list[str]:
    """Return the operators that a program calls and the runtime of this process does not have."""
    from executorch.runtime import Runtime

    known = Runtime.get().operator_registry.operator_names
    called = {
        f"{operator.name}.{operator.overload}" if operator.overload else operator.name
        for plan in program.executorch_program.execution_plan
        for operator in plan.operators
    }
    return sorted(called - set(known))


def check_runtime(backend: Backend | None) -> None:
    """Raise NotHereError where this process cannot run a program, with delegates of a backend."""
    try:
        from executorch.runtime import Runtime

        registry = Runtime.get().backend_registry
    except (ImportError, RuntimeError) as error:
        raise NotHereError(f"{NO_RUNTIME}: {error}. {_WITH_BINDINGS}") from None
    if backend is None:
        return
    name = backend.runtime_name
    needs = f" Running it needs {backend.needs}." if backend.needs else ""
    if name not in registry.registered_backend_names:
        raise NotHereError(f"The runtime of this ExecuTorch has no {name}.{needs}")
    if not registry.is_available(name):
        raise NotHereError(f"{name} is not available here.{needs}")


def load_here(data: bytes) -> Execute:
    """Load a program into this process; raises RuntimeError with the number of an error."""
    from executorch.runtime import Runtime, Verification

    method = (
        Runtime.get()
        .load_program(data, verification=Verification.InternalConsistency)
        .load_method("forward")
    )
    if method is None:
        raise RuntimeError("the program has no method forward")

    def execute(inputs: Sequence[Any]) -> Sequence[Any]:
        # The next call writes its outputs where these lie.
        return [o.clone() if hasattr(o, "clone") else o for o in method.execute(list(inputs))]

    return execute


@contextmanager
def with_runtime_log() -> Iterator[None]:
    """Add to an error of the runtime what it wrote to the log of this process, if that is a file.

    A worker's log holds nothing but the case at hand.
    """
    try:
        yield
    except RuntimeError as error:
        said = " ".join(_SAID.findall(_log())[:_MOST_SAID])
        if not said:
            raise
        plainly = [words for sign, words in _PLAINLY.items() if sign in said][:1]
        raise RuntimeError(" ".join([*plainly, f"{error}. ExecuTorch says: {said}"])) from None


def _log() -> str:
    with suppress(OSError):
        if stat.S_ISREG(os.fstat(2).st_mode):  # to read anything else could wait for ever
            data = Path("/proc/self/fd/2").read_bytes()
            return data[:_LOG_BYTES].decode("utf-8", "replace")
    return ""


def use_threads(number: int | None) -> None:
    """Give ExecuTorch's pool of threads a size, by default torch's; later programs use it.

    Raises SkippedError where a size is asked for and this ExecuTorch cannot set it.
    """
    import torch
    from executorch.extension import pybindings

    try:
        importlib.import_module("executorch.extension.pybindings.portable_lib")
    except ImportError:  # a wheel without bindings lowers all the same
        if number is not None:
            raise SkippedError("This ExecuTorch has no Python bindings.") from None
        return
    library: Any = getattr(pybindings, "_C", None) or getattr(pybindings, "_portable_lib", None)
    if not hasattr(library, "_unsafe_reset_threadpool"):
        if number is not None:
            raise SkippedError("This ExecuTorch cannot set the number of its threads.")
        return
    wanted = number or torch.get_num_threads()
    if library._threadpool_get_thread_count() != wanted:  # noqa: SLF001 - its only interface
        library._unsafe_reset_threadpool(wanted)  # noqa: SLF001 - as above
