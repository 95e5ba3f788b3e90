"""One call of `make act`: its folder, GitHub, the repositories, and what each scenario needs."""

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
from tools.act.command import ROOT, ActCall, offline, own_environment, run_act
from tools.act.github import SpoolDouble, example_files, fill
from tools.act.sources import Source, make_source
from tools.act.spool import Spool

Portal = Literal["whole", "example"]
"""What the jobs check out: this repository, or it with the tests' made-up platform alone."""

LOGS = ROOT / ".cache/act"
SUCCEEDED = "Job succeeded"
"""What act prints for each job."""


class NotSeenError(Exception):
    """What a scenario should have done is not on GitHub or in git; the text says what is."""


def expect(seen: object, otherwise: str) -> None:
    """Raise NotSeenError with what is there instead, unless something is seen."""
    if not seen:
        raise NotSeenError(otherwise)


@dataclass
class Session:
    """What scenarios share."""

    folder: Path
    act: str
    double: SpoolDouble
    spool: Spool
    sources: dict[Portal, Source] = field(default_factory=dict)

    def source(self, portal: Portal) -> Source:
        """Return the repository of a portal; it is made when it is first asked for."""
        if portal not in self.sources:
            folder = self.folder / portal
            folder.mkdir()
            files = example_files(folder / "files") if portal == "example" else {}
            self.sources[portal] = make_source(folder, ROOT, HOME, files)
        return self.sources[portal]


@dataclass(frozen=True, slots=True)
class Scenario:
    """One event, and the jobs of a workflow that it starts."""

    workflow: str
    jobs: tuple[str, ...]
    """The jobs that run; where only some do, the last one needs the others."""
    event: str
    payload: Callable[[Session], Mapping[str, Any]]
    seen: Callable[[Session], str] = lambda _: ""
    """What came of it on GitHub and in git, in a few words. Raises NotSeenError."""
    only: str | None = None
    """The one job that is named, with what it needs."""
    matrix: str | None = None
    inputs: Mapping[str, str] = field(default_factory=dict)
    portal: Portal = "example"
    online: bool = False
    """Whether its jobs install packages, and so need a package index."""

    @property
    def name(self) -> str:
        """A short name: of the file of the log."""
        part = self.matrix.partition(":")[2] if self.matrix else "-".join(self.jobs[-1:])
        name = f"{self.workflow.removesuffix('.yml')}-{self.event.replace('_', '-')}-{part}"
        return name.removesuffix("-")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a scenario."""

    ok: bool
    seconds: int
    words: str


@contextmanager
def session(act: str) -> Iterator[Session]:
    """Serve GitHub and make the folder, for as long as scenarios run."""
    with TemporaryDirectory(prefix="portal-act-") as name:
        folder = Path(name)
        spool = Spool(folder / "spool")
        spool.folder.mkdir()
        double = SpoolDouble(spool)
        with serve(double):
            fill(double, {".github/CODEOWNERS": "* @owner\n"})
            yield Session(folder, act, double, spool)


def run_scenario(here: Session, scenario: Scenario) -> Outcome:
    """Run act for a scenario and look at what came of it."""
    source, begin = here.source(scenario.portal), time.monotonic()
    payload = here.folder / "event.json"
    repository = {"full_name": HOME, "name": HOME.partition("/")[2], "default_branch": "main"}
    payload.write_text(
        json.dumps({"repository": repository, **scenario.payload(here)}), encoding="utf-8"
    )
    environment = own_environment(
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
        {
            "GITHUB_TOKEN": OWN_TOKEN,
            "UPSTREAM_APP_ID": APP_ID,
            "UPSTREAM_APP_KEY": private_key(),
        },
        environment if scenario.online else {**environment, **offline()},
    )
    LOGS.mkdir(parents=True, exist_ok=True)
    log = LOGS / f"{scenario.name}.log"
    status = run_act(here.act, call, here.folder / "home", log)
    here.double.take_uploads()
    ended = log.read_text("utf-8").count(SUCCEEDED)
    return _outcome(here, scenario, (status, ended), round(time.monotonic() - begin))


def _outcome(here: Session, scenario: Scenario, ended: tuple[int, int], seconds: int) -> Outcome:
    """A job that act leaves out without a word is no job that passed."""
    status, jobs = ended
    try:
        expect(not status, f"act ended with status {status}")
        expect(jobs == len(scenario.jobs), f"{jobs} of {len(scenario.jobs)} jobs succeeded")
        return Outcome(ok=True, seconds=seconds, words=scenario.seen(here))
    except NotSeenError as error:
        return Outcome(ok=False, seconds=seconds, words=str(error))
