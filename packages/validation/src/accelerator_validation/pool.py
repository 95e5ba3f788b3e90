"""Runs tests in worker processes, and replaces workers that die, hang or leak.

The parent never uses the device. A test that kills its worker, exceeds its time or runs out of
memory is tried once more, alone in a new worker, because tests before it may be the cause.
"""

from __future__ import annotations

import signal
import tempfile
import time
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field, replace
from multiprocessing import forkserver, get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkServerContext, SpawnContext
from multiprocessing.process import BaseProcess
from pathlib import Path

from accelerator_reports.outcomes import OUTCOMES, Outcome
from accelerator_reports.report_views import missing_operator
from accelerator_validation.case import (
    Case,
    Result,
    short_message,
    with_note,
    with_recording_failure,
)
from accelerator_validation.side_process import interrupts_ignored, kill_group, signal_name
from accelerator_validation.suite_interface import (
    REFERENCE_PREFIX,
    crash_excerpt,
    last_step,
    read_log,
)
from accelerator_validation.worker import Job, Message, run_worker

# The number of workers that die in a row before they start a test, at which the run stops: the
# machine or the plugin is broken.
MAX_FAILED_STARTS = 3

_START_TIMEOUT_S = 300.0
_GRACE_S = 5.0

BeginCallback = Callable[[Case, int], None]
"""Called at the start of each attempt at a test, with the test and the number of the attempt."""

EndCallback = Callable[[Case, Result, bool], None]
"""Called at the end of each attempt at a test, with the test, the result, and whether the result is
final. A result is not final if the test will be repeated."""


class PoolError(Exception):
    """Raised if workers cannot start or a cluster is no longer usable; the message says why."""


@dataclass
class _Worker:
    """A worker process, its batch of tests, and the test that it is running."""

    process: BaseProcess
    connection: Connection
    log: Path
    alone: bool
    """Whether the process runs only one test, which is the second attempt at this test."""
    batch: deque[Case]
    """The tests of the batch that have not started."""
    current: Case | None = None
    """The test that is running."""
    verdict: Result | None = None
    """The result of `current`, while the process still records the operators of this test."""
    deadline: float = field(default_factory=lambda: time.monotonic() + _START_TIMEOUT_S)
    """The time of `time.monotonic()` at which the process is killed unless it makes progress."""
    started: bool = False
    """Whether the process has started a test."""
    idle: bool = False
    """Whether the process has ended its batch and waits for the next one."""
    unfit: bool = False
    """Whether the process has reported that it cannot use the device; it then ends."""
    group: str = ""
    """The group of the tests in the batch, see `Matrix.group`."""


def start_fork_server(job: Job) -> None:
    """Start the process from which workers are forked. It imports the modules in `job.preload`."""
    forkserver.set_forkserver_preload(list(job.preload))
    with interrupts_ignored():  # its imports take seconds, and would end with a traceback
        forkserver.ensure_running()


