"""Splits the tests of a run into batches (`Batch`) for the machines of a cluster.

A machine that has run a batch returns a `BatchOutcome`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from accelerator_validation.case import Case, Result
from accelerator_validation.worker import Job


@dataclass(frozen=True, slots=True)
class Batch:
    """Tests to run in order on one machine of a cluster, with all settings that they need.

    `run` is the id of the run; several runs can share a cluster. If `fresh` is true, each worker
    imports torch itself instead of being forked. `environment` is the environment that the machine
    must have, or None if any is allowed.
    """

    run: str
    job: Job
    cases: tuple[Case, ...]
    fresh: bool = False
    environment: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class CaseEvent:
    """The start or the end of an attempt at a test.

    `attempt` starts at 1. `result` is None for the start. `final` is true for the end of a test's
    last attempt.
    """

    case: Case
    attempt: int = 1
    result: Result | None = None
    final: bool = False


@dataclass(frozen=True, slots=True)
class BatchOutcome:
    """The events of a batch in order, and the machine that ran the batch.

    `fault` is the error message if workers could not start, else None. With a fault, some tests
    have no events.
    """

    events: tuple[CaseEvent, ...]
    machine: str = ""
    fault: str | None = None


class HostDiedError(Exception):
    """Raised if the process that runs a batch on a machine dies; the message says how."""


class UnsuitableMachineError(Exception):
    """Raised if a machine that joined during a run is not suitable for the run.

    Its environment differs from that of the machines at the start, or it cannot use the device.
    """


def batches(run: str, job: Job, cases: Iterable[Case], slots: int) -> Iterator[Batch]:
    """Yield the tests `cases` of a run in batches.

    `slots` is the number of batches that the cluster runs at a time.
    """
    remaining_cases = deque(cases)
    while remaining_cases:
        suite = remaining_cases[0].suite
        batch = tuple(
            remaining_cases.popleft() for _ in range(job.batch_length(remaining_cases, slots))
        )
        yield Batch(run, replace(job, matrices={suite: job.matrices[suite]}), batch)
