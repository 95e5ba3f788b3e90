"""Lists and runs the suite `pytorch-tests`: PyTorch's own tests, from the files of a checkout.

The first test of each file has the file's name. It passes if the file can be imported, and if
PyTorch can create all its test classes for the device.
"""

from __future__ import annotations

import os
import sys
import time
import traceback
import unittest
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkContext, SpawnContext
from multiprocessing.process import BaseProcess
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

import torch

from accelerator_reports.files.wording import count
from accelerator_reports.outcomes import Stage
from accelerator_reports.test_keys import Parameters
from accelerator_validation.case import Case, Result, short_message
from accelerator_validation.classify import (
    UNEXPECTED_SUCCESS_REASON,
    BrokenTestError,
    classify_error,
)
from accelerator_validation.listing import print_progress
from accelerator_validation.matrix import Matrix, TestFile, find_test_file
from accelerator_validation.plan import Offer
from accelerator_validation.pytorch_tests.checkout import TESTS_FOLDER
from accelerator_validation.pytorch_tests.source import EXPECTED_FAILURE
from accelerator_validation.suite_interface import Context

if TYPE_CHECKING:
    from accelerator_validation.pytorch_tests.loading import LoadedFile


CHECKOUT = "checkout"
DEVICE = "device"

_MOST_NAMED = 3

# The maximum number of characters of an error message that many results repeat.
_MAX_REPEATED_CHARS = 160

IMPORT_TIMEOUT_S = 300.0
"""The maximum number of seconds for importing one file to list its tests."""

SKIP_PREFIX = "PyTorch skips this test:"
EXPECTED_FAILURE_PREFIX = "PyTorch expects it to fail:"

_LOG_TAIL_CHARS = 1500


def offers(matrix: Matrix) -> Iterator[Offer]:
    """Yield the tests of the selected files. Without a checkout, yield nothing."""
    if CHECKOUT not in matrix.given:
        return
    tests_by_path = collect_tests(
        Path(matrix.given[CHECKOUT], TESTS_FOLDER), matrix.files, matrix.given[DEVICE]
    )
    for file in matrix.files:
        yield Offer(file.container)
        for class_name in tests_by_path[file.path].broken:
            yield Offer(f"{file.container}.{class_name}")
        classifications = tests_by_path[file.path].hw_classifications
        for name, parameters in tests_by_path[file.path].tests:
            classification = classifications.get(name.partition("::")[0])
            yield Offer(name, parameters=dict(parameters), hw_classification=classification)


def run(case: Case, context: Context) -> Result:
    """Run one of PyTorch's tests.

    If the test is named like a file, it passes if the file and all its test classes can be loaded
    for the device. If it is named like a class, it reports why the class cannot be loaded.
    """
    file = find_test_file(case.name, context.matrix.files)
    if file is None:
        raise BrokenTestError("The checkout doesn't contain this test file.")
    context.stage = "import"
    device, _, index = context.device.partition(":")
    if index:
        torch.get_device_module(device).set_device(int(index))
    checkout = context.matrix.given[CHECKOUT]
    loaded = _load_file_tests(Path(checkout, TESTS_FOLDER), file, device)
    if case.name == file.container:
        return _file_result(loaded, context, checkout)
    test = loaded.tests.get((case.name, case.parameters))
    if test is None:
        return _missing_test_result(case, file, loaded, checkout)
    context.stage = "run"
    return run_test(*test, checkout)


@cache
def _load_file_tests(folder: Path, file: TestFile, device: str) -> LoadedFile:
    # Importing PyTorch's helpers may start the device, so they are never imported before a fork.
    from accelerator_validation.pytorch_tests.loading import load_test_file

    return load_test_file(folder, file, device)


def _file_result(loaded: LoadedFile, context: Context, checkout: str) -> Result:
    context.metrics["tests"] = (len(loaded.tests), "1")
    if loaded.error:
        return error_result(loaded.error, "import", checkout)
    if loaded.broken:
        name, error = next(iter(loaded.broken.items()))
        result = error_result(error, "load", checkout)
        names = ", ".join(list(loaded.broken)[:_MOST_NAMED])
        more = " and others" if len(loaded.broken) > _MOST_NAMED else ""
        problem = f"Classes that cannot be instantiated on the device: {names}{more}"
        reason = short_message(f"{problem}. {name}: {result.reason}")
        return Result(result.outcome, "load", reason, log_tail=result.log_tail)
    return Result("passed", "load")


