"""Runs a Python module in a separate process, which is killed at the end of a `with` block.

The output of the process goes to files, not to pipes, because a plugin may leave daemons behind
that keep a pipe open forever. All processes in the process group of the separate process are
killed, also after Ctrl+C, and after SIGTERM, which `validate` handles like Ctrl+C.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

_POLL_S = 0.05

# Starts the line of a program's result: a plugin may print other lines, even when the program ends.
_RESULT_PREFIX = "result: "

WaitCallback = Callable[[float], None]
"""A function that is called regularly during a wait, with the seconds since the process started."""


@dataclass(frozen=True, slots=True)
class ProcessOutput:
    """The output and the exit status of a process; `status` is None if the process timed out."""

    status: int | None
    stdout: str
    stderr: str

    @property
    def result(self) -> str | None:
        """The text that the process printed with `print_result`, or None if it printed none."""
        lines = [line for line in self.stdout.split("\n") if line.startswith(_RESULT_PREFIX)]
        return lines[-1].removeprefix(_RESULT_PREFIX) if lines else None


class SideProcess(AbstractContextManager["SideProcess"]):
    """A running process `python -m MODULE ARGUMENTS`.

    `given` is the text of its standard input. `variables` are added to its environment variables.
    """

    def __init__(
        self,
        module: str,
        *arguments: str,
        given: str = "",
        variables: Mapping[str, str] | None = None,
    ) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="validation-")
        self._in, self._out, self._err = (Path(self._folder.name, n) for n in ("in", "out", "err"))
        self._in.write_text(given, "utf-8")
        self._started = time.monotonic()
        self._returned_chars = 0
        with self._in.open() as source, self._out.open("w") as out, self._err.open("w") as err:
            self._process = subprocess.Popen(
                [sys.executable, "-m", module, *arguments],
                stdin=source,
                stdout=out,
                stderr=err,
                env={**os.environ, **(variables or {})},
                start_new_session=True,
            )

    def wait(self, limit_s: float, waiting: WaitCallback = lambda _: None) -> ProcessOutput:
        """Wait until the process ends, kill its process group, and return its output.

        Waits at most until `limit_s` seconds after the start of the process. `waiting` is called
        regularly.
        """
        while (status := self._process.poll()) is None:
            elapsed_s = time.monotonic() - self._started
            if elapsed_s > limit_s:
                break
            waiting(elapsed_s)
            time.sleep(_POLL_S)
        self._kill_processes()
        return ProcessOutput(status, _read_text(self._out), _read_text(self._err))

    def new_error_lines(self) -> list[str]:
        """Return the complete lines of standard error that earlier calls have not returned."""
        lines = _read_text(self._err)[self._returned_chars :].splitlines(keepends=True)
        complete_lines = [line for line in lines if line.endswith("\n")]
        self._returned_chars += sum(map(len, complete_lines))
        return [line.rstrip("\n") for line in complete_lines]

    def _kill_processes(self) -> None:
        """Kill the process and all processes in its group."""
        kill_group(self._process.pid)
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()

    def __exit__(self, *_: object) -> None:
        self._kill_processes()
        self._folder.cleanup()


def print_result(text: str) -> None:
    """Print a text without line breaks, which the parent process gets as `ProcessOutput.result`."""
    sys.stdout.write(f"\n{_RESULT_PREFIX}{text}\n")
    sys.stdout.flush()


def kill_group(leader: int | None) -> None:
    """Kill all processes in the process group whose leader has the process id `leader`.

    The leader itself may have ended before.
    """
    if leader is not None and hasattr(os, "killpg"):
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(leader, signal.SIGKILL)


@contextmanager
def interrupts_ignored() -> Iterator[None]:
    """Ignore Ctrl+C in a `with` block of the main thread, and in processes started in it."""
    handler = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)


def signal_name(number: int) -> str:
    """Return the name of a signal, such as `SIGSEGV`, or `signal 40` if it has no name."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _read_text(file: Path) -> str:
    return file.read_text("utf-8", errors="replace")
