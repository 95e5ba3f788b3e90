"""A run from its plan to its report: probe, journal, workers, and whatever comes between."""

from __future__ import annotations

import datetime as dt
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from accelerator_portal.catalog.atomic_write import write_bytes_atomically
from accelerator_portal.catalog.problem import printable
from accelerator_portal.reports.outcomes import ATTEMPTED, UNSETTLED, Outcome
from accelerator_portal.reports.report import Report
from accelerator_portal.reports.report_file import report_text
from accelerator_portal.validation.case import Case, Result
from accelerator_portal.validation.heading import heading
from accelerator_portal.validation.journal import (
    Journal,
    JournalContent,
    JournalError,
    read_journal,
)
from accelerator_portal.validation.matrix import Matrix
from accelerator_portal.validation.plan import Plan
from accelerator_portal.validation.pool import Pool, PoolError, preload
from accelerator_portal.validation.probe import Probed
from accelerator_portal.validation.recording import Ending, report_of
from accelerator_portal.validation.request import Request, RunError, refuse_scripts
from accelerator_portal.validation.worker import Job

if TYPE_CHECKING:
    from accelerator_portal.validation.cluster.cluster_pool import ClusterPool
    from accelerator_portal.validation.cluster.connecting import Cluster


# A killed run leaves a report that is at most so old; the journal beside it has the rest.
REPORT_EVERY_S = 30.0

# Suites whose tests say what is wrong where torch, or the device, does not come up at all.
DIAGNOSING = frozenset({"integration"})

Watch = Callable[[Case, Result | None], None]
"""Told of each beginning (None) and each final end."""


@dataclass(frozen=True, slots=True)
class Finished:
    """A run that has ended, or was ended; `why` says what kept it from its end."""

    report: Report
    why: str | None = None
    interrupted: bool = False

    @property
    def outcomes(self) -> Counter[Outcome]:
        """How often what happened."""
        return Counter(test.outcome for test in self.report.tests)

    @property
    def went_well(self) -> bool:
        """Whether something ran, and nothing failed that is not a known issue."""
        tests = self.report.tests
        ran = any(test.outcome in ATTEMPTED for test in tests)
        return ran and not any(t.outcome in UNSETTLED and not t.known_issue for t in tests)

    @property
    def exit_code(self) -> int:
        """What a command that was this run ends with: as a shell says it of an interruption."""
        return 130 if self.interrupted else int(not self.went_well)


@dataclass
class _State:
    """What is known while a run goes on; the report is made of it at any moment."""

    request: Request
    head: Mapping[str, Any]
    cases: tuple[Case, ...]
    results: dict[str, Result] = field(default_factory=dict)
    open: set[str] = field(default_factory=set)
    written: float = field(default_factory=time.monotonic)

    def report(self, ending: Ending) -> Report:
        """Return the report; raises RunError where a name of a device or a journal gives none."""
        kept = JournalContent(self.head, self.cases, self.results, frozenset(self.open))
        try:
            return report_of(kept, ending)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            words = printable(f"{'.'.join(map(str, first['loc']))}: {first['msg']}")
            raise RunError(f"{self.request.out} cannot be written: {words}") from None

    def write(self, ending: Ending) -> Report:
        """Write the report as it is now; raises RunError."""
        made = self.report(ending)
        self.written = time.monotonic()
        try:
            write_bytes_atomically(self.request.out, report_text(made).encode())
        except OSError as error:
            raise RunError(f"{self.request.out} cannot be written: {error.strerror}") from None
        return made


def begin(  # noqa: PLR0913, PLR0917 - what a run needs
    request: Request,
    matrices: Mapping[str, Matrix],
    plan: Plan,
    probed: Probed,
    watch: Watch,
    cluster: Cluster | None = None,
) -> Finished:
    """Run a plan from its beginning, here or on a cluster; raises RunError.

    That is where nothing can be written.
    """
    refuse_scripts(request, matrices)
    head = heading(request, matrices, plan, probed)
    state = _State(request, head, plan.cases)
    state.write(Ending(None))  # before anything runs: a path that cannot be written is told now
    try:
        with Journal(request.journal, anew=True) as journal:
            journal.plan(head, plan.cases)
            return _run(state, matrices, list(plan.to_run), journal, probed, watch, cluster)
    except JournalError as error:
        raise RunError(str(error)) from None


def resume(
    request: Request,
    matrices: Mapping[str, Matrix],
    probed: Probed,
    watch: Watch,
    cluster: Cluster | None = None,
) -> Finished:
    """Go on with the run whose journal lies beside the report; raises RunError."""
    refuse_scripts(request, matrices)
    try:
        kept = read_journal(request.journal)
        refuse_other_run(kept, request, probed)
        left = [
            case
            for case in kept.cases
            if case.id not in kept.results and case.id not in kept.head["skipped"]
        ]
        state = _State(request, kept.head, kept.cases, dict(kept.results))
        with Journal(request.journal, anew=False) as journal:
            return _run(state, matrices, left, journal, probed, watch, cluster)
    except JournalError as error:
        raise RunError(f"{error}. Start a new run without --resume") from None


