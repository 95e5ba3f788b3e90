"""Runs the tests of a plan in workers, and writes the journal and the report meanwhile."""

from __future__ import annotations

import datetime as dt
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from filelock import FileLock, Timeout
from pydantic import ValidationError

from accelerator_reports.files.problem import first_error_text, printable
from accelerator_reports.files.text_file import write_chunks_atomically
from accelerator_reports.outcomes import ATTEMPTED, UNSETTLED, Outcome, outcomes_in
from accelerator_reports.report import Report
from accelerator_reports.report_file import report_lines
from accelerator_validation.case import Case, Result
from accelerator_validation.journal import (
    Journal,
    JournalContent,
    JournalError,
    build_report,
    read_journal,
)
from accelerator_validation.journal_heading import heading
from accelerator_validation.matrix import Matrix
from accelerator_validation.plan import Plan, RunError
from accelerator_validation.pool import Pool, PoolError, start_fork_server
from accelerator_validation.probe import ProbeResult
from accelerator_validation.request import Request, require_script_permission
from accelerator_validation.side_process import interrupts_ignored
from accelerator_validation.worker import Job

if TYPE_CHECKING:
    from accelerator_validation.cluster.cluster_pool import Cluster, ClusterPool


# The seconds between two reports. If the run is killed, the journal has the results since the last.
REPORT_EVERY_S = 30.0

_LONGEST_REASON = 300

# Suites whose tests report what is wrong if torch or the device cannot be used at all.
DIAGNOSTIC_SUITES = frozenset({"integration"})

WatchCallback = Callable[[Case, Result | None], None]
"""A function that follows the progress of a run. It is called with a test and None when an attempt
at the test starts, and with the test and its result when the last attempt ends."""


@dataclass(frozen=True, slots=True)
class FinishedRun:
    """A run that has ended, with its report.

    If the run stopped early or the device cannot be used, `stop_reason` is the reason, else None.
    `interrupted` is true if the user stopped the run.
    """

    report: Report
    stop_reason: str | None = None
    interrupted: bool = False

    @property
    def outcomes(self) -> Counter[Outcome]:
        """The number of tests with each outcome."""
        return Counter(test.outcome for test in self.report.tests)

    @property
    def is_successful(self) -> bool:
        """Whether at least one test was attempted, and no test failed unexpectedly.

        A test was attempted if its outcome is in `ATTEMPTED`. It failed unexpectedly if its outcome
        is in `UNSETTLED` and it has no known issue.
        """
        tests = self.report.tests
        any_attempted = any(test.outcome in ATTEMPTED for test in tests)
        return any_attempted and not any(
            t.outcome in UNSETTLED and not t.known_issue for t in tests
        )

    @property
    def all_skipped(self) -> bool:
        """Whether every test was skipped, so that the run shows nothing about the device."""
        return not self.outcomes.keys() - outcomes_in("skip")

    @property
    def exit_code(self) -> int:
        """The exit status of the command.

        130 if interrupted, 2 if `all_skipped`, 0 if `is_successful`, otherwise 1.
        """
        if self.interrupted:
            return 130
        return 2 if self.all_skipped else int(not self.is_successful)


