"""The cast and the stage of the whole story: platforms, their vendors, and the portal's workflows."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

from accelerator_automation.github.comments import BOT as ACTIONS
from accelerator_automation.upstream.run_lists import LEDGER_FILE
from accelerator_portal.results.report_intake import add_reports
from accelerator_portal.site.broken_links import KEY_FILES
from tests.automation.github_apps import APP_ID, app_double, private_key
from tests.automation.github_double import BOT, OWN_TOKEN, GitHubDouble
from tests.automation.upstream.scene import (
    NUMBER,
    SECTION,
    UPSTREAM,
    add_run,
    nested,
    packed,
    populate,
    portal_of,
    pull_webhook,
    report,
)
from tests.automation.upstream.vendors import HOSTILE_NAME, VendorJob, jobs_of
from tests.automation.workflow_machine import JobRun, Machine
from tests.folders import REPOSITORY, SOURCES, write_tree

_PARSER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
MARKER = re.compile(r"\A<!-- accelerator-portal[ :][\w:+/= -]+ -->\n")
HOSTILE = ("climber", "giant", "impostor", "stale")
VENDORS = ("broken", "fast", "injector", *HOSTILE)
PLATFORMS = sorted([*VENDORS, "slow"])
PULL = f"repos/{UPSTREAM}/pulls/{NUMBER}"
EVENTS = SECTION.replace("[pull-request, push, daily]", "[pull-request, push]")
FEED = """\
report_feeds:
  - name: nightly
    artifact: {repository: fast-vendor/plugin, workflow: nightly.yml, artifact: report}
    source: made-up
"""
RELAY = f"""\
{SOURCES}\
repositories:
  - {{repository: fast-vendor/plugin, level: L4, source: made-up}}
  - {{repository: injector-vendor/plugin, level: L3, device: injected, source: made-up}}
"""


def section(name: str) -> str:
    """How a platform takes part: `slow` on a runner of the portal, the others at home."""
    if name == "slow":
        old = "{dispatch: {repository: vendor/plugin, event_type: pytorch-event}}"
        return EVENTS.replace(old, "{runner: [self-hosted, slow]}")
    more = FEED if name == "fast" else ""
    return EVENTS.replace("vendor/plugin", f"{name}-vendor/plugin") + more


def files(folder: Path) -> dict[str, bytes]:
    """The portal's repository: platforms with two good nights, and a site of a few lines."""
    found = portal_of(*((name, section(name)) for name in PLATFORMS))
    found["data/relay.yaml"] = RELAY
    found["data/criteria.yaml"] = (REPOSITORY / "data/criteria.yaml").read_text("utf-8")
    found["mkdocs.yml"] = "site_name: A portal\ndocs_dir: pages\nplugins: []\n"
    found[".gitignore"] = "/site/\n/archive/\n/incoming/\n/.venv/\n"
    found |= {f"pages/{name}": "{}" for name in KEY_FILES}
    root = write_tree(folder / "before", found)
    now = dt.datetime.now(dt.UTC)
    for name in PLATFORMS:
        for days in (2, 1):
            night = report(
                {"good": "passed", "bad": "failed", HOSTILE_NAME: "passed"},
                accelerator=name,
                started=now - dt.timedelta(days=days),
                finished=None,
                trigger={"kind": "nightly", "commit": f"{days:040x}"},
            )
            add_reports(root, [(Path("night.json"), night)])
    return {
        file.relative_to(root).as_posix(): file.read_bytes()
        for file in root.rglob("*")
        if file.is_file()
    }


