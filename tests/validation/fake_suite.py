"""A suite that needs no torch: each name says what its test does to its process."""

from __future__ import annotations

import atexit
import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from types import SimpleNamespace

from accelerator_validation.case import (
    BrokenTestError,
    Case,
    MismatchError,
    ObservedOperators,
    Result,
    SkippedError,
    UncheckedError,
)
from accelerator_validation.matrix import Matrix
from accelerator_validation.plan import Offer
from accelerator_validation.suite_interface import Context

_seen: list[str] = []


class OutOfMemoryError(RuntimeError):
    """As each backend has one of its own."""


def offers(matrix: Matrix) -> Iterator[Offer]:
    if "farewell-1" in matrix.tests:
        atexit.register(print, "3 blocks were freed")
    return (Offer(name) for name in matrix.tests)


def run(case: Case, context: Context) -> Result:
    context.stage = "run"
    context.announce(f"sample 1: {case.name}")
    kind = case.name.partition("-")[0]
    _seen.append(case.name)
    if kind in ACTS:
        ACTS[kind]()
    if kind == "reference":
        with context.on_reference():
            raise NotImplementedError("Could not run 'aten::silu' with arguments from the 'CPU'")
    if kind == "basis":
        with context.on_reference():
            context.announce("sample 2: float32[2]")
            os.kill(os.getpid(), signal.SIGSEGV)
    if kind == "leak" and len(_seen) > 1:  # fails after others, and not alone
        os.kill(os.getpid(), signal.SIGSEGV)
    if kind == "varied":  # crashes after others, and hangs alone
        if len(_seen) > 1:
            os.kill(os.getpid(), signal.SIGSEGV)
        time.sleep(600)
    if kind == "daemon":
        daemon = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
        Path(context.device).write_text(str(daemon.pid), "utf-8")
    if kind == "marked":
        with Path(context.device).open("a", encoding="utf-8") as file:
            file.write(f"{case.name}\n")
    context.observation = partial(_observe, case)
    return Result("passed", "compare", metrics={"pid": (os.getpid(), "1")})


def _observe(case: Case) -> ObservedOperators:
    kind, _, name = case.name.partition("-")
    if kind == "observed" and name in ACTS:
        ACTS[name]()
    return ObservedOperators((f"of_{case.name.replace('-', '_')}",))


def _raise(error: BaseException) -> None:
    raise error


def _hang() -> None:
    sys.stderr.write("the driver waits\n")
    sys.stderr.flush()
    time.sleep(60)


def _abort_in_a_thread_of_c() -> None:
    """Die as a driver does: in a thread that Python knows nothing of."""
    libc = ctypes.CDLL(None)
    thread = ctypes.c_size_t()
    libc.pthread_create(ctypes.byref(thread), None, ctypes.cast(libc.abort, ctypes.c_void_p), None)
    time.sleep(60)


def _wedge() -> None:
    """Fail, and leave a device that hangs when it is next used."""
    sys.modules["torch"] = SimpleNamespace(
        get_num_threads=lambda: 1, tensor=lambda _: time.sleep(60)
    )  # type: ignore[assignment]
    raise RuntimeError("ACL_ERROR_RT_FAILURE")


def _end(program: bytes) -> None:
    """Kill the program that this process belongs to, as a machine without memory would."""
    pid = os.getppid()
    while program not in Path(f"/proc/{pid}/cmdline").read_bytes():
        pid = int(Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()[1])
    os.kill(pid, signal.SIGKILL)
    time.sleep(60)


ACTS: dict[str, Callable[[], object]] = {
    "crash": lambda: os.kill(os.getpid(), signal.SIGSEGV),
    "driver": _abort_in_a_thread_of_c,
    "exit": lambda: os._exit(3),
    "leave": lambda: sys.exit(0),
    "hang": _hang,
    "machine": partial(_end, b"spawn_main"),
    "host": partial(_end, b"validation.cluster.batch_process"),
    "slow": lambda: time.sleep(0.3),
    "memory": lambda: _raise(OutOfMemoryError("NPU out of memory. Tried to allocate 2.00 GiB")),
    "missing": lambda: _raise(NotImplementedError("Could not run 'aten::silu' with arguments")),
    "model": lambda: _raise(NotImplementedError("this model cannot generate")),
    "wrong": lambda: _raise(MismatchError("the result: Tensor-likes are not close!")),
    "unchecked": lambda: _raise(UncheckedError("It draws random numbers.")),
    "broken": lambda: _raise(BrokenTestError("timm is not installed.")),
    "skip": lambda: _raise(SkippedError("It has no streams.")),
    "error": lambda: _raise(RuntimeError("ACL_ERROR_RT_FAILURE")),
    "wedge": _wedge,
    "surrogate": lambda: _raise(OSError("no file \udcff")),  # as `os.listdir` returns bad names
}
