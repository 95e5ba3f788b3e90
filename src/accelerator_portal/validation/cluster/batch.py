"""What is sent to a machine of a cluster, and what comes back."""

from __future__ import annotations

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
    """What came of a batch, in its order, and on which machine; `fault`: no worker came up."""

    events: tuple[CaseEvent, ...]
    machine: str = ""
    fault: str | None = None


class HostDiedError(Exception):
    """The process that ran a batch on a machine of the cluster has died; the message says how."""


class ForeignMachineError(Exception):
    """A machine that joined the cluster later is not as the others; the message says in what."""


def batches(run: str, job: Job, cases: Iterable[Case], slots: int) -> Iterator[Batch]:
    """Divide cases: each batch is of one suite and file, smaller towards the end of the run."""
    left = list(cases)
    start = 0
    while start < len(left):
        first = left[start]
        matrix = job.matrices[first.suite]
        size = max(1, min(matrix.batch, (len(left) - start) // (2 * max(1, slots))))
        end = start + 1
        while end < min(len(left), start + size) and _together(first, left[end], job):
            end += 1
        own = replace(job, matrices={first.suite: matrix})
        yield Batch(run, own, tuple(left[start:end]))
        start = end


def _together(first: Case, other: Case, job: Job) -> bool:
    matrix = job.matrices[first.suite]
    return first.suite == other.suite and matrix.group(first.name) == matrix.group(other.name)