class Story:
    """What happens on GitHub, and what the portal's workflows do then."""

    def __init__(self, folder: Path, double: GitHubDouble) -> None:
        self.double, self.folder = double, folder
        self.machine = Machine(folder, double, files(folder))
        self.machine.more_words["nightly"] = ["--skip", "packages", "--skip", "commands"]
        self.values = {
            "github.token": OWN_TOKEN,
            "github.event_name": "repository_dispatch",
            "github.event.schedule": "",
            "vars.UPSTREAM_LOGIN": BOT,
            "secrets.UPSTREAM_APP_ID": APP_ID,
            "secrets.UPSTREAM_APP_KEY": private_key(),
            "steps.night.outputs.published": "true",
        }
        self.told = 0

    def event(self, webhook: dict[str, Any], delivery: str, event_type: str) -> JobRun:
        """PyTorch's event arrives, and is planned."""
        return self.job("upstream-event.yml", "plan", nested(webhook, event_type, delivery))

    def push(self, head: str, delivery: str) -> JobRun:
        """The author pushes to the pull request."""
        self.double.records[PULL]["head"]["sha"] = head
        webhook = pull_webhook("synchronize")
        webhook["pull_request"]["head"]["sha"] = head
        return self.event(webhook, delivery, "pull_request")

    def send(self) -> tuple[JobRun, dict[str, VendorJob]]:
        """The sender's job, and the runs that it starts."""
        done = self.job("upstream-event.yml", "send")
        new = self.double.dispatched[self.told :]
        self.told = len(self.double.dispatched)
        return done, jobs_of(new)

    def answer(self) -> JobRun:
        """One round of answers."""
        return self.job("upstream-answer.yml", "answer")

    def lose_ledger(self) -> None:
        """What the last round settled is forgotten, as if its upload had failed."""
        ledgers = [one for one in self.double.artifacts.values() if one["name"] == LEDGER_FILE]
        ledgers[-1]["expired"] = True

    def night(self) -> JobRun:
        """The nightly update, whose issues are those of GitHub's own account."""
        self.double.login = ACTIONS
        done = self.job("nightly.yml", "nightly")
        self.double.login = BOT
        return done

    def job(self, name: str, job: str, event: bytes = b"{}") -> JobRun:
        """Run a job; what a vendor wrote does nothing on its page, and no token is printed."""
        done = self.machine.job(name, job, self.values, event)
        assert_inert(done.summary)
        assert "ghs_" not in f"{done.summary}{done.printed}"
        return done

    def feed(self, outcomes: Mapping[str, str]) -> None:
        """A nightly run of the fast vendor's own, whose artifact the feed names."""
        now, repository = dt.datetime.now(dt.UTC), "fast-vendor/plugin"
        run = add_run(
            self.double,
            "nightly",
            repository=repository,
            head_repository={"full_name": repository},
            head_branch="main",
            event="schedule",
            path=".github/workflows/nightly.yml",
            created_at=f"{now:%Y-%m-%dT%H:%M:%SZ}",
        )
        trigger = {"kind": "nightly"}
        made = report(outcomes, accelerator="fast", started=now, finished=now, trigger=trigger)
        self.double.add_artifact(repository, run, "report", packed(made))

    @property
    def comments(self) -> list[str]:
        """The comments on the pull request."""
        return [str(one["body"]) for one in self.double.comments.get((UPSTREAM, NUMBER), [])]

    @property
    def checks(self) -> list[tuple[str, str, str]]:
        """The check runs: name, first letters of the commit, conclusion."""
        return [
            (
                check["name"].removeprefix("accelerators/"),
                check["head_sha"][:3],
                check["conclusion"],
            )
            for check in self.double.check_runs.get(UPSTREAM, [])
        ]


def active_parts(markdown: str) -> list[str]:
    """Return texts, HTML and addresses that GitHub reads as such, and not as code."""
    return list(_active(_PARSER.parse(markdown)))


def _active(tokens: Iterable[Token]) -> Iterator[str]:
    for token in tokens:
        yield from _active(token.children or ())
        yield from (str(token.attrs[name]) for name in ("href", "src") if name in token.attrs)
        if token.type in {"text", "html_inline", "html_block"}:
            yield token.content


def assert_inert(markdown: str) -> None:
    """Assert that no text of a vendor acts; the portal's own marker is the one piece of HTML."""
    acting = "\n".join(active_parts(MARKER.sub("", markdown)))
    words = ("@", "<", "evil", "script", "#1", "javascript", "upstream AAAA")
    assert [word for word in words if word in acting] == []


def set_stage(double: GitHubDouble) -> None:
    """PyTorch with a pull request, vendors, and the App at all of them."""
    populate(double)
    double.records[PULL] |= {"labels": [{"name": "ciflow/crcr/injected"}]}
    double.repositories |= {f"{name}-vendor/plugin" for name in VENDORS}
    double.app = app_double()
    double.app.install("pytorch", pull_requests="write", checks="write")
    double.app.install("example", "portal", actions="read")
    for name in VENDORS:
        double.app.install(f"{name}-vendor", "plugin", contents="write", actions="read")