def _missing_test_result(case: Case, file: TestFile, loaded: LoadedFile, checkout: str) -> Result:
    """Return the result of a planned test that the loaded file does not contain.

    The reason of the result says why the file does not contain the test. In the texts of the
    result, the path `checkout` is replaced by `CHECKOUT`.
    """
    class_name = case.name.partition("::")[0].removeprefix(f"{file.container}.")
    error = loaded.error or loaded.broken.get(class_name)
    if error is None:
        problem = "no such test" if "::" in case.name else "this class only"
        return Result("test-broken", "load", f"PyTorch creates {problem} for the device.")
    result = error_result(error, "load", checkout)
    if "::" not in case.name:
        return result
    problem = "file cannot be imported"
    if not loaded.error:
        problem = "class cannot be instantiated on the device"
    reason = short_message(result.reason or "", _MAX_REPEATED_CHARS)
    return Result("not-run", "load", f"Its {problem}; see the test {file.container}. {reason}")


class _ExceptionRecorder(unittest.TestResult):
    """A unittest result that stores exceptions, and not only their text as unittest does."""

    def __init__(self) -> None:
        super().__init__()
        self.exceptions: list[BaseException] = []

    def _exc_info_to_string(
        self, err: tuple[type[BaseException], BaseException, TracebackType], test: unittest.TestCase
    ) -> str:
        """Store the exception of a failure, an error or an expected failure, and return its text.

        unittest calls this method once for each of them, in order.
        """
        self.exceptions.append(err[1])
        return super()._exc_info_to_string(err, test)  # type: ignore[misc, no-any-return]


def run_test(kind: Callable[[str], unittest.TestCase], method: str, checkout: str) -> Result:
    """Run the method `method` of the test class `kind`, with its set-up, and return the result.

    In all texts, the path `checkout` is replaced by `CHECKOUT`.
    """
    recorder, test = _ExceptionRecorder(), kind(method)
    unittest.TestSuite([test]).run(recorder)
    if recorder.errors or recorder.failures:
        # An expected failure can only precede an error of the class's or module's tear-down.
        error = recorder.exceptions[len(recorder.expectedFailures)]
        return error_result(error, "run", checkout)
    if recorder.skipped:
        return error_result(unittest.SkipTest(recorder.skipped[0][1]), "run", checkout)
    caught: BaseException | None = getattr(test, EXPECTED_FAILURE, None)
    if expected := recorder.exceptions[0] if recorder.expectedFailures else caught:
        return _expected_failure_result(expected, checkout)
    if recorder.unexpectedSuccesses:
        return Result("failed", "run", UNEXPECTED_SUCCESS_REASON)
    return Result("passed", "run")


def _expected_failure_result(error: BaseException, checkout: str) -> Result:
    if isinstance(error, unittest.SkipTest):
        return error_result(error, "run", checkout)
    reason = f"{EXPECTED_FAILURE_PREFIX} {type(error).__name__}: {error}"
    return Result("skipped", "run", short_message(reason.replace(checkout, "CHECKOUT")))


def error_result(error: BaseException, stage: Stage, checkout: str) -> Result:
    """Return the result of a test that raised `error` in the stage `stage`.

    If `error` is a SkipTest, the outcome is `skipped`. If a missing package caused the error, the
    outcome is `test-broken`. Unless the test is skipped, the result has the end of the traceback.
    In the texts of the result, the path `checkout` is replaced by `CHECKOUT`.
    """
    if isinstance(error, unittest.SkipTest):
        skip_reason = f"{SKIP_PREFIX} {error}".replace(checkout, "CHECKOUT")
        return Result("skipped", None, short_message(skip_reason))
    result = classify_error(error, stage)
    missing_package = _missing_package(error)
    outcome = "test-broken" if missing_package else result.outcome
    reason = (
        f"The test requires {missing_package}, which is not installed."
        if missing_package
        else result.reason or ""
    )
    text = "".join(traceback.format_exception(error)).replace(checkout, "CHECKOUT")
    log_tail = text[-_LOG_TAIL_CHARS:].strip()
    return Result(
        outcome, result.stage, reason.replace(checkout, "CHECKOUT"), log_tail=log_tail or None
    )


