"""Runs batches of tests in a worker process, and reports the start and the end of each test.

The process from which workers are forked only imports modules and does not use the device. If an
import initializes the device, forked workers end before the first test, and the parent starts
workers without forking. If a test ends its worker, the parent knows which test was running. The
operators of a test are recorded only after its verdict has been sent to the parent.
"""

from __future__ import annotations

import ctypes
import faulthandler
import importlib
import os
import random
import signal
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from importlib.abc import MetaPathFinder
from itertools import islice
from multiprocessing.connection import Connection
from pathlib import Path
from types import ModuleType
from typing import Literal

from accelerator_reports.outcomes import OUTCOMES, UNSUCCESSFUL
from accelerator_validation.case import (
    MAX_INPUTS,
    Case,
    ObservedOperators,
    Result,
    classify_error,
    describe_error,
    with_note,
    with_recording_failure,
)
from accelerator_validation.matrix import Matrix
from accelerator_validation.probe import is_round_trip_exact
from accelerator_validation.suite_interface import (
    Context,
    error_stack,
    load_suite,
    output_excerpt,
    read_log,
)

MessageKind = Literal["begin", "verdict", "end", "idle", "unfit", "unforkable"]
Message = tuple[MessageKind, str, Result | None]
"""A message from a worker: its kind, the id of a test or "", and the test's result or None.

`begin`, `verdict` and `end` have a test id; `verdict` and `end` also have a result. A `verdict` is
sent before the test's operators are recorded. The result of `end` includes the operators.
"""

_PR_SET_PDEATHSIG = 1

# The part of a time limit after which the stack is written, before the parent kills the worker.
_STACK_DUMP_SHARE = 0.95


