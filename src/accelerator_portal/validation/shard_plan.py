"""From the plan of a request to the shard of it that the request asks for."""

from __future__ import annotations

import shlex
from collections.abc import Mapping

from accelerator_portal.catalog.wording import count
from accelerator_portal.reports.shard import Shard
from accelerator_portal.validation.heading import options_of
from accelerator_portal.validation.matrix import Matrix
from accelerator_portal.validation.plan import Plan
from accelerator_portal.validation.recording import needs_of
from accelerator_portal.validation.request import Request, RunError
from accelerator_portal.validation.sharding import ShardError, plan_digest, shard_of


def sharded(plan: Plan, request: Request, matrices: Mapping[str, Matrix]) -> Plan:
    """Return the part of a plan that a request asks for, or all of it; raises RunError."""
    if request.shard is None:
        return plan
    settings = [request.device, str(request.timeout_s), *options_of(request)]
    identity = plan_digest(plan, matrices, settings)
    try:
        return shard_of(plan, request.shard, identity, resume_command(request, matrices))
    except ShardError as error:
        raise RunError(str(error)) from None


def resume_command(request: Request, suites: Mapping[str, Matrix]) -> str:
    """Return the command that finishes a run, in the folder of its report."""
    needs = dict.fromkeys(needs_of(suite) for suite in suites)
    words = ["accelerator-portal", "validate", "--resume", "--device", request.device]
    words += [*options_of(request), *(word for need in needs for word in need)]
    return shlex.join([*words, "--out", request.out.name])


def sharding_words(plan: Plan, shard: Shard) -> str:
    """Say which part of the plan runs here, and by what the shards are balanced."""
    part = (
        f"Shard {shard.index} of {shard.count}: {len(plan.cases)} of {count(shard.planned, 'test')}"
    )
    how = "recorded times" if shard.times else "number of tests, because no times are recorded"
    return f"{part}, balanced by {how}."