def _missing_package(error: BaseException | None) -> str | None:
    """Return the name of the missing package that caused an error, or None for other causes."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        if isinstance(error, ModuleNotFoundError) and error.name:
            return error.name.partition(".")[0]
        error = error.__cause__
    return None


@dataclass(frozen=True, slots=True)
class FileTests:
    """The parts of a `LoadedFile` that a list of tests needs."""

    tests: tuple[tuple[str, Parameters], ...] = ()
    broken: tuple[str, ...] = ()
    hw_classifications: Mapping[str, str] = field(default_factory=dict)


@dataclass
class _Reader:
    """A process that imports a file, and its start as a time of `time.monotonic()`."""

    file: TestFile
    process: BaseProcess
    started: float


def collect_tests(folder: Path, files: Iterable[TestFile], device: str) -> dict[str, FileTests]:
    """Return the tests of files by path. Each file is imported in a separate process.

    `folder` is the folder of PyTorch's tests. A file that ends its process or hangs has no tests.
    """
    # A forked process keeps the imports of this one. Forks are only safe on Linux.
    is_linux = sys.platform == "linux"
    context: ForkContext | SpawnContext = get_context("fork") if is_linux else get_context("spawn")
    waiting_files, readers = deque(files), dict[Connection, _Reader]()
    tests_by_path: dict[str, FileTests] = {}
    while waiting_files or readers:
        while waiting_files and len(readers) < min(4, os.cpu_count() or 1):
            receiver, sender = context.Pipe(duplex=False)
            file = waiting_files.popleft()
            process = context.Process(target=_send_file_tests, args=(sender, folder, file, device))
            process.start()
            sender.close()
            readers[receiver] = _Reader(file, process, time.monotonic())
        for connection in _ended_connections(readers):
            reader = readers.pop(connection)
            path = reader.file.path
            tests_by_path[path] = _received_tests(connection, reader)
            seconds = time.monotonic() - reader.started
            print_progress(
                f"{path}: {count(len(tests_by_path[path].tests), 'test')} ({seconds:.1f} s)"
            )
    return tests_by_path


def _ended_connections(readers: dict[Connection, _Reader]) -> list[Connection]:
    """Wait until a process sends its tests, ends or exceeds `IMPORT_TIMEOUT_S`.

    Returns the connection to this process, or to all such processes if there are several. `readers`
    has the process at the other end of each connection.
    """
    first_deadline = min(reader.started for reader in readers.values()) + IMPORT_TIMEOUT_S
    ready = wait(list(readers), max(0.0, first_deadline - time.monotonic()))
    earliest_start = time.monotonic() - IMPORT_TIMEOUT_S
    return [c for c, reader in readers.items() if c in ready or reader.started <= earliest_start]


def _received_tests(connection: Connection, reader: _Reader) -> FileTests:
    file_tests = FileTests()
    with suppress(EOFError):  # it died; the file's own test reports the reason when it runs
        if connection.poll():
            file_tests = connection.recv()
    if reader.process.is_alive() and not file_tests.tests:
        reader.process.kill()
    reader.process.join()
    connection.close()
    return file_tests


def _send_file_tests(connection: Connection, folder: Path, file: TestFile, device: str) -> None:
    """Import a file in this separate process, and send its tests through `connection`."""
    with Path(os.devnull).open("w", encoding="utf-8") as null_file:
        os.dup2(null_file.fileno(), 1)
        os.dup2(null_file.fileno(), 2)
    from accelerator_validation.pytorch_tests.loading import load_test_file

    loaded = load_test_file(folder, file, device, listing=True)
    tests, broken = tuple(loaded.tests), tuple(loaded.broken)
    connection.send(FileTests(tests, broken, loaded.hw_classifications))
    connection.close()
    os._exit(0)  # don't wait for threads that the file's import started