class Pool:
    """Runs tests in `workers` processes, and calls `began` and `ended` for each attempt at a test.

    The calls are made in this process. If `fresh` is true, each worker imports torch itself instead
    of being forked.
    """

    def __init__(
        self,
        job: Job,
        *,
        workers: int,
        began: BeginCallback,
        ended: EndCallback,
        fresh: bool = False,
    ) -> None:
        self._job, self._worker_count = job, workers
        self._began, self._ended = began, ended
        self._context: SpawnContext | ForkServerContext = get_context("spawn")
        if not fresh:
            start_fork_server(job)
            self._context = get_context("forkserver")
        self._queue: deque[Case] = deque()
        self._suspects: deque[Case] = deque()
        self._first_outcomes: dict[str, Outcome] = {}  # of tests that are tried once more, by id
        self._workers: list[_Worker] = []
        self._failed_starts = 0
        self._started_count = 0

    def run(self, cases: Iterable[Case]) -> None:
        """Run all tests.

        Raises PoolError if workers cannot start, KeyboardInterrupt if the run is interrupted.
        """
        self._queue.extend(cases)
        with tempfile.TemporaryDirectory(prefix="validation-") as folder:
            try:
                while self._assign_batches(Path(folder)):
                    self._wait_for_messages()
            finally:
                for worker in self._workers:
                    self._end_worker(worker)

    def _assign_batches(self, folder: Path) -> bool:
        """Give idle workers a batch, and start missing workers. Return False if all tests ended."""
        for worker in [w for w in self._workers if w.idle]:
            if self._queue and not worker.alone and self._job.group(self._queue[0]) == worker.group:
                self._send_batch(worker, self._next_batch())
            else:
                self._end_worker(worker)
                self._workers.remove(worker)
        while len(self._workers) < self._worker_count and (self._queue or self._suspects):
            alone = not self._queue
            batch = [self._suspects.popleft()] if alone else self._next_batch()
            self._workers.append(self._start_worker(folder, batch, alone=alone))
        return bool(self._workers)

    def _next_batch(self) -> list[Case]:
        length = self._job.batch_length(self._queue, self._worker_count)
        return [self._queue.popleft() for _ in range(length)]

    def _start_worker(self, folder: Path, batch: list[Case], *, alone: bool) -> _Worker:
        parent_end, child_end = self._context.Pipe()
        self._started_count += 1
        log_path = folder / f"{self._started_count}.log"
        forked = self._context.get_start_method() == "forkserver"
        process = self._context.Process(
            target=run_worker, args=(child_end, str(log_path), self._job, forked)
        )
        try:
            # A fork waits for the imports of the process above, which the user may interrupt.
            with nullcontext() if forked else interrupts_ignored():
                process.start()
        except (OSError, EOFError) as error:
            fork_server_died = isinstance(error, (EOFError, ConnectionError))
            if (
                forked and fork_server_died
            ):  # an import ended the fork server; a worker that imports itself says why
                self._context = get_context("spawn")
                return self._start_worker(folder, batch, alone=alone)
            raise PoolError(f"no worker can be started: {type(error).__name__} {error}") from None
        child_end.close()
        worker = _Worker(process, parent_end, log_path, alone, deque())
        self._send_batch(worker, batch)
        return worker

    def _send_batch(self, worker: _Worker, batch: list[Case]) -> None:
        worker.batch, worker.idle = deque(batch), False
        worker.group = self._job.group(batch[0])
        worker.deadline = time.monotonic() + _START_TIMEOUT_S
        with suppress(OSError):  # it died, which `_read_messages` notices and reports
            worker.connection.send(batch)

    def _wait_for_messages(self) -> None:
        """Wait for messages from workers, or for the first deadline."""
        worker_by_connection: dict[object, _Worker] = {w.connection: w for w in self._workers}
        first_deadline = min(w.deadline for w in self._workers)
        ready = wait(
            [w.connection for w in self._workers], max(0.0, first_deadline - time.monotonic())
        )
        for connection in ready:
            self._read_messages(worker_by_connection[connection])
        for worker in list(self._workers):
            if time.monotonic() >= worker.deadline:
                self._handle_timeout(worker)

    def _read_messages(self, worker: _Worker) -> None:
        try:
            while worker.connection.poll():
                self._handle_message(worker, worker.connection.recv())
        except (EOFError, OSError):
            self._handle_dead_worker(worker)

    def _handle_message(self, worker: _Worker, message: Message) -> None:
        kind, _, result = message
        if kind == "begin":
            worker.current, worker.started = worker.batch.popleft(), True
            self._failed_starts = 0
            worker.deadline = time.monotonic() + self._job.timeouts[worker.current.suite]
            self._began(worker.current, 2 if worker.alone else 1)
        elif kind == "verdict" and worker.current:
            worker.verdict = result
            worker.deadline = time.monotonic() + self._job.timeouts[worker.current.suite]
        elif kind == "end" and worker.current and result:
            case, worker.current, worker.verdict = worker.current, None, None
            worker.deadline = time.monotonic() + _START_TIMEOUT_S
            self._report_result(worker, case, result)
        elif kind == "idle":
            worker.idle = True
        elif kind == "unforkable":  # sent before any test; its batch returns when it has ended
            self._context, worker.unfit = get_context("spawn"), True
        else:
            worker.unfit = True

    def _report_result(self, worker: _Worker, case: Case, result: Result) -> None:
        """Report the end of a test. Queue the test again if earlier tests may have made it fail."""
        is_repeated = OUTCOMES[result.outcome].retried and not worker.alone
        if is_repeated:
            self._suspects.append(case)
            self._first_outcomes[case.id] = result.outcome
        if worker.alone:
            result = _second_result(result, self._first_outcomes[case.id])
        self._ended(case, result, not is_repeated)

    def _report_worker_end(self, worker: _Worker, case: Case, result: Result) -> None:
        """Report the end of a test whose worker died or was killed, with the result `result`.

        If the worker had already sent the test's verdict, the verdict is reported instead, with a
        note that the operators could not be recorded.
        """
        if worker.verdict:
            result = with_recording_failure(
                worker.verdict, result.reason or result.outcome, result.log_tail
            )
        self._report_result(worker, case, result)

    def _handle_dead_worker(self, worker: _Worker) -> None:
        """Handle a worker that ended by itself.

        Raises PoolError if `MAX_FAILED_STARTS` workers in a row ended before they started a test.
        """
        worker.process.join(_GRACE_S)
        exit_code = worker.process.exitcode
        worker_log = self._remove_worker(worker)
        if worker.current:
            self._report_worker_end(
                worker, worker.current, crash_result(exit_code, worker_log, alone=worker.alone)
            )
        elif not worker.unfit:
            self._failed_starts += 1
            if self._failed_starts >= MAX_FAILED_STARTS:
                crash_text = crash_excerpt(worker_log) or f"they exit with status {exit_code}"
                raise PoolError(
                    f"the workers crash before the first test: {short_message(crash_text, 1200)}"
                )

    def _handle_timeout(self, worker: _Worker) -> None:
        """Kill a worker that hangs. Raises PoolError if the worker has never started a test."""
        worker_log = self._remove_worker(worker)
        if worker.current is None:
            if worker.started:  # it hangs between two tests, where it checks the device
                return
            log_text = short_message(crash_excerpt(worker_log))
            raise PoolError(f"a worker did not start within {_START_TIMEOUT_S:.0f} s: {log_text}")
        limit_s = self._job.timeouts[worker.current.suite]
        self._report_worker_end(worker, worker.current, timeout_result(limit_s, worker_log))

    def _remove_worker(self, worker: _Worker) -> str:
        """Kill a worker, put its unstarted tests back into the queue, and return the log."""
        self._kill_worker(worker)
        self._workers.remove(worker)
        (self._suspects if worker.alone else self._queue).extendleft(reversed(worker.batch))
        return read_log(worker.log)

    def _end_worker(self, worker: _Worker) -> None:
        """Ask an idle worker to end, and kill a worker that is not idle."""
        with suppress(OSError):  # it is gone already
            if worker.idle:
                worker.connection.send(None)
                worker.process.join(_GRACE_S)
        self._kill_worker(worker)

    @staticmethod
    def _kill_worker(worker: _Worker) -> None:
        kill_group(worker.process.pid)
        if worker.process.is_alive():
            worker.process.kill()
        worker.process.join(_GRACE_S)
        worker.connection.close()


