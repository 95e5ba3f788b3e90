"""Which tests the files of a checkout have: each file is imported in a process of its own.

No plugin and no device is needed. A file that ends its process, or hangs, costs only its own tests.
"""

from __future__ import annotations

import os
import sys
import time
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkContext, SpawnContext
from multiprocessing.process import BaseProcess
from pathlib import Path

from accelerator_portal.reports.identity import Parameters
from accelerator_portal.validation.matrix import TestFile

LIMIT_S = 300.0
"""Seconds that the import of one file may take."""


@dataclass(frozen=True, slots=True)
class FileTests:
    """What a file has: its tests, and the classes of which none could be made."""

    tests: tuple[tuple[str, Parameters], ...] = ()
    broken: tuple[str, ...] = ()


FileCallback = Callable[[TestFile, FileTests, float], None]
"""Told of each file that has been read, with the seconds that this took."""


@dataclass
class _Reader:
    file: TestFile
    process: BaseProcess
    started: float


def collected_tests(
    folder: Path, files: Iterable[TestFile], device: str, told: FileCallback
) -> dict[str, FileTests]:
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
            found[reader.file.path] = _end(connection, reader)
            seconds = time.monotonic() - reader.started
            told(reader.file, found[reader.file.path], seconds)
    return found


def _ready(readers: dict[Connection, _Reader]) -> list[Connection]:
    """Wait for a file that has been read, or for one that takes too long."""
    first = min(reader.started for reader in readers.values()) + LIMIT_S
    ready = [c for c in wait(list(readers), max(0.0, first - time.monotonic())) if c in readers]
    late = [c for c, reader in readers.items() if time.monotonic() - reader.started >= LIMIT_S]
    return [connection for connection in readers if connection in {*ready, *late}]


def _end(connection: Connection, reader: _Reader) -> FileTests:
    found = FileTests()
    try:
        if connection.poll():
            found = connection.recv()
    except EOFError:
        pass  # it died: where the tests run, the file's own test says how
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
