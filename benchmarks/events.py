"""A day of upstream events within GitHub's limits: `python -m benchmarks.events`.

GitHub is a double that counts and enforces the limits of each token, by a simulated clock. Each
event is confirmed, planned and left; the sender and, every half hour, the round of answers run as
in the workflows. Every third event is a newer commit of the pull request before it. Each vendor
answers after an hour with a report in which nothing is broken.
"""

from __future__ import annotations

import argparse
import datetime as dt
import tempfile
import time
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from accelerator_portal.automation.github import GitHubError
from accelerator_portal.automation.upstream import answer_round, dispatch_round, sweeping
from accelerator_portal.automation.upstream.answer_round import Clients
from accelerator_portal.automation.upstream.change import Change
from accelerator_portal.automation.upstream.change_confirmation import confirmed_change
from accelerator_portal.automation.upstream.dispatching import Senders
from accelerator_portal.automation.upstream.own_files import LEDGER, PLAN, SENT
from accelerator_portal.automation.upstream.pace import Pace
from accelerator_portal.automation.upstream.paced_api import READS_A_MINUTE, PacedApi
from accelerator_portal.automation.upstream.planning import plan
from accelerator_portal.catalog import Catalog, load_catalog
from accelerator_portal.catalog.wording import count
from tests.automation.github_double import BOT, Asked, GitHubDouble
from tests.automation.github_limits import GitHubLimits
from tests.automation.upstream import scene
from tests.automation.upstream.scene import HOME, NOW, SECTION, UPSTREAM, SimulatedClock
from tests.folders import write_tree

TOKENS = {name: f"token-{name}" for name in ("own", "dispatch", "read", "upstream")}
"""As in the workflows: one token dispatches to all vendors, another one reads from them."""

A_ROUND, A_DAY = dt.timedelta(minutes=30), dt.timedelta(days=1)
ANSWER_AFTER = dt.timedelta(hours=1)


class DirectApi:
    """The double without a connection: a day has a hundred thousand requests."""

    def __init__(self, double: GitHubDouble, token: str) -> None:
        self._double, self._token = double, token
        self._answers: dict[str, tuple[str, bytes]] = {}

    def get(self, path: str) -> bytes:
        """Return what stands at a path, or what stood there if it is the same."""
        etag, known = self._answers.get(path, ("", b""))
        status, headers, body = self._asked("GET", path, None, etag)
        if status == HTTPStatus.NOT_MODIFIED:
            return known
        if "runs?" in path:  # only lists are asked for again
            self._answers[path] = (headers.get("etag", ""), body)
        return body

    def send(self, method: str, path: str, body: Mapping[str, Any]) -> bytes:
        """Send a body."""
        return self._asked(method, path, dict(body))[2]

    def download(self, path: str, most: int) -> bytes:
        """Return a file."""
        _, headers, _ = self._asked("GET", path, None)
        number = int(headers["location"].rpartition("/")[2])
        return self._double.files[number][:most]

    def _asked(
        self, method: str, path: str, body: Mapping[str, Any] | None, etag: str = ""
    ) -> tuple[int, Mapping[str, str], bytes]:
        parts = urlsplit(path)
        query = {name: values[-1] for name, values in parse_qs(parts.query).items()}
        asked = Asked(method, parts.path, query, body, self._token, etag)
        status, headers, answer = self._double.answer(asked)
        if status >= HTTPStatus.BAD_REQUEST:
            passing = status == HTTPStatus.FORBIDDEN
            raise GitHubError(f"{path}: {answer.decode()}", status, passing=passing)
        return status, headers, answer


