"""Defines the scenarios of `make act`, and the jobs that it does not run, with the reason."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from accelerator_automation.github.comments import BOT as ACTIONS
from accelerator_automation.upstream.run_lists import PLAN_FILE
from tests.automation.github_double import BOT
from tests.automation.made_up import FORK, left, pull, run
from tests.automation.made_up import archive as packed
from tests.automation.upstream.scene import HOME, NUMBER, UPSTREAM, keep_upload, nested
from tests.automation.upstream.scene import pull_webhook as upstream_pull
from tests.automation.upstream.vendors import finish, jobs_of
from tools.act.github import PULL_NUMBER, ActDouble, has_branch

_NEEDS_TORCH = (
    "needs torch for the CPU from PyTorch's index and, for some suites, PyTorch's sources"
)
_TAKES_LONG = "runs the whole test suite for tens of minutes; call its make target instead"

NOT_RUN: Mapping[tuple[str, str], str] = {
    ("checks.yml", "tests"): _TAKES_LONG,
    ("checks.yml", "validation"): _NEEDS_TORCH,
    ("executorch.yml", "validate"): f"{_NEEDS_TORCH}; without the label, no job runs",
    ("executorch.yml", "merge"): "needs the reports of its job validate",
    ("models.yml", "validate"): _NEEDS_TORCH,
    ("openreg.yml", "validate"): _NEEDS_TORCH,
    ("release.yml", "publish"): "publishes on PyPI with a token that only GitHub's servers issue",
    ("test-quality.yml", "coverage"): _TAKES_LONG,
    ("validate.yml", "validate"): "needs the runner of a platform, and its torch",
    ("validate.yml", "merge"): "needs the reports of its job validate",
}
"""The jobs that no scenario runs, by workflow and job, with the reason."""

_OWN_RUN_INPUTS: Mapping[str, str] = {
    "run_name": "delivery-1/example",
    "accelerator": "example",
    "device": "ex",
    "runner": '["self-hosted", "example"]',
    "matrix": '{"include": [{"task": "unit", "suites": "operators"}]}',
    "minutes": "60",
    "commit": "a" * 40,
    "pull-request": str(NUMBER),
}

Portal = Literal["whole", "example"]
"""The repository that jobs check out: `whole` is a copy of this one; `example` has the tests'
made-up platform in place of `accelerators` and `data`."""
Payload = Callable[[ActDouble], Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Scenario:
    """An event, and the jobs of a workflow that it starts and that must succeed.

    `payload` returns the content of the event.
    """

    workflow: str
    jobs: tuple[str, ...]
    event: str
    payload: Payload
    result: str = ""
    """What is on GitHub or in git afterward."""
    check: Callable[[ActDouble, Path], object] = lambda *_: True
    """Returns whether `result` is there, from the double and the folder of the repository."""
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


def _event(login: str = ACTIONS, **payload: object) -> Payload:
    """Return a function that sets the login of the token, and returns the payload."""

    def made(double: ActDouble) -> Mapping[str, Any]:
        double.login = login
        return payload

    return made


def _pull_request(*labels: str) -> Payload:
    entry = pull(number=PULL_NUMBER, labels=[{"name": label} for label in labels])
    return _event(action="labeled", number=PULL_NUMBER, pull_request=entry)


def _completed_run(double: ActDouble) -> Mapping[str, Any]:
    """Return the event of a completed run of pull-request.yml; without its files, with others."""
    double.login = ACTIONS
    found = [one for one in double.artifacts.values() if one["name"] == "difference"]
    if not found:
        made, path = packed(left()), ".github/workflows/pull-request.yml"
        number = keep_upload(double, path, "difference", made, dt.datetime.now(dt.UTC))
        found = [double.artifacts[number]]
    place = f"repos/{HOME}/pulls/{PULL_NUMBER}"
    double.records[place] = pull()
    double.records[f"{place}/files"] = [{"filename": "accelerators/ascend/guide.md"}]
    ended = run(id=found[-1]["run"], head_repository={"full_name": FORK})
    return {"action": "completed", **json.loads(ended.model_dump_json())}


def _answer(double: ActDouble) -> Mapping[str, Any]:
    """Finish the vendors' runs of all dispatched events, with a test that fails now."""
    double.login = BOT
    for job in jobs_of(double.dispatched).values():
        finish(double, job, job.report({"good": "failed"}))
    return {"schedule": "11,41 * * * *"}


