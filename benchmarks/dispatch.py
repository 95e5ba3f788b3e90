"""Measure dispatches to vendors, in parallel and one by one: `python -m benchmarks.dispatch`.

GitHub is a double on loopback that takes some milliseconds for each response. One vendor in ten
fails: half of these have no repository, half respond after a temporary error. The pace that keeps
dispatches within GitHub's limits is switched off.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from accelerator_automation.github.api import Patience
from accelerator_automation.github.client import GitHubClient
from accelerator_automation.github.rate_limit import RateLimiter
from accelerator_automation.upstream.change import Change
from accelerator_automation.upstream.dispatch_queue import QueueItem
from accelerator_automation.upstream.dispatch_round import (
    Senders,
    SendResult,
    SendSettings,
    send_items,
)
from accelerator_automation.upstream.planning import DispatchPlan, PlannedPlatform
from accelerator_portal.catalog.files.upstream_events import Dispatch, UpstreamRun
from tests.automation.github_double import TOKEN, Fault, GitHubDouble, serve

CHANGE = Change(
    occasion="pull-request",
    delivery="benchmark-1",
    repository="pytorch/pytorch",
    head="a" * 40,
    base="b" * 40,
    number=1,
    title="A made-up change",
)


def main() -> None:
    """Print one line for each run, and the ratio of the medians."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.dispatch", description=__doc__)
    parser.add_argument("--vendors", type=int, default=100, help="vendors (100)")
    parser.add_argument(
        "--seconds", type=float, default=0.1, help="for an answer of GitHub's (0.1)"
    )
    parser.add_argument("--repeat", type=int, default=3, help="runs of each side (3)")
    arguments = parser.parse_args()
    names = [f"vendor-{number:03}" for number in range(arguments.vendors)]
    plan = DispatchPlan(change=CHANGE, entries=tuple(map(_entry, names)))
    took: dict[int, list[float]] = {1: [], SendSettings().at_once: []}
    for _ in range(arguments.repeat):
        for at_once, found in took.items():  # alternately, so that other load affects both alike
            found.append(_run(plan, names, at_once, arguments.seconds))
    one, many = (statistics.median(found) for found in took.values())
    print(
        f"one after another {one:.1f} s, side by side {many:.1f} s: {one / many:.1f} times as fast"
    )


def _entry(name: str) -> PlannedPlatform:
    dispatch = Dispatch(repository=f"example/{name}", event_type="pytorch-event")
    return PlannedPlatform(
        accelerator=name,
        name=name,
        device="ex",
        tasks=("unit",),
        run=UpstreamRun(dispatch=dispatch),
        hours=6,
    )


def _run(plan: DispatchPlan, names: Sequence[str], at_once: int, seconds: float) -> float:
    gone, failing = set(names[::20]), names[10::20]
    with serve() as double:
        double.repositories |= {f"example/{name}" for name in names if name not in gone}
        double.faults = [Fault(f"{name}/dispatches", 502) for name in failing]
        slow = Fault("dispatches", 0, times=10_000, wait=partial(time.sleep, seconds))
        double.faults.append(slow)
        how = replace(SendSettings(), at_once=at_once, wait=0.5)
        client = GitHubClient(TOKEN, double.home, Patience(tries=1))
        start = time.perf_counter()
        items = [QueueItem(1, plan.change, entry) for entry in plan.entries]
        unpaced = RateLimiter(most=len(items) * how.tries)
        sent = send_items(Senders(client, client, "example/portal"), items, unpaced, how)
        took = time.perf_counter() - start
        _show(at_once, took, sent, double)
    return took


def _show(at_once: int, took: float, sent: Sequence[SendResult], double: GitHubDouble) -> None:
    well = sum(one.ok for one in sent)
    again = sum(one.tries > 1 for one in sent)
    print(
        f"{at_once:3} at once: {took:5.1f} s, {well} of {len(sent)} told, {again} of them after an "
        f"error, {len(double.asked)} requests"
    )


if __name__ == "__main__":
    main()