@dataclass
class Day:
    """One day: GitHub, the clock, and what was counted."""

    root: Path
    catalog: Catalog
    clock: SimulatedClock = field(default_factory=lambda: SimulatedClock(NOW))
    double: GitHubDouble = field(default_factory=GitHubDouble)
    sent: int = 0
    replaced: int = 0
    answered: int = 0
    running: deque[tuple[dt.datetime, dict[str, Any]]] = field(default_factory=deque)

    def __post_init__(self) -> None:
        """Let GitHub know every token and repository."""
        scene.populate(self.double)
        self.double.tokens |= set(TOKENS.values())
        limits = GitHubLimits(self.clock.now, frozenset({TOKENS["own"]}))
        self.double.limits = limits
        self.apis = {name: DirectApi(self.double, token) for name, token in TOKENS.items()}
        pace = Pace((), self.clock.now, self.clock.pause, READS_A_MINUTE)
        self.reader = PacedApi(self.apis["read"], pace)
        self.double.repositories |= {f"vendor/{name}" for name in self.catalog.by_id}

    def run(self, events: int) -> None:
        """Run a day of so many events, and four hours in which the last ones are answered."""
        times = iter([NOW + A_DAY * number / events for number in range(events)])
        coming = next(times, None)
        answers = NOW + A_ROUND
        number = 0
        while self.clock.now() < NOW + A_DAY + dt.timedelta(hours=4):
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
        found = plan(self.catalog, confirmed_change(self.apis["own"], change, self.clock.now()))
        scene.keep_file(self.double, PLAN, found, self.clock.now())

    def _event(self, number: int) -> Change:
        pull = number - number % 3 // 2  # every third one is a commit on the one before
        head = f"{number + 1:040x}"
        record = {**scene.pull_webhook()["pull_request"], "number": pull + 1}
        record["head"] = {**record["head"], "sha": head}
        self.double.records[f"repos/{UPSTREAM}/pulls/{pull + 1}"] = record
        return scene.change(number=pull + 1, head=head, delivery=f"event-{number:06}")

    def _send(self) -> None:
        senders = Senders(self.apis["dispatch"], self.apis["own"], HOME)
        before = len(self.double.dispatched)
        done = dispatch_round.dispatch(senders, lambda _: None, self.clock.sending)
        scene.keep_file(self.double, SENT, done.log, self.clock.now())
        self.sent += len(self.double.dispatched) - before
        self.replaced += sum(int(note.split(": ")[1].split()[0]) for note in done.notes)
        for place, body in self.double.dispatched[before:]:
            self._vendor(place, body["client_payload"])
        if done.failed:
            raise SystemExit("\n".join([one.why for one in done.sent if not one.ok][:5]))

    def _vendor(self, repository: str, payload: Mapping[str, Any]) -> None:
        """Let a vendor's run begin; its report counts when it ends."""
        began = self.clock.now()
        run = scene.add_run(
            self.double,
            payload["run_name"],
            repository=repository,
            head_repository={"full_name": repository},
            created_at=f"{began:%Y-%m-%dT%H:%M:%SZ}",
            status="in_progress",
            conclusion=None,
        )
        self.running.append((began, self.double.runs[repository][0]))
        made = scene.report(
            {"good": "passed"}, accelerator=payload["accelerator"], started=began, finished=began
        )
        self.double.add_artifact(
            repository,
            run,
            "accelerator-report",
            scene.packed(made),
            created_at=f"{began:%Y-%m-%dT%H:%M:%SZ}",
        )

    def _answer(self) -> None:
        self._end_runs()
        sweeping.sweep(self.apis["own"], HOME, self.clock.now())
        own, upstream = self.apis["own"], self.apis["upstream"]
        clients = Clients(own, self.reader, upstream, home=HOME, login=BOT)
        done = answer_round.answer(self.root, self.catalog, clients, self.clock.now())
        scene.keep_file(self.double, LEDGER, done.ledger, self.clock.now())
        found = [one.found for one in done.looked if one.found]
        self.answered += sum(one.report is not None for one in found)
        if done.failed:
            errors = [one.error for one in done.looked if one.error]
            raise SystemExit("\n".join([*errors, *done.done][:5]))

    def _end_runs(self) -> None:
        while self.running and self.running[0][0] <= self.clock.now() - ANSWER_AFTER:
            self.running.popleft()[1].update(status="completed", conclusion="success")


def main() -> None:
    """Print the requests of each token, and the largest share of each limit."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.events", description=__doc__)
    parser.add_argument("--events", type=int, nargs="+", default=[50, 110, 500], help="a day")
    parser.add_argument("--vendors", type=int, default=100, help="platforms (100)")
    arguments = parser.parse_args()
    for events in arguments.events:
        with tempfile.TemporaryDirectory(prefix="portal-benchmarks-") as folder:
            root = Path(folder)
            catalog = _catalog(root, arguments.vendors)
            day, start = Day(root, catalog), time.perf_counter()
            day.run(events)
            print("\n".join(_lines(day, events, time.perf_counter() - start)), flush=True)


def _catalog(root: Path, vendors: int) -> Catalog:
    names = [f"v{number}" for number in range(vendors)]
    sections = [(name, SECTION.replace("vendor/plugin", f"vendor/{name}")) for name in names]
    write_tree(root, scene.portal_of(*sections))
    catalog, problems = load_catalog(root)
    if catalog is None:
        raise SystemExit("\n".join(map(str, problems)))
    return catalog


def _lines(day: Day, events: int, seconds: float) -> Iterator[str]:
    yield (
        f"{count(events, 'event')}, {count(len(day.catalog.by_id), 'platform')}: {day.sent:,} "
        f"dispatches sent, {day.replaced:,} replaced, {day.answered:,} reports read "
        f"({seconds:.0f} s)"
    )
    limits = day.double.limits
    for name, token in TOKENS.items():
        asked = [one for one in day.double.asked if one.token == token]
        if limits:
            shares = ", ".join(f"{k} {v:.0%}" for k, v in limits.of(token).shares.items())
            refused = limits.refused[token]
            yield (
                f"  {name:8} {len(asked):7,} requests, {len(asked) / events:6.1f} an event, "
                f"{refused} refused; largest share of a limit: {shares}"
            )
    yield f"  {day.double.not_modified:,} answers 304, which cost nothing"


if __name__ == "__main__":
    main()