@dataclass
class _RunState:
    """The state of a run, from which the report can be written at any time.

    `head` is the heading of the journal, and `cases` are the planned tests. `results` has final
    results by test id, and `open` the ids of running tests. `written` is the time of the last
    report, from `time.monotonic()`.
    """

    request: Request
    matrices: Mapping[str, Matrix]
    probed: ProbeResult
    watch: WatchCallback
    cluster: Cluster | None
    head: Mapping[str, Any]
    cases: tuple[Case, ...]
    results: dict[str, Result] = field(default_factory=dict)
    open: set[str] = field(default_factory=set)
    written: float = field(default_factory=time.monotonic)

    def write(self, finished: dt.datetime | None, not_run_reason: str | None = None) -> Report:
        """Write the current report and return it.

        `finished` is the time at which the run ended, or None if it has not ended.
        `not_run_reason` is the reason given for tests without a result. Raises RunError if the file
        cannot be written, or if a value, such as the device's name, is not valid in a report.
        """
        journal_content = JournalContent(self.head, self.cases, self.results, frozenset(self.open))
        try:
            report = build_report(journal_content, finished, not_run_reason)
        except ValidationError as error:
            error_text = printable(first_error_text(error))
            raise RunError(f"{self.request.out} cannot be written: {error_text}") from None
        self.written = time.monotonic()
        try:
            write_chunks_atomically(self.request.out, report_lines(report))
        except OSError as error:
            raise RunError(f"{self.request.out} cannot be written: {error.strerror}") from None
        return report

    def finish(self, cases: Iterable[Case], journal: Journal) -> FinishedRun:
        """Run the tests `cases`, which have no final result yet, and write the final report.

        Raises RunError if the report cannot be written, JournalError if the journal cannot be
        written.
        """
        reason, interrupted = None, False
        if self.probed.fault:
            cases = [case for case in cases if case.suite in DIAGNOSTIC_SUITES]
            reason = f"{self.request.device} cannot be used: {self.probed.message}"
        try:
            self._pool(journal).run(cases)
        except KeyboardInterrupt:
            reason, interrupted = "The run was interrupted.", True
        except PoolError as error:
            reason = str(error)
        except JournalError as error:
            self.write(_utc_now(), f"The run stopped: {error}")
            raise
        # Every test that was not run repeats the reason.
        short_reason = reason
        if reason and len(reason) > _LONGEST_REASON:
            short_reason = f"{reason[:_LONGEST_REASON]}…"
        with interrupts_ignored():  # a second Ctrl+C must not keep the results from the report
            return FinishedRun(self.write(_utc_now(), short_reason), reason, interrupted)

    def _pool(self, journal: Journal) -> Pool | ClusterPool:
        def began(case: Case, attempt: int, machine: str | None = None) -> None:
            journal.begin(case, attempt, machine)
            self.open.add(case.id)
            self.watch(case, None)

        def ended(case: Case, result: Result, final: bool) -> None:  # noqa: FBT001 - as Pool calls it
            journal.end(case, result, final=final)
            self.open.discard(case.id)
            if final:
                self.results[case.id] = result
                self.watch(case, result)
            if time.monotonic() - self.written > REPORT_EVERY_S:
                self.write(None)

        job = _job(self.request, self.matrices)
        if self.cluster:
            return self.cluster.pool(job, self.probed, began=began, ended=ended)
        workers, fresh = self.request.workers, self.probed.needs_fresh_workers
        return Pool(job, workers=workers, began=began, ended=ended, fresh=fresh)


def begin_run(  # noqa: PLR0913, PLR0917 - what a run needs
    request: Request,
    matrices: Mapping[str, Matrix],
    plan: Plan,
    probed: ProbeResult,
    watch: WatchCallback,
    cluster: Cluster | None = None,
) -> FinishedRun:
    """Run a plan from its beginning. If `cluster` is None, the tests run on this machine.

    Raises RunError if the report or the journal cannot be written, or if a vendor's scripts are
    needed but not allowed.
    """
    require_script_permission(request, matrices)
    head = heading(request, matrices, plan, probed)
    run = _RunState(request, matrices, probed, watch, cluster, head, plan.cases)
    run.write(None)  # before anything runs: a path that cannot be written is reported now
    try:
        with Journal(request.journal, anew=True) as journal:
            journal.plan(head, plan.cases)
            return run.finish(plan.cases_to_run, journal)
    except JournalError as error:
        raise RunError(str(error)) from None


def continue_run(
    request: Request,
    matrices: Mapping[str, Matrix],
    probed: ProbeResult,
    watch: WatchCallback,
    cluster: Cluster | None = None,
) -> FinishedRun:
    """Continue the interrupted run whose journal is next to the request's report.

    Raises RunError if a file cannot be read or written, if the run started under other conditions
    (see `_require_same_run`), or if a vendor's scripts are needed but not allowed.
    """
    require_script_permission(request, matrices)
    with _with_restart_advice():
        journal_content = read_journal(request.journal)
        _require_same_run(journal_content, request, probed)
        finished_ids = journal_content.results.keys() | journal_content.head["skipped"].keys()
        head, cases = journal_content.head, journal_content.cases
        results = dict(journal_content.results)
        run = _RunState(request, matrices, probed, watch, cluster, head, cases, results)
        with Journal(request.journal, anew=False) as journal:
            return run.finish([case for case in cases if case.id not in finished_ids], journal)


