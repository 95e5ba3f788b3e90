"""Running a command with all its children, and ending all of them when its time is over."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class CommandEnd:
    """How a command ended: its status, None where its time was over, or why it never began."""

    status: int | None
    seconds: float
    missing: str | None = None


def run_within(
    command: Sequence[str],
    folder: Path,
    environment: Mapping[str, str],
    log: Path,
    seconds: float,
) -> CommandEnd:
    """Run a command in a folder with nothing but this environment; its outputs go to the log."""
    started = time.monotonic()
    with log.open("ab") as file:
        try:
            process = subprocess.Popen(
                command,
                cwd=folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        except OSError as error:
            return CommandEnd(None, 0.0, f"{command[0]}: {error.strerror}")
        try:
            status: int | None = process.wait(seconds)
        except subprocess.TimeoutExpired:
            status = None
        finally:
            # Also after a good end: what it left running would outlive the folder.
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    return CommandEnd(status, time.monotonic() - started)
