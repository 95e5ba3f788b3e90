"""Defines the scenarios of `make act`, and the jobs that it does not run, with the reason."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Mapping
from typing import Any

from accelerator_automation.comment_posting import BOT as ACTIONS
from accelerator_automation.upstream.workflow_artifacts import PLAN
from accelerator_portal.catalog.wording import count
from tests.automation.github_double import BOT
from tests.automation.made_up import FORK, left, pull, run
from tests.automation.made_up import archive as packed
from tests.automation.upstream.scene import HOME, NUMBER, UPSTREAM, keep_upload, nested
from tests.automation.upstream.scene import pull_webhook as upstream_pull
from tests.automation.upstream.vendors import finish, jobs_of
from tools.act.session import Scenario, Session, expect
from tools.act.sources import PULL, log, tag

TORCH = "needs torch for the CPU from PyTorch's index and, for some suites, PyTorch's sources"
LONG = "runs the whole test suite for tens of minutes; call its make target instead"

NOT_RUN: Mapping[tuple[str, str], str] = {
    ("checks.yml", "tests"): LONG,
    ("checks.yml", "validation"): TORCH,
    (
        "executorch.yml",
        "validate",
    ): f"{TORCH}; only its condition is tried: without the label, no job runs",
    ("executorch.yml", "merge"): "needs the reports of its job validate",
    ("openreg.yml", "validate"): TORCH,
    ("release.yml", "publish"): "publishes on PyPI with a token that only GitHub's servers issue",
    ("test-quality.yml", "coverage"): LONG,
    ("test-quality.yml", "mutants"): LONG,
    ("validate.yml", "validate"): f"needs the runner of a platform, and {TORCH}",
    ("validate.yml", "merge"): "needs the reports of its job validate",
}
"""The jobs that no scenario runs, by workflow and job, with the reason."""


def _push(_: Session) -> Mapping[str, Any]:
    return {"ref": "refs/heads/main"}


def _release(here: Session) -> Mapping[str, Any]:
    tag(here.source("whole"), "v0.1.0")
    return {"ref": "refs/tags/v0.1.0"}


def _as_workflow(here: Session) -> Mapping[str, Any]:
    here.double.login = ACTIONS
    return {"schedule": "17 3 * * *"}


def _proposed(*labels: str) -> Mapping[str, Any]:
    entry = pull(number=PULL, labels=[{"name": label} for label in labels])
    return {"action": "labeled", "number": PULL, "pull_request": entry}


def _comment_on(here: Session) -> Mapping[str, Any]:
    """Return the event of a completed run of pull-request.yml.

    If no scenario uploaded the run's files, adds made-up ones.
    """
    double = here.double
    double.login = ACTIONS
    found = [one for one in double.artifacts.values() if one["name"] == "difference"]
    if not found:
        made, path = packed(left()), ".github/workflows/pull-request.yml"
        number = keep_upload(double, path, "difference", made, dt.datetime.now(dt.UTC))
        found = [double.artifacts[number]]
    double.records[f"repos/{HOME}/pulls/{PULL}"] = pull()
    double.records[f"repos/{HOME}/pulls/{PULL}/files"] = [
        {"filename": "accelerators/ascend/guide.md"}
    ]
    ended = run(id=found[-1]["run"], head_repository={"full_name": FORK})
    return {"action": "completed", **json.loads(ended.model_dump_json())}


def _upstream(here: Session) -> Mapping[str, Any]:
    here.double.login = BOT
    return dict(json.loads(nested(upstream_pull())))


def _sweep(_: Session) -> Mapping[str, Any]:
    return {"schedule": "19,49 * * * *"}


def _daily(_: Session) -> Mapping[str, Any]:
    return {"inputs": {}}


def _vendor_ended(here: Session) -> Mapping[str, Any]:
    """Finish the vendors' runs of all dispatched events, with a test that fails now.

    Returns the event of the schedule.
    """
    here.double.login = BOT
    for job in jobs_of(here.double.dispatched).values():
        finish(here.double, job, job.report({"good": "failed"}))
    return {"schedule": "11,41 * * * *"}


def _run_here(_: Session) -> Mapping[str, Any]:
    return {"inputs": dict(_OWN_RUN)}


_OWN_RUN: Mapping[str, str] = {
    "run_name": "delivery-1/example",
    "accelerator": "example",
    "device": "ex",
    "runner": '["self-hosted", "example"]',
    "matrix": '{"include": [{"task": "unit", "suites": "operators"}]}',
    "minutes": "60",
    "commit": "a" * 40,
    "pull-request": str(NUMBER),
}


def _commented(here: Session) -> str:
    comments = here.double.comments.get((HOME, PULL), [])
    expect(len(comments) == 1, f"{len(comments)} comments")
    return f"one comment on pull request {PULL}"


def _sent(here: Session) -> str:
    artifacts = [one["name"] for one in here.double.artifacts.values()]
    expect(PLAN in artifacts, "no plan was uploaded")
    (sent,) = here.double.dispatched
    return f"the event was planned, and sent to {sent[0]}"


def _no_new_event(here: Session) -> str:
    return f"{count(len(here.double.dispatched), 'event')} sent in all"


def _day_sent(here: Session) -> str:
    body = here.double.dispatched[-1][1]
    expect(body["client_payload"]["event_type"] == "daily", "no daily event was sent")
    return "the daily event was sent"


def _answered(here: Session) -> str:
    comments = here.double.comments.get((UPSTREAM, NUMBER), [])
    told = any(body["client_payload"].get("pull_request") for _, body in here.double.dispatched)
    expect(len(comments) == int(told), f"{len(comments)} comments")
    return f"{len(comments)} comment on pull request {NUMBER} of {UPSTREAM}"


def _night(here: Session) -> str:
    subjects = log(here.source("example"), "main")
    expect(log(here.source("example"), "archive"), "the archive was not pushed")
    return f"the archive was pushed; the newest commit of main: {subjects[0]}"


def _published(here: Session) -> str:
    artifacts = [one["name"] for one in here.double.artifacts.values()]
    expect("github-pages" in artifacts, "no site was uploaded")
    expect(log(here.source("whole"), "archive"), "the archive was not pushed")
    return "the site was uploaded, and recorded in the archive"


def _uploaded(*names: str) -> Any:  # noqa: ANN401 - a function of the session
    def seen(here: Session) -> str:
        artifacts = {one["name"] for one in here.double.artifacts.values()}
        expect(artifacts >= set(names), f"uploaded: {', '.join(artifacts)}")
        return f"uploaded: {', '.join(names)}"

    return seen


SCENARIOS: tuple[Scenario, ...] = (
    Scenario("upstream-event.yml", ("plan", "send"), "repository_dispatch", _upstream, _sent),
    Scenario("upstream-answer.yml", ("answer",), "schedule", _vendor_ended, _answered),
    Scenario("upstream-event.yml", ("send",), "schedule", _sweep, _no_new_event),
    Scenario("upstream-event.yml", ("plan", "send"), "workflow_dispatch", _daily, _day_sent),
    Scenario("upstream-run.yml", ("run",), "workflow_dispatch", _run_here, inputs=_OWN_RUN),
    Scenario("validate.yml", ("shards",), "workflow_call", _run_here),
    Scenario("trials.yml", ("trials",), "schedule", _as_workflow),
    Scenario("nightly.yml", ("validate", "nightly"), "schedule", _as_workflow, _night),
    Scenario("pages.yml", ("build", "deploy", "record"), "push", _push, _published, portal="whole"),
    Scenario(
        "pull-request.yml",
        ("preview",),
        "pull_request",
        lambda _: _proposed(),
        _uploaded("preview", "difference"),
        portal="whole",
        online=True,
    ),
    Scenario(
        "pull-request-comment.yml",
        ("comment",),
        "workflow_run",
        _comment_on,
        _commented,
        portal="whole",
    ),
    Scenario("executorch.yml", (), "pull_request", lambda _: _proposed("other")),
    Scenario(
        "release.yml",
        ("build", "attest"),
        "push",
        _release,
        _uploaded("dist"),
        only="attest",
        portal="whole",
    ),
    Scenario("checks.yml", ("base",), "push", _push, only="base", portal="whole", online=True),
    Scenario(
        "checks.yml",
        ("checks",),
        "push",
        _push,
        only="checks",
        matrix="part:static",
        portal="whole",
        online=True,
    ),
)
"""The scenarios, in the order in which they run. An answer needs a dispatched event before it, and
a comment needs the run of its pull request."""
