"""Lists the tests in files of a checkout: each file is imported in a process of its own.

No plugin and no device is needed. A file that ends its process, or hangs, costs only its own tests.
"""

from __future__ import annotations

import os
import sys
import time
from collections import deque
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkContext, SpawnContext
from multiprocessing.process import BaseProcess
from pathlib import Path

from accelerator_portal.catalog.wording import count
from accelerator_portal.reports.identity import Parameters
from accelerator_portal.validation.listing import progress
from accelerator_portal.validation.matrix import TestFile

LIMIT_S = 300.0
"""Seconds that the import of one file may take."""


@dataclass(frozen=True, slots=True)
class FileTests:
    """What a file has: its tests, and the classes of which none could be made."""

    tests: tuple[tuple[str, Parameters], ...] = ()
    broken: tuple[str, ...] = ()


@dataclass
class _Reader:
    file: TestFile
    process: BaseProcess
    started: float


def collected_tests(folder: Path, files: Iterable[TestFile], device: str) -> dict[str, FileTests]:
    """Return the tests of files by path; a file that cannot be imported has none."""
    # A child of a fork has what this process imported; elsewhere than on Linux forks are not safe.
    linux = sys.platform == "linux"
    context: ForkContext | SpawnContext = get_context("fork") if linux else get_context("spawn")
    waiting, readers = deque(files), dict[Connection, _Reader]()
    found: dict[str, FileTests] = {}
    while waiting or readers:
        while waiting and len(readers) < min(4, os.cpu_count() or 1):
            here, there = context.Pipe(duplex=False)
            file = waiting.popleft()
            process = context.Process(target=_read, args=(there, folder, file, device))
            process.start()
            there.close()
            readers[here] = _Reader(file, process, time.monotonic())
        for connection in _ready(readers):
            reader = readers.pop(connection)
            path = reader.file.path
            found[path] = _end(connection, reader)
            seconds = time.monotonic() - reader.started
            progress(f"{path}: {count(len(found[path].tests), 'test')} ({seconds:.1f} s)")
    return found


def _ready(readers: dict[Connection, _Reader]) -> list[Connection]:
    """Wait for a file that has been read, or for one that takes too long."""
    first = min(reader.started for reader in readers.values()) + LIMIT_S
    ready = wait(list(readers), max(0.0, first - time.monotonic()))
    late = time.monotonic() - LIMIT_S
    return [c for c, reader in readers.items() if c in ready or reader.started <= late]


def _end(connection: Connection, reader: _Reader) -> FileTests:
    found = FileTests()
    with suppress(EOFError):  # it died: when the tests run, the file's own test says how
        if connection.poll():
            found = connection.recv()
    if reader.process.is_alive() and not found.tests:
        reader.process.kill()
    reader.process.join()
    connection.close()
    return found


def _read(connection: Connection, folder: Path, file: TestFile, device: str) -> None:
    """Send what a file has; in a process of its own."""
    with Path(os.devnull).open("w", encoding="utf-8") as nothing:
        os.dup2(nothing.fileno(), 1)
        os.dup2(nothing.fileno(), 2)
    from accelerator_portal.validation.pytorch_tests.loading import load

    loaded = load(folder, file, device, listing=True)
    connection.send(FileTests(tuple(loaded.tests), tuple(loaded.broken)))
    connection.close()
    os._exit(0)  # what a file's import started need not end in order