def journal_cases(request: Request) -> tuple[Case, ...]:
    """Return the planned tests of an interrupted run, from its journal.

    Raises RunError if the journal cannot be read.
    """
    with _with_restart_advice():
        return read_journal(request.journal).cases


@contextmanager
def _with_restart_advice() -> Iterator[None]:
    try:
        yield
    except JournalError as error:
        raise RunError(f"{error}. Start a new run without --resume") from None


def prepare_workers(request: Request, matrices: Mapping[str, Matrix], probed: ProbeResult) -> None:
    """Start a process that imports torch and the suites, so that workers can be forked from it.

    If `probed` says that each worker must import torch itself, nothing is started.
    """
    if not probed.needs_fresh_workers:
        start_fork_server(_job(request, matrices))


def _job(request: Request, matrices: Mapping[str, Matrix]) -> Job:
    plugin_modules = [request.imports] if request.imports else []
    suite_modules = (matrix.module for matrix in matrices.values())
    return Job(
        device=request.device,
        matrices=matrices,
        timeouts={name: request.timeout_s or m.timeout_s for name, m in matrices.items()},
        threads=request.threads,
        preload=tuple(dict.fromkeys(["torch", *plugin_modules, *suite_modules])),
        backend=request.backend,
        imports=request.imports or "",
        records_operators=request.records_operators,
    )


def _utc_now() -> dt.datetime:
    return dt.datetime.now(dt.timezone.utc).replace(microsecond=0)


def _require_same_run(
    journal_content: JournalContent, request: Request, probed: ProbeResult
) -> None:
    """Raise RunError if device, torch, plugin, backend or shard have changed since the run started.

    A request without a shard continues the run's own shard. Also raises RunError if probing the
    device failed before it found the version of torch.
    """
    start_environment, current_environment = journal_content.head["environment"], probed.environment
    if "torch" in start_environment and "torch" not in current_environment:
        raise RunError(f'"{request.device}" cannot be used: {probed.message}')
    pairs: dict[str, tuple[Any, Any]] = {"device": (journal_content.head["device"], request.device)}
    pairs["level"] = (journal_content.head.get("level", "quick"), request.level)
    pairs |= {
        name: (start_environment.get(name), current_environment.get(name))
        for name in ("torch", "plugin", "backend")
    }
    if shard_request := request.shard:  # without one, the run's own shard is continued
        start_shard = journal_content.head.get("shard")
        shard = f"{start_shard['index']}/{start_shard['count']}" if start_shard else None
        pairs["shard"] = (shard, f"{shard_request.index}/{shard_request.count}")
    for name, (start_value, current_value) in pairs.items():
        if start_value != current_value:
            problem = f"the run started with {name} {start_value}, but now it is {current_value}"
            raise RunError(f"{problem}. Start a new run without --resume")


@contextmanager
def lock_report(request: Request) -> Iterator[None]:
    """Lock the report and the journal of a run for a `with` block.

    Raises RunError if another run holds the lock, or if the lock file cannot be written.
    """
    lock = lock_path(request)
    file_lock = FileLock(lock, timeout=0)
    try:
        request.out.parent.mkdir(parents=True, exist_ok=True)
        file_lock.acquire()
    except Timeout:
        raise RunError(
            f"another run is writing {request.out}. Wait until it ends, or name another file "
            "with --out"
        ) from None
    except OSError as error:
        raise RunError(f"{request.out} cannot be written: {error.strerror}") from None
    try:
        yield
    finally:
        lock.unlink(missing_ok=True)  # before the release: another run may hold it right after
        file_lock.release()


def lock_path(request: Request) -> Path:
    """Return the path of a run's lock file, which is next to its report."""
    return request.out.with_name(f"{request.out.stem}.lock")
