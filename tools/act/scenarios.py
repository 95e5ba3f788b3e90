"""Defines the scenarios of `make act`, and the jobs that it does not run, with the reason."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Mapping
from typing import Any

from accelerator_automation.github.comments import BOT as ACTIONS
from accelerator_automation.upstream.workflow_artifacts import PLAN_FILE
from accelerator_reports.files.wording import count
from tests.automation.github_double import BOT
from tests.automation.made_up import FORK, left, pull, run
from tests.automation.made_up import archive as packed
from tests.automation.upstream.scene import HOME, NUMBER, UPSTREAM, keep_upload, nested
from tests.automation.upstream.scene import pull_webhook as upstream_pull
from tests.automation.upstream.vendors import finish, jobs_of
from tools.act.session import Scenario, Session, expect
from tools.act.sources import PULL_NUMBER, branch_log, push_tag

NEEDS_TORCH = "needs torch for the CPU from PyTorch's index and, for some suites, PyTorch's sources"
TAKES_LONG = "runs the whole test suite for tens of minutes; call its make target instead"

NOT_RUN: Mapping[tuple[str, str], str] = {
    ("checks.yml", "tests"): TAKES_LONG,
    ("checks.yml", "validation"): NEEDS_TORCH,
    (
        "executorch.yml",
        "validate",
    ): f"{NEEDS_TORCH}; only its condition is tried: without the label, no job runs",
    ("executorch.yml", "merge"): "needs the reports of its job validate",
    ("openreg.yml", "validate"): NEEDS_TORCH,
    ("release.yml", "publish"): "publishes on PyPI with a token that only GitHub's servers issue",
    ("test-quality.yml", "coverage"): TAKES_LONG,
    ("validate.yml", "validate"): f"needs the runner of a platform, and {NEEDS_TORCH}",
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


def _push_event(_: Session) -> Mapping[str, Any]:
    return {"ref": "refs/heads/main"}


def _release_event(here: Session) -> Mapping[str, Any]:
    push_tag(here.source("whole"), "v0.1.0")
    return {"ref": "refs/tags/v0.1.0"}


def _schedule_event(here: Session) -> Mapping[str, Any]:
    here.double.login = ACTIONS
    return {"schedule": "17 3 * * *"}


def _pull_request_event(*labels: str) -> Mapping[str, Any]:
    entry = pull(number=PULL_NUMBER, labels=[{"name": label} for label in labels])
    return {"action": "labeled", "number": PULL_NUMBER, "pull_request": entry}


def _completed_run_event(here: Session) -> Mapping[str, Any]:
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
    double.records[f"repos/{HOME}/pulls/{PULL_NUMBER}"] = pull()
    double.records[f"repos/{HOME}/pulls/{PULL_NUMBER}/files"] = [
        {"filename": "accelerators/ascend/guide.md"}
    ]
    ended = run(id=found[-1]["run"], head_repository={"full_name": FORK})
    return {"action": "completed", **json.loads(ended.model_dump_json())}


def _upstream_event(here: Session) -> Mapping[str, Any]:
    here.double.login = BOT
    return dict(json.loads(nested(upstream_pull())))


def _sweep_event(_: Session) -> Mapping[str, Any]:
    return {"schedule": "19,49 * * * *"}


def _daily_event(_: Session) -> Mapping[str, Any]:
    return {"inputs": {}}


def _answer_event(here: Session) -> Mapping[str, Any]:
    """Finish the vendors' runs of all dispatched events, with a test that fails now.

    Returns the event of the schedule.
    """
    here.double.login = BOT
    for job in jobs_of(here.double.dispatched).values():
        finish(here.double, job, job.report({"good": "failed"}))
    return {"schedule": "11,41 * * * *"}


def _own_run_event(_: Session) -> Mapping[str, Any]:
    return {"inputs": dict(_OWN_RUN_INPUTS)}


def _expect_comment(here: Session) -> str:
    comments = here.double.comments.get((HOME, PULL_NUMBER), [])
    expect(len(comments) == 1, f"{len(comments)} comments")
    return f"one comment on pull request {PULL_NUMBER}"


def _expect_sent_event(here: Session) -> str:
    artifacts = [one["name"] for one in here.double.artifacts.values()]
    expect(PLAN_FILE in artifacts, "no plan was uploaded")
    sent = [repository for repository, _ in here.double.dispatched]
    expect(len(sent) == 1, f"{count(len(sent), 'event')} sent")
    return f"the event was planned, and sent to {sent[0]}"


def _count_sent_events(here: Session) -> str:
    return f"{count(len(here.double.dispatched), 'event')} sent in all"


def _expect_daily_event(here: Session) -> str:
    kinds = [body["client_payload"]["event_type"] for _, body in here.double.dispatched]
    expect(kinds[-1:] == ["daily"], "no daily event was sent")
    return "the daily event was sent"


def _expect_answer(here: Session) -> str:
    comments = here.double.comments.get((UPSTREAM, NUMBER), [])
    told = any(body["client_payload"].get("pull_request") for _, body in here.double.dispatched)
    expect(len(comments) == int(told), f"{len(comments)} comments")
    return f"{len(comments)} comment on pull request {NUMBER} of {UPSTREAM}"


def _expect_nightly_push(here: Session) -> str:
    subjects = branch_log(here.source("example"), "main")
    expect(branch_log(here.source("example"), "archive"), "the archive was not pushed")
    return f"the archive was pushed; the newest commit of main: {subjects[0]}"


def _expect_published_site(here: Session) -> str:
    artifacts = [one["name"] for one in here.double.artifacts.values()]
    expect("github-pages" in artifacts, "no site was uploaded")
    expect(branch_log(here.source("whole"), "archive"), "the archive was not pushed")
    return "the site was uploaded, and recorded in the archive"


def _expect_uploads(*names: str) -> Any:  # noqa: ANN401 - a function of the session
    def seen(here: Session) -> str:
        artifacts = {one["name"] for one in here.double.artifacts.values()}
        expect(artifacts >= set(names), f"uploaded: {', '.join(artifacts)}")
        return f"uploaded: {', '.join(names)}"

    return seen


SCENARIOS: tuple[Scenario, ...] = (
    Scenario(
        "upstream-event.yml",
        ("plan", "send"),
        "repository_dispatch",
        _upstream_event,
        _expect_sent_event,
    ),
    Scenario("upstream-answer.yml", ("answer",), "schedule", _answer_event, _expect_answer),
    Scenario("upstream-event.yml", ("send",), "schedule", _sweep_event, _count_sent_events),
    Scenario(
        "upstream-event.yml",
        ("plan", "send"),
        "workflow_dispatch",
        _daily_event,
        _expect_daily_event,
    ),
    Scenario(
        "upstream-run.yml", ("run",), "workflow_dispatch", _own_run_event, inputs=_OWN_RUN_INPUTS
    ),
    Scenario("validate.yml", ("shards",), "workflow_call", _own_run_event),
    Scenario("trials.yml", ("trials",), "schedule", _schedule_event),
    Scenario(
        "nightly.yml", ("validate", "nightly"), "schedule", _schedule_event, _expect_nightly_push
    ),
    Scenario(
        "pages.yml",
        ("build", "deploy", "record"),
        "push",
        _push_event,
        _expect_published_site,
        portal="whole",
    ),
    Scenario(
        "pull-request.yml",
        ("preview",),
        "pull_request",
        lambda _: _pull_request_event(),
        _expect_uploads("preview", "difference"),
        portal="whole",
        online=True,
    ),
    Scenario(
        "pull-request-comment.yml",
        ("comment",),
        "workflow_run",
        _completed_run_event,
        _expect_comment,
        portal="whole",
    ),
    Scenario("executorch.yml", (), "pull_request", lambda _: _pull_request_event("other")),
    Scenario(
        "release.yml",
        ("build", "attest"),
        "push",
        _release_event,
        _expect_uploads("dist"),
        only="attest",
        portal="whole",
    ),
    Scenario(
        "checks.yml", ("harness",), "push", _push_event, only="harness", portal="whole", online=True
    ),
    Scenario(
        "checks.yml",
        ("checks",),
        "push",
        _push_event,
        only="checks",
        matrix="part:static",
        portal="whole",
        online=True,
    ),
)
"""The scenarios, in the order in which they run. An answer needs a dispatched event before it, and
a comment needs the run of its pull request."""
