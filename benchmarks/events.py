"""Simulate a day of upstream events within GitHub's limits: `python -m benchmarks.events`.

GitHub is a double that counts and enforces the limits of each token, by a simulated clock. Each
event is confirmed and planned. The workflow that sends events runs after each, and the workflow
that answers runs every half hour. Every third event is a newer commit of the pull request before
it. Each vendor's run ends after an hour. For each event, one vendor reports a new failure, so that
every pull request gets a comment. One in ten vendors is at level L3: one in four pull requests has
the labels, half of them only after the reports are answered.
"""

from __future__ import annotations

import argparse
import datetime as dt
import tempfile
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from accelerator_automation.upstream import answer_round, dispatch_round, summary
from accelerator_automation.upstream.answer_round import CHECK_LABEL_PREFIX
from accelerator_automation.upstream.incoming import Change, confirmed_change
from accelerator_automation.upstream.planning import plan_tests
from accelerator_automation.upstream.run_lists import LEDGER_FILE, PLAN_FILE, SENT_FILE
from accelerator_portal.catalog import Catalog
from accelerator_portal.results.report_intake import add_reports
from accelerator_reports.files.wording import count
from benchmarks.copies import catalog_of
from benchmarks.event_github import DayGitHub
from tests.automation.upstream import scene
from tests.automation.upstream.scene import HOME, NOW, SECTION, UPSTREAM, SimulatedClock
from tests.folders import SOURCES, write_tree

A_ROUND, A_DAY = dt.timedelta(minutes=30), dt.timedelta(days=1)
ANSWER_AFTER, LABEL_AFTER = dt.timedelta(hours=1), dt.timedelta(hours=3)
REST = dt.timedelta(hours=4)
"""The time after the day in which the last events are answered."""
LISTED = 10
"""One in this number of vendors is at level L3 of the relay's list."""


