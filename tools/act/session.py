"""Runs scenarios with act: the session's folder, the double of GitHub, and the repositories."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

from tests.automation.github_apps import APP_ID, private_key
from tests.automation.github_double import BOT, OWN_TOKEN, serve
from tests.automation.upstream.scene import HOME
from tools.act.command import ROOT, ActCall, job_variables, offline_variables, run_act
from tools.act.github import SpoolDouble, example_files, fill_double
from tools.act.sources import Source, make_source
from tools.act.spool import Spool

Portal = Literal["whole", "example"]
"""The repository that jobs check out: `whole` is a copy of this one; `example` has the tests'
made-up platform in place of `accelerators` and `data`."""

LOGS = ROOT / ".cache/act"
SUCCEEDED = "Job succeeded"
"""The text that act prints for each job that succeeds."""


class NotSeenError(Exception):
    """The expected result of a scenario is not on GitHub or in git.

    The message has the actual result.
    """


def expect(seen: object, otherwise: str) -> None:
    """Raise NotSeenError with the text `otherwise` unless `seen` is true."""
    if not seen:
        raise NotSeenError(otherwise)


@dataclass
class Session:
    """The state that scenarios share.

    `act` is the path of the program. `folder` is a temporary folder. `double` simulates GitHub, and
    `spool` has the artifacts of the jobs.
    """

    folder: Path
    act: str
    double: SpoolDouble
    spool: Spool
    sources: dict[Portal, Source] = field(default_factory=dict)

    def source(self, portal: Portal) -> Source:
        """Return the repository of a portal; the first call creates it."""
        if portal not in self.sources:
            folder = self.folder / portal
            folder.mkdir()
            files = example_files(folder / "files") if portal == "example" else {}
            self.sources[portal] = make_source(folder, ROOT, HOME, files)
        return self.sources[portal]


@dataclass(frozen=True, slots=True)
class Scenario:
    """An event, and the jobs of a workflow that it starts.

    `payload` returns the content of the event.
    """

    workflow: str
    jobs: tuple[str, ...]
    """The jobs that must succeed."""
    event: str
    payload: Callable[[Session], Mapping[str, Any]]
    check: Callable[[Session], str] = lambda _: ""
    """Checks what the jobs changed on GitHub and in git, and returns it as a text. Raises
    NotSeenError if the change is not as expected."""
    only: str | None = None
    """The job to which the run is limited, with the jobs that it needs; None for all jobs."""
    matrix: str | None = None
    inputs: Mapping[str, str] = field(default_factory=dict)
    portal: Portal = "example"
    online: bool = False
    """Whether its jobs may use the network, because they install packages."""

    @property
    def name(self) -> str:
        """The name of the log file, without `.log`."""
        part = self.matrix.partition(":")[2] if self.matrix else "-".join(self.jobs[-1:])
        name = f"{self.workflow.removesuffix('.yml')}-{self.event.replace('_', '-')}-{part}"
        return name.removesuffix("-")


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a scenario; `words` is what it did, or why it failed."""

    ok: bool
    seconds: int
    words: str


@contextmanager
def session(act: str) -> Iterator[Session]:
    """Serve the double of GitHub and create the session's folder until the end of the block."""
    with TemporaryDirectory(prefix="portal-act-") as name:
        folder = Path(name)
        spool = Spool(folder / "spool")
        spool.folder.mkdir()
        double = SpoolDouble(spool)
        with serve(double):
            fill_double(double, {".github/CODEOWNERS": "* @owner\n"})
            yield Session(folder, act, double, spool)


def run_scenario(here: Session, scenario: Scenario) -> Outcome:
    """Run act for a scenario; return whether its jobs and its result are as expected."""
    source, begin = here.source(scenario.portal), time.monotonic()
    payload = here.folder / "event.json"
    repository = {"full_name": HOME, "name": HOME.partition("/")[2], "default_branch": "main"}
    payload.write_text(
        json.dumps({"repository": repository, **scenario.payload(here)}), encoding="utf-8"
    )
    environment = job_variables(
        here.spool.folder, source.origin, scenario.workflow, here.double.home
    )
    call = ActCall(
        source.project,
        scenario.workflow,
        scenario.event,
        payload,
        scenario.only,
        scenario.matrix,
        scenario.inputs,
        {"UPSTREAM_LOGIN": BOT},
        {"GITHUB_TOKEN": OWN_TOKEN, "UPSTREAM_APP_ID": APP_ID, "UPSTREAM_APP_KEY": private_key()},
        environment if scenario.online else {**environment, **offline_variables()},
    )
    LOGS.mkdir(parents=True, exist_ok=True)
    log = LOGS / f"{scenario.name}.log"
    status = run_act(here.act, call, here.folder / "home", log)
    here.double.take_uploads()
    ended = log.read_text("utf-8").count(SUCCEEDED)
    return _outcome(here, scenario, (status, ended), round(time.monotonic() - begin))


def _outcome(here: Session, scenario: Scenario, ended: tuple[int, int], seconds: int) -> Outcome:
    """Return the outcome of a scenario.

    `ended` is act's exit status and the number of jobs that succeeded. The number must match the
    scenario's jobs, because act prints nothing about a job that it skips.
    """
    status, jobs = ended
    try:
        expect(not status, f"act ended with status {status}")
        expect(jobs == len(scenario.jobs), f"{jobs} of {len(scenario.jobs)} jobs succeeded")
        return Outcome(ok=True, seconds=seconds, words=scenario.check(here))
    except NotSeenError as error:
        return Outcome(ok=False, seconds=seconds, words=str(error))
