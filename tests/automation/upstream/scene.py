"""A portal, PyTorch and a vendor on a GitHub that is made up; what the vendor reports."""

from __future__ import annotations

import datetime as dt
import json
import threading
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import BaseModel

from accelerator_automation.github.api import Patience
from accelerator_automation.github.client import GitHubClient
from accelerator_automation.upstream.connections import Clients
from accelerator_automation.upstream.delivery import Delivery
from accelerator_automation.upstream.dispatch_round import SendSettings
from accelerator_automation.upstream.incoming import Change
from accelerator_automation.upstream.planning import PlannedPlatform
from accelerator_automation.upstream.run_lists import WRITING_WORKFLOWS, ArtifactLists, RunLists
from accelerator_automation.upstream.run_search import (
    CLOCK_SKEW,
    ReportSearch,
    RunResult,
    find_reports,
)
from accelerator_portal.catalog.files.accelerator import Dispatch, UpstreamRun
from accelerator_reports.report import Report
from accelerator_reports.report_file import KnownNames
from tests.automation.github_double import BOT, OWN_TOKEN, TOKEN, GitHubDouble
from tests.automation.made_up import archive
from tests.folders import EXAMPLE

HOME = "example/portal"
UPSTREAM = "pytorch/pytorch"
VENDOR = "vendor/plugin"
HEAD = "a" * 40
BASE = "b" * 40
NUMBER = 7
DELIVERY = "72d3162e-cc78-11e3-81ab-4c9367dc0958"
NOW = dt.datetime(2026, 11, 21, 12, tzinfo=dt.UTC)
SENT = NOW - dt.timedelta(hours=2)

QUICK = Patience(tries=2, wait=0.01, most_wait=1.0, limited=0.01)
SENDING = SendSettings(wait=0.0, now=lambda: NOW)

DISPATCH = UpstreamRun(dispatch=Dispatch(repository=VENDOR, event_type="pytorch-event"))
REDISPATCH = UpstreamRun(redispatch=Dispatch(repository=VENDOR, event_type="pytorch-event"))
RUNNER = UpstreamRun(runner=("self-hosted", "npu"))
WORKFLOW = UpstreamRun(workflow="foo.yml")


def pull_webhook(action: str = "opened", **changed: object) -> dict[str, Any]:
    """The webhook of a pull request, as far as it is read."""
    pull = {
        "number": NUMBER,
        "title": "A title",
        "state": "open",
        "user": {"login": "author", "type": "User"},
        "author_association": "MEMBER",
        "head": {"sha": HEAD, "ref": "topic", "repo": {"full_name": "author/pytorch"}},
        "base": {"sha": BASE, "repo": {"full_name": UPSTREAM}},
        "labels": [],
        "body": "A long text.",
    }
    repository = {"full_name": UPSTREAM, "private": False}
    return {"action": action, "pull_request": pull, "repository": repository, **changed}


def nested(
    payload: Mapping[str, object], event_type: str = "pull_request", delivery: str = DELIVERY
) -> bytes:
    """The event with a webhook in it, as PyTorch's relay sends it."""
    inside = {"event_type": event_type, "delivery_id": delivery, "payload": payload}
    return event(inside)


def event(client_payload: object) -> bytes:
    """The event `repository_dispatch`."""
    whole = {
        "action": "pull_request",
        "branch": "main",
        "client_payload": client_payload,
        "repository": {"full_name": HOME},
        "sender": {"login": "relay[bot]"},
    }
    return json.dumps(whole).encode()


def change(**changed: object) -> Change:
    """A pull request that GitHub confirmed; other values for its fields."""
    return Change.model_validate(
        {
            "occasion": "pull-request",
            "delivery": DELIVERY,
            "repository": UPSTREAM,
            "head": HEAD,
            "base": BASE,
            "number": NUMBER,
            "action": "opened",
            "title": "A title",
            "approval": "the author is a member",
            **changed,
        }
    )


def entry(
    accelerator: str = "example", run: UpstreamRun = DISPATCH, **changed: object
) -> PlannedPlatform:
    """A platform that takes part."""
    return PlannedPlatform.model_validate(
        {
            "accelerator": accelerator,
            "name": accelerator.title(),
            "device": "ex",
            "tasks": ("unit", "models"),
            "run": run,
            "hours": 4,
            **changed,
        }
    )


def asked(run: UpstreamRun = DISPATCH, **changed: object) -> Delivery:
    """The platform was asked two hours ago."""
    return Delivery(
        plan=1, change=change(**changed), accelerator="example", settings=entry(run=run), sent=SENT
    )


def report(outcomes: Mapping[str, str], **changed: object) -> Report:
    """A run of the platform `example`: tests by name, each with its outcome."""
    tests = [
        {
            "suite": "made-up",
            "name": name,
            "outcome": outcome,
            "reason": "It says `why`.",
            "command": f"accelerator-portal validate --device ex --test made-up/{name}",
        }
        for name, outcome in outcomes.items()
    ]
    whole = {
        "schema_version": 1,
        "accelerator": "example",
        "kind": "self-reported",
        "trigger": {"kind": "pull-request"},
        "started": NOW - dt.timedelta(hours=1),
        "finished": NOW - dt.timedelta(minutes=30),
        "environment": {"torch": "2.14.0"},
        "suites": [{"name": "made-up", "kind": "unit", "planned": len(tests)}],
        "tests": tests,
    }
    return Report.model_validate({**whole, **changed})


