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

    `run` is the id of the run, because several runs can share a cluster. If `fresh` is true, each
    worker imports torch itself instead of being forked. `environment` is the expected environment
    of the machine. If it is None, the environment is not checked.
    """

    run: str
    job: Job
    cases: tuple[Case, ...]
    fresh: bool = False
    environment: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class CaseEvent:
    """The start or the end of an attempt at a test.

    `result` is set only at the end. `final` is true at the end if the test will not be repeated.
    """

    case: Case
    attempt: int = 1
    result: Result | None = None
    final: bool = False


@dataclass(frozen=True, slots=True)
class BatchOutcome:
    """The events of a batch in order, and the machine that ran the batch.

    If workers could not start, `fault` is the error message. Some tests then have no events.
    """

    events: tuple[CaseEvent, ...]
    machine: str = ""
    fault: str | None = None


class HostDiedError(Exception):
    """Raised if the process for a batch on a machine died; the message says how."""


class UnsuitableMachineError(Exception):
    """Raised if a machine that joined later differs from the others or cannot use the device."""


def batches(run: str, job: Job, cases: Iterable[Case], slots: int) -> Iterator[Batch]:
    """Yield the tests of a run as batches for `slots` workers; see `Job.batch_length`."""
    remaining_cases = deque(cases)
    while remaining_cases:
        suite = remaining_cases[0].suite
        batch = tuple(
            remaining_cases.popleft() for _ in range(job.batch_length(remaining_cases, slots))
        )
        yield Batch(run, replace(job, matrices={suite: job.matrices[suite]}), batch)
