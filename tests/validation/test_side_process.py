"""A process beside the command: what it prints is read, and nothing of it stays."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from accelerator_validation.side_process import SideProcess, interrupts_ignored, signal_name
from tests.folders import REPOSITORY
from tests.validation.processes import is_gone

PROGRAM = "tests.validation.side_program"
PATHS = {"PYTHONPATH": str(REPOSITORY)}


def test_what_it_reads_prints_and_ends_with() -> None:
    with SideProcess(PROGRAM, "answer", given="seven", variables=PATHS) as process:
        done = process.wait(120)
    assert (done.status, done.result, done.stderr) == (3, "seven", "said\n")


def test_a_daemon_that_it_leaves_behind_neither_blocks_nor_stays(tmp_path: Path) -> None:
    note = tmp_path / "pid"
    with SideProcess(PROGRAM, "daemon", str(note), variables=PATHS) as process:
        done = process.wait(120)
    assert (done.status, done.stdout, done.result) == (0, "left a daemon\n", None)
    assert is_gone(int(note.read_text()))


def test_it_is_killed_when_it_takes_too_long(tmp_path: Path) -> None:
    told: list[float] = []
    note = tmp_path / "pid"
    with SideProcess(PROGRAM, "hang", str(note), variables=PATHS) as process:
        start = time.monotonic()
        until_written(note)
        done = process.wait(time.monotonic() - start + 2, told.append)
        assert process.new_error_lines() == ["one", "two"]
        assert not process.new_error_lines()
    assert (done.status, done.stdout) == (None, "hangs\n")
    assert told == sorted(told)
    assert told


def test_a_signal_without_a_name_is_a_number() -> None:
    assert signal_name(signal.SIGSEGV) == "SIGSEGV"
    assert signal_name(signal.SIGRTMIN + 1) == f"signal {signal.SIGRTMIN + 1}"


def test_it_is_killed_when_its_block_is_left(tmp_path: Path) -> None:
    note = tmp_path / "pid"
    with pytest.raises(KeyboardInterrupt):
        _interrupted(note)
    assert is_gone(int(note.read_text()))


def _interrupted(note: Path) -> None:
    with SideProcess(PROGRAM, "hang", str(note), variables=PATHS):
        until_written(note)
        raise KeyboardInterrupt


def until_written(note: Path) -> None:
    while not note.exists() or not note.read_text():
        time.sleep(0.02)


def test_what_is_started_while_interrupts_are_ignored_ignores_them() -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background ignores it
    program = "import signal; print(signal.getsignal(signal.SIGINT).name)"
    with interrupts_ignored():
        signal.raise_signal(signal.SIGINT)
        said = subprocess.check_output([sys.executable, "-c", program], text=True)
    assert said == "SIG_IGN\n"
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)