def packed(report: Report | bytes, name: str = "report.json") -> bytes:
    """The archive that a run leaves."""
    return archive({name: report if isinstance(report, bytes) else report.model_dump_json()})


def populate(double: GitHubDouble) -> None:
    """The repositories, and an open pull request."""
    double.repositories |= {HOME, UPSTREAM, VENDOR}
    double.records[f"repos/{UPSTREAM}/pulls/{NUMBER}"] = pull_webhook()["pull_request"]


def add_run(double: GitHubDouble, title: str | None = None, /, **changed: object) -> int:
    """A run of the vendor's, which ended well an hour ago."""
    run = {
        "id": double.new(),
        "event": "repository_dispatch",
        "status": "completed",
        "conclusion": "success",
        "display_title": f"{DELIVERY}/example" if title is None else title,
        "created_at": "2026-11-21T10:01:00Z",
        "head_repository": {"full_name": VENDOR},
        **changed,
    }
    repository = str(changed.get("repository", VENDOR))
    double.runs.setdefault(repository, []).insert(0, run)
    double.records[f"repos/{repository}/actions/runs/{run['id']}"] = run
    return int(str(run["id"]))


def answered(double: GitHubDouble, outcomes: Mapping[str, str], **changed: object) -> int:
    """A run of the vendor's with a report."""
    run = add_run(double)
    double.add_artifact(VENDOR, run, "accelerator-report", packed(report(outcomes, **changed)))
    return run


def client(double: GitHubDouble) -> GitHubClient:
    """The real client of the double."""
    return GitHubClient(TOKEN, double.home, QUICK)


def clients(double: GitHubDouble) -> Clients:
    """The clients of a round; this repository has a token of its own."""
    own = GitHubClient(OWN_TOKEN, double.home, QUICK)
    return Clients(own, client(double), HOME, BOT)


KNOWN = KnownNames(frozenset({"example", "other"}))


def place(double: GitHubDouble, now: dt.datetime = NOW) -> ReportSearch:
    """Where reports are looked for."""
    api = client(double)
    begins: dict[str, dt.datetime] = defaultdict(lambda: SENT - CLOCK_SKEW)
    return ReportSearch(api, HOME, KNOWN, now, RunLists(api, begins), ArtifactLists(api, begins))


def find(double: GitHubDouble, requests: Iterable[Delivery]) -> list[RunResult]:
    """What a round finds of the requests."""
    return find_reports(client(double), HOME, KNOWN, requests, NOW)


SECTION = """\
maintainers:
  - {github: owner, source: made-up}
upstream_events:
  events: [pull-request, push, daily]
  tasks: [unit, models]
  run: {dispatch: {repository: vendor/plugin, event_type: pytorch-event}}
  hours: 4
  source: made-up
"""


def portal(section: str = SECTION) -> dict[str, str]:
    """The example's files, with the section."""
    file = "accelerators/example/accelerator.yaml"
    return {**EXAMPLE, file: EXAMPLE[file] + section}


def portal_of(*sections: tuple[str, str]) -> dict[str, str]:
    """The example several times, under other names and with sections of their own."""
    files = dict(EXAMPLE)
    for name, section in sections:
        for path, text in EXAMPLE.items():
            if path.startswith("accelerators/"):
                copy = text.replace("name: Example\n", f"name: {name.title()}\n")
                copy = copy.replace("name: torch-example,", f"name: torch-{name},")
                end = section if path.endswith("accelerator.yaml") else ""
                files[path.replace("/example/", f"/{name}/")] = copy + end
    return files


def keep_file(double: GitHubDouble, name: str, file: BaseModel, created: dt.datetime = NOW) -> int:
    """What a run of this repository's own workflow left; returns the number of the artifact."""
    made = archive({f"{name}.json": file.model_dump_json()})
    return keep_upload(double, WRITING_WORKFLOWS[name], name, made, created)


def keep_upload(
    double: GitHubDouble, workflow: str, name: str, made: bytes, created: dt.datetime
) -> int:
    """Keep an archive as the artifact of a run of this repository; returns its number."""
    run, moment = double.new(), f"{created.astimezone(dt.UTC):%Y-%m-%dT%H:%M:%SZ}"
    double.records[f"repos/{HOME}/actions/runs/{run}"] = {
        "id": run,
        "event": "schedule",
        "path": workflow,
        "status": "completed",
        "created_at": moment,
        "head_repository": {"full_name": HOME},
    }
    return double.add_artifact(HOME, run, name, made, created_at=moment)


class SimulatedClock:
    """A clock that stands still but where somebody waits."""

    def __init__(self, at: dt.datetime = NOW) -> None:
        self.at = at
        self._lock = threading.Lock()

    def now(self) -> dt.datetime:
        """The time."""
        return self.at

    def pause(self, seconds: float) -> None:
        """Let the time go by."""
        with self._lock:
            self.at += dt.timedelta(seconds=seconds)

    @property
    def sending(self) -> SendSettings:
        """How to send by this clock."""
        return SendSettings(pause=self.pause, now=self.now)