def _second_result(result: Result, first_outcome: Outcome) -> Result:
    """Return the result of a second attempt with a note about the outcome of the first attempt."""
    note = "The first attempt, after other tests in the same process, failed."
    if result.outcome == first_outcome:
        note = "The result was the same when the test ran in a separate process."
    return with_note(replace(result, attempts=2), note)


def crash_result(code: int | None, log: str, *, alone: bool) -> Result:
    """Return the result of a test whose worker died with exit status `code`.

    `log` is the worker's log. `alone` is true if no other test ran in the worker. The outcome is
    `crashed`, with one exception: if `alone` is true and the worker died in a part of the test that
    does not use the device, the outcome is `test-broken`.
    """
    step = last_step(log)
    reference = step is not None and step.startswith(REFERENCE_PREFIX)
    outcome: Outcome = "test-broken" if reference and alone else "crashed"
    return Result(
        outcome, "run", _crash_reason(code, log, step), log_tail=crash_excerpt(log) or None
    )


def timeout_result(limit: float, log: str) -> Result:
    """Return the result of a test whose worker was killed after `limit` seconds.

    `log` is the worker's log.
    """
    reason = f"Timed out after {limit:g} s{_step_suffix(last_step(log))}."
    log_tail = crash_excerpt(log) or None
    return Result("timed-out", "run", short_message(reason), seconds=limit, log_tail=log_tail)


def _crash_reason(exit_code: int | None, log: str, step: str | None) -> str:
    if exit_code is None or exit_code >= 0:
        return short_message(f"The process exited with status {exit_code}{_step_suffix(step)}.")
    name = signal_name(-exit_code)
    if -exit_code == signal.SIGKILL:
        cause = "the usual cause is too little memory"
        return short_message(f"The process was killed by {name}{_step_suffix(step)}; {cause}.")
    operator = missing_operator(log)
    return short_message(
        f"The process crashed with {name}{f' in {operator}' if operator else ''}"
        f"{_step_suffix(step)}."
    )


def _step_suffix(step: str | None) -> str:
    return f" at {step}" if step else ""
