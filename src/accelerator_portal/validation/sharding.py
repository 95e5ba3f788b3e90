"""Splitting a plan over several machines, balanced by how long each test took before.

Each machine makes the same plan and takes its own part of it; nothing is exchanged between them. So
the split follows from the plan and the recorded times alone, and both are in the report as digests.
"""

from __future__ import annotations

import heapq
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from statistics import median_low

from accelerator_portal.catalog.wording import count
from accelerator_portal.reports.shard import Shard, positions_text
from accelerator_portal.validation.matrix import Matrix
from accelerator_portal.validation.plan import Plan

RecordedTimes = Mapping[str, int]
"""Milliseconds that tests took, by id. Whole numbers: sums are the same on every machine."""


class ShardError(Exception):
    """A plan cannot be split so; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class ShardRequest:
    """The shard that is asked for, and the times that balance all of them."""

    index: int
    count: int
    times: RecordedTimes = field(default_factory=dict)


def split(weights: Sequence[int], count: int) -> tuple[tuple[int, ...], ...]:
    """Return `count` groups of positions with sums that differ little.

    The heaviest item comes first, each into the group that is lightest so far, then smallest. Equal
    weights are dealt like cards, so that neighbors, which are often alike, go to different groups.
    """
    groups: list[list[int]] = [[] for _ in range(count)]
    lightest = [(0, 0, index) for index in range(count)]
    for position in sorted(range(len(weights)), key=lambda place: -weights[place]):
        load, size, index = heapq.heappop(lightest)
        groups[index].append(position)
        heapq.heappush(lightest, (load + weights[position], size + 1, index))
    return tuple(tuple(sorted(group)) for group in groups)


def shard_of(plan: Plan, wanted: ShardRequest, identity: str, resume: str) -> Plan:
    """Return the part of a plan that is one shard; raises ShardError.

    `identity` is a digest of what else makes a plan another one, see `plan_digest`.
    """
    running = len(plan.to_run)
    if running < wanted.count:
        what = f"{count(running, 'test')} cannot be split into {wanted.count} shards"
        raise ShardError(f"{what}. Use at most {max(running, 1)} with --shard")
    known = {case.id: wanted.times[case.id] for case in plan.to_run if case.id in wanted.times}
    positions = split(_weights(plan, known), wanted.count)[wanted.index - 1]
    cases = tuple(plan.cases[position] for position in positions)
    keys = {case.id for case in cases}
    shard = Shard(
        index=wanted.index,
        count=wanted.count,
        planned=len(plan.cases),
        positions=positions_text(position + 1 for position in positions),
        plan=identity,
        times=_digest(sorted(known.items())) if known else None,
        resume=resume,
    )
    skipped = {key: issue for key, issue in plan.skipped.items() if key in keys}
    expected = {key: issue for key, issue in plan.expected.items() if key in keys}
    return Plan(cases, skipped, expected, shard)


def plan_digest(plan: Plan, matrices: Mapping[str, Matrix], settings: Iterable[str]) -> str:
    """Return the digest of a plan: its tests in their order, their settings, its known issues.

    Where a checkout lies on this machine is no part of it; its commit is.
    """
    return _digest(
        {
            "cases": [case.id for case in plan.cases],
            "skipped": sorted(plan.skipped),
            "expected": sorted(plan.expected),
            "matrices": {name: _definition(matrix) for name, matrix in matrices.items()},
            "settings": list(settings),
        }
    )


def _weights(plan: Plan, known: RecordedTimes) -> list[int]:
    """Return what each test weighs: its time, or else the median; at least 1, so that all count.

    A test that a known issue skips costs nothing.
    """
    usual = median_low(known.values()) if known else 1
    return [
        0 if case.id in plan.skipped else max(1, known.get(case.id, usual)) for case in plan.cases
    ]


def _definition(matrix: Matrix) -> Mapping[str, object]:
    commit = matrix.given.get("commit")
    return {**matrix.model_dump(mode="json", exclude={"given"}), "commit": commit}


def _digest(data: object) -> str:
    return sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()
