"""Simulate a day of upstream events within GitHub's limits: `python -m benchmarks.events`.

GitHub is a double that counts and enforces the limits of each token, by a simulated clock. Each
event is confirmed and planned. The workflow that sends events runs after each, and the workflow
that answers runs every half hour. Every third event is a newer commit of the pull request before
it. Each vendor's run ends after an hour. For each event, one vendor reports a new failure, so that
every pull request gets a comment. With the GitHub App, one in ten vendors is at level L3: one in
four pull requests has the labels, half of them only after the reports are answered.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from accelerator_reports.files.wording import count
from benchmarks.event_day import Day, day_catalog
from benchmarks.event_github import APP, DayGitHub
from tests.automation.upstream.scene import NOW, UPSTREAM, SimulatedClock


def main() -> None:
    """Print the requests of the eight busiest tokens, and their largest share of each limit."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.events", description=__doc__)
    parser.add_argument("--events", type=int, nargs="+", default=[50, 110, 500], help="a day")
    parser.add_argument("--vendors", type=int, default=100, help="platforms (100)")
    parser.add_argument(
        "--tokens", choices=["app", "personal"], nargs="+", default=["app", "personal"], help="both"
    )
    arguments = parser.parse_args()
    for events in arguments.events:
        for kind in arguments.tokens:
            with tempfile.TemporaryDirectory(prefix="portal-benchmarks-") as folder:
                root = Path(folder)
                app = kind == "app"
                catalog = day_catalog(root, arguments.vendors, listed=app)
                github = DayGitHub(SimulatedClock(NOW), app)
                day, start = Day(root, catalog, github), time.perf_counter()
                with github.connected():
                    day.run(events)
                print("\n".join(_lines(day, events, time.perf_counter() - start)), flush=True)


def _lines(day: Day, events: int, seconds: float) -> Iterator[str]:
    double = day.double
    yield (
        f"{count(events, 'event')}, {count(day.vendors, 'vendor')}, "
        f"{'GitHub App' if day.github.app else 'personal tokens'}: {day.sent:,} dispatches sent, "
        f"{day.replaced:,} replaced, {day.answered:,} reports read, "
        f"{count(sum(map(len, double.comments.values())), 'comment')}, "
        f"{count(len(double.check_runs.get(UPSTREAM, [])), 'check run')} ({seconds:.0f} s)"
    )
    limits = day.github.limits
    used = dict(_used(day))
    yield f"  {sum(used.values()):,} requests, {sum(used.values()) / events:.1f} an event"
    for name, requests in sorted(used.items(), key=lambda item: -item[1])[:8]:
        window = limits.of(name).requests
        shares = ", ".join(f"{k} {v:.0%}" for k, v in limits.of(name).shares.items())
        yield (
            f"  {name:24} {requests:7,} a day, {requests / events:6.1f} an event, "
            f"{window.peak:,} in the busiest hour of {window.most:,}; "
            f"{limits.refused[name]} refused; largest shares: {shares}"
        )


def _used(day: Day) -> Iterator[tuple[str, int]]:
    """Yield each token, installation or APP that sent requests, and the number of its requests."""
    app, found = day.double.app, dict.fromkeys(day.github.limits.tokens, 0)
    for asked in day.double.asked:
        grant = app.grants.get(asked.token) if app else None
        name = f"installation at {grant.owner}" if grant else asked.token
        if name in found:
            found[name] += 1
    found[APP] = day.github.app_requests
    yield from ((name, number) for name, number in found.items() if number)


if __name__ == "__main__":
    main()
