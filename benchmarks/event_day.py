"""Simulates a day of upstream events with GitHub, the workflows and the vendors."""

from __future__ import annotations

import datetime as dt
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from accelerator_automation.upstream import answer_round, dispatch_round, failed_runs
from accelerator_automation.upstream.change import Change, confirmed_change
from accelerator_automation.upstream.check_runs import CHECK_LABEL_PREFIX
from accelerator_automation.upstream.planning import plan_tests
from accelerator_automation.upstream.workflow_artifacts import LEDGER_FILE, PLAN_FILE, SENT_FILE
from accelerator_portal.catalog import Catalog
from accelerator_portal.results.state_file import write_state
from accelerator_portal.results.stored_history import state_path
from benchmarks.copies import catalog_of
from benchmarks.event_github import DayGitHub
from tests.automation.upstream import scene
from tests.automation.upstream.scene import HOME, NOW, SECTION, UPSTREAM
from tests.folders import SOURCES, write_tree
from tests.portal.results.made_up import folded

A_ROUND, A_DAY = dt.timedelta(minutes=30), dt.timedelta(days=1)
ANSWER_AFTER = dt.timedelta(hours=1)
LABEL_AFTER = dt.timedelta(hours=3)
"""The time from an event until some pull requests get their labels. By then, the reports about the
event have been answered."""
REST = dt.timedelta(hours=4)
"""The time after the day in which the last events are answered."""
LISTED = 10
"""One in this number of vendors is at level L3 of the relay's list."""


@dataclass
class Day:
    """A simulated day, and its counts.

    `sent` and `replaced` are numbers of dispatches, `answered` is the number of reports that were
    read. `running` has the unfinished runs of vendors with their start, oldest first.
    """

    root: Path
    catalog: Catalog
    github: DayGitHub
    sent: int = 0
    replaced: int = 0
    answered: int = 0
    running: deque[tuple[dt.datetime, dict[str, Any]]] = field(default_factory=deque)
    late: deque[tuple[dt.datetime, int]] = field(default_factory=deque)
    """The pull requests that get their labels later, with the time, earliest first."""

    def __post_init__(self) -> None:
        """Add every repository to the double of GitHub, and install the App there."""
        self.clock, self.double = self.github.clock, self.github.double
        platforms = [one.accelerator.upstream_events for one in self.catalog.platforms]
        self.vendors = len([one for one in platforms if one])
        scene.populate(self.double)
        self.github.install("pytorch", pull_requests="write", checks="write")
        for name in self.catalog.by_id:
            self.double.repositories.add(f"{name}/plugin")
            self.github.install(name, contents="write", actions="read")

    def run(self, events: int) -> None:
        """Simulate a day of `events` events, and the hours in which the last ones are answered.

        Raises SystemExit if a dispatch or an answer fails.
        """
        times = iter([NOW + A_DAY * number / events for number in range(events)])
        coming = next(times, None)
        answers = NOW + A_ROUND
        number = 0
        while self.clock.now() < NOW + A_DAY + REST:
            while coming is not None and coming <= self.clock.now():
                self._plan(number)
                number, coming = number + 1, next(times, None)
                self._send()
            if self.clock.now() >= answers:
                self._answer()
                answers += A_ROUND
            moment = min(filter(None, (coming, answers)))
            self.clock.at = max(self.clock.at, moment)

    def _plan(self, number: int) -> None:
        change = self._event(number)
        confirmed = confirmed_change(self.github.confirming(), change, self.clock.now())
        scene.keep_file(
            self.double, PLAN_FILE, plan_tests(self.catalog, confirmed), self.clock.now()
        )

    def _event(self, number: int) -> Change:
        """Return the change of an event, and store its pull request on the double.

        Every third event is a newer commit of the pull request before it.
        """
        pull = number - number % 3 // 2 + 1
        head = f"{number + 1:040x}"
        place = f"repos/{UPSTREAM}/pulls/{pull}"
        record = {**scene.pull_webhook()["pull_request"], "number": pull}
        known = self.double.records.get(place, {})
        record["labels"] = known.get("labels", [])
        record["head"] = {**record["head"], "sha": head}
        self.double.records[place] = record
        if pull % 8 == 1:
            self._label(pull)
        elif pull % 8 == 4:  # noqa: PLR2004 - as many again
            self.late.append((self.clock.now() + LABEL_AFTER, pull))
        return scene.change(number=pull, head=head, delivery=f"event-{number:06}")

    def _label(self, pull: int) -> None:
        names = (
            [one.device for one in self.catalog.relay.repositories] if self.catalog.relay else []
        )
        record = self.double.records[f"repos/{UPSTREAM}/pulls/{pull}"]
        record["labels"] = [{"name": f"{CHECK_LABEL_PREFIX}{name}"} for name in names]

    def _send(self) -> None:
        before = len(self.double.dispatched)
        done = dispatch_round.run_dispatch_round(
            senders := self.github.senders(),
            lambda change: plan_tests(
                self.catalog, confirmed_change(senders.own, change, self.clock.now())
            ),
            lambda _: None,
            self.clock.sending,
        )
        scene.keep_file(self.double, SENT_FILE, done.log, self.clock.now())
        self.sent += len(self.double.dispatched) - before
        self.replaced += sum(int(note.split(": ")[1].split()[0]) for note in done.notes)
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
        failed_runs.restart_failed_runs(clients.own, HOME, now)
        done = answer_round.run_answer_round(self.root, self.catalog, clients, now)
        scene.keep_file(self.double, LEDGER_FILE, done.ledger, self.clock.now())
        found = [one.result for one in done.lookups if one.result]
        self.answered += sum(one.report is not None for one in found)
        if done.failed:
            errors = [one.error for one in done.lookups if one.error]
            raise SystemExit("\n".join([*errors, *done.done][:5]))


def day_catalog(root: Path, vendors: int, *, listed: bool) -> Catalog:
    """Return a catalog of vendors on which one test passed yesterday and the day before.

    With `listed`, one in ten is at level L3 of the relay's list. Raises SystemExit if the catalog
    cannot be loaded.
    """
    names = [f"v{number}" for number in range(vendors)]
    sections = [(name, SECTION.replace("vendor/plugin", f"{name}/plugin")) for name in names]
    files = scene.portal_of(*sections)
    entries = [
        f"  - {{repository: {name}/plugin, level: L3, device: {name}, source: made-up}}\n"
        for name in names[::LISTED]
    ]
    if listed:
        files["data/relay.yaml"] = f"{SOURCES}repositories:\n{''.join(entries)}"
    write_tree(root, files)
    started = [NOW - A_DAY * days for days in (2, 1)]
    state, _ = folded(
        *(
            scene.report({"good": "passed"}, started=one, finished=one, trigger={"kind": "nightly"})
            for one in started
        )
    )
    for name in names:
        place = state_path(root, name, "runs")
        place.parent.mkdir(parents=True, exist_ok=True)
        write_state(place, replace(state, accelerator=name))
    return catalog_of(root)
