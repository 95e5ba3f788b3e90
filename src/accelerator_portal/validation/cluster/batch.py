"""Defines what is sent to a machine of a cluster, and what it returns."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from accelerator_portal.validation.case import Case, Result
from accelerator_portal.validation.worker import Job


@dataclass(frozen=True, slots=True)
class Batch:
    """Cases that one process may run one after the other, and what it needs to do so.

    `run` tells the runs that share a cluster apart. `environment` is what the machine must have:
    one may have joined the cluster after the start; None is not compared.
    """

    run: str
    job: Job
    cases: tuple[Case, ...]
    fresh: bool = False
    environment: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class CaseEvent:
    """The beginning of an attempt at a case, or its end, which has a result."""

    case: Case
    attempt: int = 1
    result: Result | None = None
    final: bool = False


@dataclass(frozen=True, slots=True)
class BatchOutcome:
    """The events of a batch, in their order, and its machine; `fault`: no worker started."""

    events: tuple[CaseEvent, ...]
    machine: str = ""
    fault: str | None = None


class HostDiedError(Exception):
    """The process that ran a batch on a machine of the cluster has died; the message says how."""


class ForeignMachineError(Exception):
    """A machine that joined the cluster later differs from the others; the message says how."""


def batches(run: str, job: Job, cases: Iterable[Case], slots: int) -> Iterator[Batch]:
    """Divide the tests of a run into batches for so many slots, see `Job.batch_length`."""
    left = deque(cases)
    while left:
        suite = left[0].suite
        batch = tuple(left.popleft() for _ in range(job.batch_length(left, slots)))
        yield Batch(run, replace(job, matrices={suite: job.matrices[suite]}), batch)
