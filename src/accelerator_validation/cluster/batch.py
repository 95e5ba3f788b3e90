"""Defines what is sent to a machine of a cluster, and what it returns."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from accelerator_validation.case import Case, Result
from accelerator_validation.worker import Job


@dataclass(frozen=True, slots=True)
class Batch:
    """Tests to run in order in one process, with everything the process needs.

    `run` identifies the run, since runs can share a cluster. `fresh` means that each worker imports
    torch itself instead of being forked. `environment` is the expected environment of the machine,
    which may have joined the cluster later; None is not checked.
    """

    run: str
    job: Job
    cases: tuple[Case, ...]
    fresh: bool = False
    environment: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class CaseEvent:
    """The start of an attempt at a test, or its end if `result` is set.

    An end is `final` unless the test will be repeated.
    """

    case: Case
    attempt: int = 1
    result: Result | None = None
    final: bool = False


@dataclass(frozen=True, slots=True)
class BatchOutcome:
    """The events of a batch in order, and the machine that ran it.

    `fault` is set if workers could not start; the events are then those before that.
    """

    events: tuple[CaseEvent, ...]
    machine: str = ""
    fault: str | None = None


class HostDiedError(Exception):
    """Raised if the process for a batch on a machine died; the message says how."""


class ForeignMachineError(Exception):
    """Raised if a machine that joined later differs from the others or cannot use the device."""


def batches(run: str, job: Job, cases: Iterable[Case], slots: int) -> Iterator[Batch]:
    """Yield the tests of a run as batches for `slots` workers; see `Job.batch_length`."""
    left = deque(cases)
    while left:
        suite = left[0].suite
        batch = tuple(left.popleft() for _ in range(job.batch_length(left, slots)))
        yield Batch(run, replace(job, matrices={suite: job.matrices[suite]}), batch)
