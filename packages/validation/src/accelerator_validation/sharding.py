"""Splits a plan over several machines, balanced by how long each test took in earlier reports.

Each part is a shard. The machines exchange nothing: each makes the same plan, computes the same
split and runs its own shard. The split depends only on the plan and the recorded times. The report
has a digest of the plan and a digest of the times.
"""

from __future__ import annotations

import datetime as dt
import heapq
import json
import shlex
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from statistics import median_low

from accelerator_reports.files.problem import ProblemsError
from accelerator_reports.files.wording import count
from accelerator_reports.report import Report, Shard, positions_text
from accelerator_reports.report_file import read_report
from accelerator_reports.test_ids import identity_of
from accelerator_validation.journal import suite_options
from accelerator_validation.journal_heading import repeat_options
from accelerator_validation.matrix import Matrix
from accelerator_validation.plan import Plan, RunError
from accelerator_validation.platform_folder import PlatformFolder
from accelerator_validation.request import Request, ShardRequest


def split(weights: Sequence[int], count: int) -> tuple[tuple[int, ...], ...]:
    """Split weights into `count` groups with similar sums.

    Returns, for each group, the positions of its weights in `weights`. Adjacent equal weights
    usually go to different groups.
    """
    groups: list[list[int]] = [[] for _ in range(count)]
    lightest = [(0, 0, index) for index in range(count)]
    for position in sorted(range(len(weights)), key=lambda place: -weights[place]):
        load, size, index = heapq.heappop(lightest)
        groups[index].append(position)
        heapq.heappush(lightest, (load + weights[position], size + 1, index))
    return tuple(tuple(sorted(group)) for group in groups)


def make_shard(plan: Plan, request: ShardRequest, identity: str, resume: str) -> Plan:
    """Return the part of a plan that runs in the shard of `request`.

    Shards are balanced by the recorded times in `request`. For a test without a recorded time, the
    median of the recorded times is assumed. `identity` is the digest of the whole plan, see
    `plan_digest`. `resume` is the command that continues an interrupted run of the shard. Raises
    RunError if there are more shards than tests to run.
    """
    run_count = len(plan.cases_to_run)
    if run_count < request.count:
        problem = f"{count(run_count, 'test')} cannot be split into {request.count} shards"
        raise RunError(f"{problem}. Use at most {max(run_count, 1)} with --shard")
    time_by_id = {
        case.id: request.times[case.id] for case in plan.cases_to_run if case.id in request.times
    }
    median_time = median_low(time_by_id.values()) if time_by_id else 1
    # A test that a known issue skips costs nothing; every other one weighs at least 1.
    weights = [
        0 if case.id in plan.skipped else max(1, time_by_id.get(case.id, median_time))
        for case in plan.cases
    ]
    positions = split(weights, request.count)[request.index - 1]
    cases = tuple(plan.cases[position] for position in positions)
    case_ids = {case.id for case in cases}
    shard = Shard(
        index=request.index,
        count=request.count,
        planned=len(plan.cases),
        positions=positions_text(position + 1 for position in positions),
        plan=identity,
        times=_digest(sorted(time_by_id.items())) if time_by_id else None,
        resume=resume,
    )
    skipped, expected = (
        {key: issue for key, issue in issues.items() if key in case_ids}
        for issues in (plan.skipped, plan.expected)
    )
    return replace(plan, cases=cases, skipped=skipped, expected=expected, shard=shard)


def plan_digest(plan: Plan, matrices: Mapping[str, Matrix], settings: Iterable[str]) -> str:
    """Return a digest of a plan, which is the same on all machines that make the same plan.

    The digest covers the tests in order, which of them known issues affect, the suites' matrices,
    the commits of checkouts, and `settings`, such as the device and the time limit. Paths in
    `matrices` do not change the digest.
    """
    definitions = {
        name: {
            **matrix.model_dump(mode="json", exclude={"given"}),
            "commit": matrix.given.get("commit"),
        }
        for name, matrix in matrices.items()
    }
    return _digest(
        {
            "cases": [case.id for case in plan.cases],
            "skipped": sorted(plan.skipped),
            "expected": sorted(plan.expected),
            "matrices": definitions,
            "settings": list(settings),
        }
    )


def _digest(data: object) -> str:
    return sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()


def times_by_test(reports: Iterable[Report]) -> dict[str, int]:
    """Return the duration of each test in milliseconds, by test id.

    The duration of a test is taken from the newest report that states one for the test.
    """
    no_date = dt.datetime.min.replace(tzinfo=dt.timezone.utc)
    return {
        identity_of(test).key: round(test.duration_s * 1000)
        for report in sorted(reports, key=lambda report: report.started or no_date)
        for test in report.tests
        if test.duration_s is not None
    }


def recorded_times(file: Path | None, platform: PlatformFolder | None) -> dict[str, int]:
    """Return the recorded duration of each test in milliseconds, by test id.

    The durations are from the report `file`. If `file` is None, they are from the platform's valid
    reports, except baselines. If `platform` is None, too, the result is empty. Raises ProblemsError
    if `file` is invalid.
    """
    if file:
        return times_by_test([read_report(file)])
    if platform is None:
        return {}
    reports = []
    for result in platform.results:
        with suppress(ProblemsError):
            reports.append(read_report(result))
    return times_by_test(
        r for r in reports if r.accelerator == platform.id and r.kind != "baseline"
    )


def apply_sharding(plan: Plan, request: Request, matrices: Mapping[str, Matrix]) -> Plan:
    """Return the part of a plan that the request's shard runs, or the whole plan without a shard.

    Raises the errors of `make_shard`.
    """
    if request.shard is None:
        return plan
    options = repeat_options(request)
    identity = plan_digest(plan, matrices, [request.device, str(request.timeout_s), *options])
    option_groups = dict.fromkeys(suite_options(suite) for suite in matrices)
    resume = ["accelerator-portal", "validate", "--resume", "--device", request.device, *options]
    resume += [*(word for group in option_groups for word in group), "--out", request.out.name]
    return make_shard(plan, request.shard, identity, shlex.join(resume))


def sharding_message(plan: Plan, shard: Shard) -> str:
    """Return a text that says which part of the plan runs, and how shards are balanced."""
    tests = f"{len(plan.cases)} of {count(shard.planned, 'test')}"
    basis = "recorded times" if shard.times else "number of tests, because no times are recorded"
    return f"Shard {shard.index} of {shard.count}: {tests}, balanced by {basis}."