@dataclass(frozen=True, slots=True)
class Job:
    """What a worker needs to run tests: the device, and settings that apply to all tests of a run.

    `matrices` has each suite's matrix, and `timeouts` the time limit of each test of a suite in
    seconds, both by suite name. `threads` is the number of torch's threads. `preload` has the names
    of modules to import before the first test. `backend` and `imports` are as in `Context`,
    `records_operators` as in `Request`.
    """

    device: str
    matrices: Mapping[str, Matrix]
    timeouts: Mapping[str, float]
    threads: int
    preload: tuple[str, ...] = ()
    backend: str = ""
    imports: str = ""
    records_operators: bool = True

    def group(self, case: Case) -> str:
        """Return the group of a test. A worker runs tests of one group only, see `Matrix.group`."""
        return self.matrices[case.suite].group(case.name)

    def batch_length(self, cases: Sequence[Case], workers: int) -> int:
        """Return how many tests a worker takes from the start of `cases`, the tests still to run.

        The tests that it takes have the same suite and group. Batches become smaller towards the
        end of the run, so that all workers stay busy.
        """
        suite, group = cases[0].suite, self.group(cases[0])
        size = max(1, min(self.matrices[suite].batch, len(cases) // (2 * max(1, workers))))
        for length, case in enumerate(islice(cases, size)):
            if case.suite != suite or self.group(case) != group:
                return length
        return size


def run_worker(connection: Connection, log: str, job: Job, forked: bool) -> None:  # noqa: FBT001 - as Pool starts it
    """Run batches until the parent sends None or disconnects, or the device cannot be used.

    `connection` leads to the parent. `log` is the path of the worker's log. `forked` is true if
    this process was forked.
    """
    _set_up_process(log)
    for module in job.preload:
        try:
            importlib.import_module(module)
        except Exception as error:  # noqa: BLE001 - a plugin may raise anything
            # A test that needs the module reports the same error, and not one that a second
            # import of the partly imported module would raise.
            sys.meta_path.insert(0, _FailedImportFinder(module, error))
    with suppress(EOFError, BrokenPipeError):
        if forked and not _is_device_usable(job):
            # What was imported before the fork has started the device: PyTorch's test helpers do
            # so with CUDA. A process that imports everything itself may use it all the same.
            connection.send(("unforkable", "", None))
            return
        while batch := connection.recv():
            for case in batch:
                if not _run_and_report(connection, case, job, Path(log)):
                    connection.send(("unfit", "", None))
                    return
            connection.send(("idle", "", None))


class _FailedImportFinder(MetaPathFinder):
    """An import finder that raises the error of a module's first import at each later import."""

    def __init__(self, module: str, error: Exception) -> None:
        self._module, self._error = module, error

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> None:
        """Raise the stored error if `name` is the module that failed; otherwise return None."""
        del path, target
        if name == self._module:
            raise self._error


def _run_and_report(connection: Connection, case: Case, job: Job, log: Path) -> bool:
    """Run a test, and report it to the parent. Return whether this process can run another test."""
    _flush_output()
    os.ftruncate(sys.stderr.fileno(), 0)
    connection.send(("begin", case.id, None))
    context = _case_context(case, job)
    with _stack_before_timeout(case, job):
        result = _case_result(case, context, job)
    _flush_output()
    output = output_excerpt(read_log(log), steps=result.outcome in UNSUCCESSFUL)
    if output and (checkout := job.matrices[case.suite].given.get("checkout")):
        output = output.replace(checkout, "CHECKOUT")
    result = replace(result, log_tail=result.log_tail or output)
    suspect = OUTCOMES[result.outcome].checks_device
    if result.outcome == "passed" and context.observation and job.records_operators:
        connection.send(("verdict", case.id, result))
        with _stack_before_timeout(case, job):
            result, suspect = _result_with_operators(result, context, context.observation)
    connection.send(("end", case.id, result))
    return not suspect or _is_device_usable(job)


def _flush_output() -> None:
    """Write what this test has printed to the log, so that it is not taken for the next one's."""
    sys.stdout.flush()
    sys.stderr.flush()


@contextmanager
def _stack_before_timeout(case: Case, job: Job) -> Iterator[None]:
    """Write the stack to the log if a `with` block takes almost as long as the test's time limit.

    The parent kills this process at the time limit.
    """
    faulthandler.dump_traceback_later(job.timeouts[case.suite] * _STACK_DUMP_SHARE, file=sys.stderr)
    try:
        yield
    finally:
        faulthandler.cancel_dump_traceback_later()


def run_case(case: Case, job: Job) -> Result:
    """Run a test in this process and return its result, even if the test raises an exception."""
    return _case_result(case, _case_context(case, job), job)


def _case_context(case: Case, job: Job) -> Context:
    return Context(job.device, job.matrices[case.suite], job.backend, job.imports)


def _case_result(case: Case, context: Context, job: Job) -> Result:
    random.seed(case.seed)
    started = time.perf_counter()
    try:
        torch = sys.modules.get("torch")
        if torch is not None and torch.get_num_threads() != job.threads:
            torch.set_num_threads(job.threads)
        result = load_suite(context.matrix).run(case, context)
    except BaseException as error:  # noqa: BLE001 - a case may raise anything, also SystemExit
        result = classify_error(error, context.stage, reference=context.reference)
        if result.outcome in UNSUCCESSFUL:
            sys.stderr.write(error_stack(error))
    if context.note and result.outcome in UNSUCCESSFUL:
        result = with_note(result, context.note)
    limits = context.tolerance
    return replace(
        result,
        seconds=round(time.perf_counter() - started, 4),
        metrics={**context.metrics, **result.metrics},
        inputs=context.inputs and context.inputs[:MAX_INPUTS],
        tolerance=(limits.rtol, limits.atol) if limits else None,
    )


def _result_with_operators(
    result: Result, context: Context, observe: Callable[[], ObservedOperators]
) -> tuple[Result, bool]:
    """Return the result with the test's ATen operators, and whether recording them failed.

    `observe` records the operators. If it fails, the device may be unusable.
    """
    context.announce("the recording of operators")
    try:
        return replace(result, **asdict(observe())), False
    except BaseException as error:  # noqa: BLE001 - as a case; the verdict stands
        return with_recording_failure(result, describe_error(error)), True


def _set_up_process(log_path: str) -> None:
    """Prepare this process: ignore interrupts, and write all output to a file.

    On Linux, it also exits with the parent.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.setsid()  # so that the parent can end a plugin's daemons as a group
    if sys.platform == "linux":
        # If the parent is killed, a worker that hangs in a driver would otherwise stay forever.
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    descriptor = os.open(log_path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.dup2(descriptor, 1)
    os.dup2(descriptor, 2)
    os.close(descriptor)
    sys.stdout = os.fdopen(1, "w", encoding="utf-8", errors="replace", closefd=False)
    sys.stderr = os.fdopen(2, "w", encoding="utf-8", errors="replace", closefd=False)
    # All threads, because those of drivers and backward passes have no Python frame. Python 3.14
    # and newer add the C stack.
    faulthandler.enable(sys.stderr, all_threads=True)


def _is_device_usable(job: Job) -> bool:
    """Return whether the device still works in this process; some errors are permanent."""
    torch = sys.modules.get("torch")
    if torch is None:
        return True
    try:
        return is_round_trip_exact(torch, job.device)
    except Exception:  # noqa: BLE001 - whatever it is, the process is of no use any more
        return False