def main() -> None:
    """Print the requests of the eight busiest tokens, and their largest share of each limit."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.events", description=__doc__)
    parser.add_argument("--events", type=int, nargs="+", default=[50, 110, 500], help="a day")
    parser.add_argument("--vendors", type=int, default=100, help="platforms (100)")
    arguments = parser.parse_args()
    for events in arguments.events:
        with tempfile.TemporaryDirectory(prefix="portal-benchmarks-") as folder:
            catalog = day_catalog(Path(folder), arguments.vendors)
            day = Day(Path(folder), catalog, DayGitHub(SimulatedClock(NOW)))
            with day.github.connected():
                day.run(events)
            print("\n".join(_lines(day, events)), flush=True)


def _lines(day: Day, events: int) -> Iterator[str]:
    double, limits, used = day.double, day.github.limits, day.github.used()
    yield (
        f"{count(events, 'event')}, {count(day.vendors, 'vendor')}: "
        f"{len(double.dispatched):,} dispatches sent, "
        f"{count(sum(map(len, double.comments.values())), 'comment')}, "
        f"{count(len(double.check_runs.get(UPSTREAM, [])), 'check run')}"
    )
    yield f"  {sum(used.values()):,} requests, {sum(used.values()) / events:.1f} an event"
    for name, requests in sorted(used.items(), key=lambda item: -item[1])[:8]:
        window = limits.of(name).requests
        shares = ", ".join(f"{k} {v:.0%}" for k, v in limits.of(name).shares.items())
        yield (
            f"  {name:24} {requests:7,} a day, {requests / events:6.1f} an event, "
            f"{window.peak:,} in the busiest hour of {window.most:,}; "
            f"{limits.refused[name]} refused; largest shares: {shares}"
        )


@dataclass
class Day:
    """A simulated day with GitHub, the workflows and the vendors."""

    root: Path
    catalog: Catalog
    github: DayGitHub
    running: deque[tuple[dt.datetime, dict[str, Any]]] = field(default_factory=deque)
    """The unfinished runs of vendors with their start, oldest first."""
    late: deque[tuple[dt.datetime, int]] = field(default_factory=deque)
    """The pull requests that get their labels later, with the time, earliest first."""

    def __post_init__(self) -> None:
        """Add every repository to the double of GitHub, and install the App there."""
        self.clock, self.double = self.github.clock, self.github.double
        self.vendors = sum(
            one.accelerator.upstream_events is not None for one in self.catalog.platforms
        )
        scene.populate(self.double)
        self.github.app.install("pytorch", pull_requests="write", checks="write")
        for name in self.catalog.by_id:
            self.double.repositories.add(f"{name}/plugin")
            self.github.app.install(name, contents="write", actions="read")

    def run(self, events: int) -> None:
        """Simulate a day of `events` events, and the hours in which the last ones are answered.

        Raises SystemExit if a dispatch or an answer fails.
        """
        times = [NOW + A_DAY * number / events for number in range(events)]
        answers = NOW + A_ROUND
        number = 0
        while self.clock.now() < NOW + A_DAY + REST:
            while number < events and times[number] <= self.clock.now():
                self._keep(PLAN_FILE, self._plan(self._event(number)))
                number += 1
                self._send()
            if self.clock.now() >= answers:
                self._answer()
                answers += A_ROUND
            self.clock.at = max(self.clock.at, min([answers, *times[number : number + 1]]))

    def _keep(self, name: str, content: Any) -> None:  # noqa: ANN401 - a file of a workflow
        scene.keep_file(self.double, name, content, self.clock.now())

    def _plan(self, change: Change) -> Any:  # noqa: ANN401 - what dispatch_round calls
        return plan_tests(self.catalog, confirmed_change(self.github.own, change, self.clock.now()))

    def _event(self, number: int) -> Change:
        """Return the change of an event, and store its pull request on the double.

        Every third event is a newer commit of the pull request before it.
        """
        pull = number - number % 3 // 2 + 1
        head = f"{number + 1:040x}"
        place = f"repos/{UPSTREAM}/pulls/{pull}"
        record = {**scene.pull_webhook()["pull_request"], "number": pull}
        record["labels"] = self.double.records.get(place, {}).get("labels", [])
        record["head"] = {**record["head"], "sha": head}
        self.double.records[place] = record
        if pull % 8 == 1:
            self._label(pull)
        elif pull % 8 == 4:  # noqa: PLR2004 - as many again
            self.late.append((self.clock.now() + LABEL_AFTER, pull))
        return scene.change(number=pull, head=head, delivery=f"event-{number:06}")

    def _label(self, pull: int) -> None:
        listed = self.catalog.relay.repositories if self.catalog.relay else ()
        record = self.double.records[f"repos/{UPSTREAM}/pulls/{pull}"]
        record["labels"] = [{"name": f"{CHECK_LABEL_PREFIX}{one.device}"} for one in listed]

    def _send(self) -> None:
        before = len(self.double.dispatched)
        done = dispatch_round.run_dispatch_round(
            self.github.clients(), self._plan, lambda _: None, self.clock.sending
        )
        self._keep(SENT_FILE, done.log)
        for place, body in self.double.dispatched[before:]:
            self._vendor(place, body["client_payload"])
        if done.failed:
            raise SystemExit("\n".join([one.why for one in done.sent if not one.ok][:5]))

    def _vendor(self, repository: str, payload: Mapping[str, Any]) -> None:
        """Start a vendor's run, whose report is read after it ends.

        For each event, the report of one vendor has a failure.
        """
        began = self.clock.now()
        moment = f"{began:%Y-%m-%dT%H:%M:%SZ}"
        run = scene.add_run(
            self.double,
            payload["run_name"],
            repository=repository,
            head_repository={"full_name": repository},
            created_at=moment,
            status="in_progress",
            conclusion=None,
        )
        self.running.append((began, self.double.runs[repository][0]))
        name, number = payload["accelerator"], int(payload["sha"], 16)
        outcome = "failed" if name == f"v{number % self.vendors}" else "passed"
        made = scene.report({"good": outcome}, accelerator=name, started=began, finished=began)
        self.double.add_artifact(
            repository, run, "accelerator-report", scene.packed(made), created_at=moment
        )

    def _answer(self) -> None:
        now = self.clock.now()
        while self.running and self.running[0][0] <= now - ANSWER_AFTER:
            self.running.popleft()[1].update(status="completed", conclusion="success")
        while self.late and self.late[0][0] <= now:
            self._label(self.late.popleft()[1])
        clients = self.github.clients()
        summary.restart_failed_runs(clients.own, HOME, now)
        done = answer_round.run_answer_round(self.root, self.catalog, clients, now)
        self._keep(LEDGER_FILE, done.ledger)
        if done.failed:
            errors = [one.why for one in done.lookups if one.state is None]
            raise SystemExit("\n".join([*errors, *done.done][:5]))


def day_catalog(root: Path, vendors: int) -> Catalog:
    """Return a catalog of vendors on which one test passed yesterday and the day before.

    One in ten is at level L3 of the relay's list.
    """
    names = [f"v{number}" for number in range(vendors)]
    sections = [(name, SECTION.replace("vendor/plugin", f"{name}/plugin")) for name in names]
    files = scene.portal_of(*sections)
    entries = [
        f"  - {{repository: {name}/plugin, level: L3, device: {name}, source: made-up}}\n"
        for name in names[::LISTED]
    ]
    files["data/relay.yaml"] = f"{SOURCES}repositories:\n{''.join(entries)}"
    write_tree(root, files)
    nights = [
        scene.report(
            {"good": "passed"},
            accelerator=name,
            started=day,
            finished=day,
            trigger={"kind": "nightly"},
        )
        for name in names
        for day in (NOW - 2 * A_DAY, NOW - A_DAY)
    ]
    add_reports(root, [(Path("night.json"), night) for night in nights])
    return catalog_of(root)


if __name__ == "__main__":
    main()