def suites_of_journal(request: Request) -> tuple[str, ...]:
    """Return the suites of the run that is to go on; raises RunError."""
    try:
        return tuple(dict.fromkeys(case.suite for case in read_journal(request.journal).cases))
    except JournalError as error:
        raise RunError(f"{error}. Start a new run without --resume") from None


def _run(  # noqa: PLR0913, PLR0917 - what a run needs
    state: _State,
    matrices: Mapping[str, Matrix],
    cases: list[Case],
    journal: Journal,
    probed: Probed,
    watch: Watch,
    cluster: Cluster | None,
) -> Finished:
    if probed.fault:
        cases = [case for case in cases if case.suite in DIAGNOSING]
    pool = _pool(state, matrices, journal, probed, watch, cluster)
    why = f"{state.request.device} cannot be used: {probed.words}" if probed.fault else None
    interrupted = False
    try:
        pool.run(cases)
    except KeyboardInterrupt:
        why, interrupted = "The run was interrupted.", True
    except PoolError as error:
        why = str(error)
    except JournalError as error:
        state.write(Ending(_now(), f"The run stopped: {error}"))
        raise
    ending = Ending(_now(), _bounded(why) if why else "The run was not completed.")
    return Finished(state.write(ending), why, interrupted)


def _pool(  # noqa: PLR0913, PLR0917 - what a run needs
    state: _State,
    matrices: Mapping[str, Matrix],
    journal: Journal,
    probed: Probed,
    watch: Watch,
    cluster: Cluster | None,
) -> Pool | ClusterPool:
    def began(case: Case, attempt: int, machine: str | None = None) -> None:
        journal.begin(case, attempt, machine)
        state.open.add(case.id)
        watch(case, None)

    def ended(case: Case, result: Result, final: bool) -> None:  # noqa: FBT001 - as Pool calls it
        journal.end(case, result, final=final)
        state.open.discard(case.id)
        if final:
            state.results[case.id] = result
            watch(case, result)
        if time.monotonic() - state.written > REPORT_EVERY_S:
            state.write(Ending(None))

    job = _job(state.request, matrices)
    if cluster:
        return cluster.pool(job, probed, began=began, ended=ended)
    workers = state.request.workers
    return Pool(job, workers=workers, began=began, ended=ended, fresh=_fresh(probed))


def prepare_workers(request: Request, matrices: Mapping[str, Matrix], probed: Probed) -> None:
    """Start to import what the workers need, while the plan is still being made."""
    if not _fresh(probed):
        preload(_job(request, matrices))


def _fresh(probed: Probed) -> bool:
    """Whether each worker has to import torch itself: a forked process cannot use the device."""
    return bool(probed.fault) or not probed.forks


def _job(request: Request, matrices: Mapping[str, Matrix]) -> Job:
    timeouts = {name: request.timeout_s or matrix.timeout_s for name, matrix in matrices.items()}
    own = [request.imports] if request.imports else []
    modules = dict.fromkeys(["torch", *own, *(matrix.module for matrix in matrices.values())])
    return Job(
        request.device,
        matrices,
        timeouts,
        request.threads,
        tuple(modules),
        request.backend,
        request.imports or "",
    )


def _bounded(why: str) -> str:
    return why if len(why) <= 300 else f"{why[:300]}…"  # noqa: PLR2004 - it stands in every case


def _now() -> dt.datetime:
    return dt.datetime.now(dt.timezone.utc).replace(microsecond=0)


def refuse_other_run(kept: JournalContent, request: Request, probed: Probed) -> None:
    """Compare what a run began with and what it would go on with; raises RunError."""
    pairs = {
        "device": (kept.head["device"], request.device),
        "torch": (kept.head["environment"].get("torch"), probed.environment.get("torch")),
        "plugin": (kept.head["environment"].get("plugin"), probed.environment.get("plugin")),
        "backend": (kept.head["environment"].get("backend"), probed.environment.get("backend")),
    }
    if wanted := request.shard:  # without one, it is the one that the run began with
        begun = kept.head.get("shard")
        shard = f"{begun['index']}/{begun['count']}" if begun else None
        pairs["shard"] = (shard, f"{wanted.index}/{wanted.count}")
    for name, (before, now) in pairs.items():
        if before != now:
            what = f"the run started with {name} {before}, but now it is {now}"
            raise RunError(f"{what}. Start a new run without --resume")
