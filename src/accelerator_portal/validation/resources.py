"""Processes and threads of a run: two tests share a machine, one that is measured has it alone."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from accelerator_portal.validation.request import RunError

ALONE = frozenset({"speed"})
"""Suites whose tests would slow each other, and others."""


@dataclass(frozen=True, slots=True)
class Resources:
    """How many workers a run has, and how many threads each of them."""

    workers: int
    threads: int


def resources_for(suites: Collection[str], workers: int | None, threads: int | None) -> Resources:
    """Return what was asked for, or what suits the suites; raises RunError if it spoils speeds."""
    measured = sorted(ALONE.intersection(suites))
    if not measured:
        return Resources(workers or min(2, processors()), threads or 1)
    if others := sorted(set(suites) - ALONE):
        what = f"the suite {measured[0]} cannot run together with {', '.join(others)}"
        raise RunError(f"{what}: they would slow each other down. Run them separately")
    if workers and workers > 1:
        what = f"the suite {measured[0]} cannot run with {workers} workers"
        raise RunError(f"{what}: they would slow each other down. Remove --workers")
    return Resources(1, threads or processors())


def processors() -> int:
    """Return how many processors this process may use."""
    allowed: Sequence[int] | set[int] = ()
    if hasattr(os, "sched_getaffinity"):
        allowed = os.sched_getaffinity(0)
    return len(allowed) or os.cpu_count() or 1