def _sent_events(double: ActDouble) -> list[str]:
    return [body["client_payload"]["event_type"] for _, body in double.dispatched]


def _is_answered(double: ActDouble, _: Path) -> bool:
    sent = any(body["client_payload"].get("pull_request") for _, body in double.dispatched)
    return len(double.comments.get((UPSTREAM, NUMBER), [])) == int(sent)


SCENARIOS: tuple[Scenario, ...] = (
    Scenario(
        "upstream-event.yml",
        ("plan", "send"),
        "repository_dispatch",
        _event(BOT, **json.loads(nested(upstream_pull()))),
        "the event is planned, and sent to one vendor",
        lambda double, _: PLAN_FILE in double.uploaded() and len(double.dispatched) == 1,
    ),
    Scenario(
        "upstream-answer.yml",
        ("answer",),
        "schedule",
        _answer,
        "one comment on the pull request of each event that was sent",
        _is_answered,
    ),
    Scenario("upstream-event.yml", ("send",), "schedule", _event(BOT, schedule="19,49 * * * *")),
    Scenario(
        "upstream-event.yml",
        ("plan", "send"),
        "workflow_dispatch",
        _event(BOT, inputs={}),
        "the daily event is sent",
        lambda double, _: _sent_events(double)[-1:] == ["daily"],
    ),
    Scenario(
        "upstream-run.yml",
        ("run",),
        "workflow_dispatch",
        _event(inputs=_OWN_RUN_INPUTS),
        inputs=_OWN_RUN_INPUTS,
    ),
    Scenario("validate.yml", ("shards",), "workflow_call", _event(inputs=_OWN_RUN_INPUTS)),
    Scenario("trials.yml", ("trials",), "schedule", _event(schedule="17 3 * * *")),
    Scenario(
        "nightly.yml",
        ("validate", "nightly"),
        "schedule",
        _event(schedule="17 3 * * *"),
        "the archive is pushed",
        lambda _, folder: has_branch(folder, "archive"),
    ),
    Scenario(
        "pages.yml",
        ("build", "deploy", "record"),
        "push",
        _event(ref="refs/heads/main"),
        "the site is uploaded, and recorded in the archive",
        lambda double, folder: (
            "github-pages" in double.uploaded() and has_branch(folder, "archive")
        ),
        portal="whole",
    ),
    Scenario(
        "pull-request.yml",
        ("preview",),
        "pull_request",
        _pull_request(),
        "the preview and the difference are uploaded",
        lambda double, _: {"preview", "difference"} <= double.uploaded(),
        portal="whole",
        online=True,
    ),
    Scenario(
        "pull-request-comment.yml",
        ("comment",),
        "workflow_run",
        _completed_run,
        "one comment on the pull request",
        lambda double, _: len(double.comments.get((HOME, PULL_NUMBER), [])) == 1,
        portal="whole",
    ),
    Scenario("executorch.yml", (), "pull_request", _pull_request("other")),
    Scenario(
        "release.yml",
        ("build", "attest"),
        "push",
        _event(ref="refs/tags/v0.1.0"),
        "the distributions are uploaded",
        lambda double, _: "dist" in double.uploaded(),
        only="attest",
        portal="whole",
    ),
    Scenario(
        "checks.yml",
        ("harness",),
        "push",
        _event(ref="refs/heads/main"),
        only="harness",
        matrix="python-version:3.14",
        portal="whole",
        online=True,
    ),
    Scenario(
        "checks.yml",
        ("checks",),
        "push",
        _event(ref="refs/heads/main"),
        only="checks",
        matrix="part:static",
        portal="whole",
        online=True,
    ),
)
"""The scenarios, in the order in which they run. An answer needs a dispatched event before it, and
a comment needs the run of its pull request."""
