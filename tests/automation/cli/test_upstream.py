"""The commands one after the other, as the workflows call them, on a GitHub that is made up."""

from __future__ import annotations

import datetime as dt
import json

import pytest
from click.testing import CliRunner

from accelerator_automation.upstream.delivery import Ledger
from accelerator_reports.cli import main
from accelerator_reports.files.clock import DATE_VARIABLE
from tests.automation.cli.upstream_stage import Stage, stage
from tests.automation.github_double import Fault
from tests.automation.upstream import scene
from tests.automation.upstream.scene import (
    DELIVERY,
    HEAD,
    HOME,
    NUMBER,
    SECTION,
    UPSTREAM,
    VENDOR,
    nested,
    packed,
    portal,
    pull_webhook,
    report,
)
from tests.folders import write_tree

__all__ = ["stage"]

RUNNER = SECTION.replace(
    "{dispatch: {repository: vendor/plugin, event_type: pytorch-event}}",
    "{runner: [self-hosted, ex]}",
)


def test_a_pull_request_that_breaks_a_backend_is_told_so_once(stage: Stage) -> None:
    assert stage.plan(nested(pull_webhook())).exit_code == 0
    assert "- `example`: unit, models; dispatch, within 4 hours\n" in stage.summary
    assert stage.dispatch().exit_code == 0
    ((place, body),) = stage.double.dispatched
    assert (place, body["event_type"]) == (VENDOR, "pytorch-event")

    assert stage.answer().exit_code == 0
    assert stage.summary.startswith("# Answers\n\n- `example`, Pull request 7 of `pytorch/pytorch`")
    assert ": waiting `there is no run with the title" in stage.summary
    assert stage.comments == []

    stage.vendor_answers({"good": "wrong-result", "bad": "failed"})
    assert stage.answer().exit_code == 0
    assert "`A comment on pull request 7 was posted.`" in stage.summary
    assert "1 new failure, 1 already failing" in stage.summary
    (text,) = stage.comments
    assert "- `made-up/good` wrong-result" in text
    assert "made-up/bad" not in text
    assert "Contact: `owner`." in text

    assert stage.answer().exit_code == 0
    assert stage.summary == "# Answers\n\nNo outstanding reports.\n"
    assert stage.comments == [text]


def test_a_pull_request_that_breaks_nothing_hears_so(stage: Stage) -> None:
    stage.answer_pull_request({"good": "passed", "bad": "crashed"})
    assert stage.answer().exit_code == 0
    (text,) = stage.comments
    assert "1 passed, 1 failing otherwise" in text


def test_a_label_on_the_same_commit_is_no_new_run_and_a_question_again_is(stage: Stage) -> None:
    stage.plan(nested(pull_webhook()))
    stage.dispatch()
    for action, told in (("reopened", 1), ("rerequested", 2)):
        if action == "reopened":
            event = nested(pull_webhook(action)).replace(DELIVERY.encode(), b"another-delivery")
        else:
            check = {
                "name": "accelerators/example",
                "head_sha": HEAD,
                "pull_requests": [{"number": NUMBER}],
            }
            webhook = {"action": action, "check_run": check}
            webhook["repository"] = {"full_name": UPSTREAM}
            event = nested(webhook, "check_run").replace(DELIVERY.encode(), b"a-third-delivery")
        assert stage.plan(event).exit_code == 0
        assert stage.dispatch().exit_code == 0
        assert len(stage.double.dispatched) == told
    stage.vendor_answers({"good": "failed"})
    assert stage.answer().exit_code == 0
    assert len(stage.comments) == 1


def test_a_history_that_is_broken_is_no_base_and_is_said(stage: Stage) -> None:
    stage.answer_pull_request({"good": "failed"})
    (stage.root / "data/history/example.sha256").write_text("{}", "utf-8")
    assert stage.answer().exit_code == 0
    assert "The history of example cannot be read: data/history/example.sha256:1: " in stage.summary
    assert "base: none, so there is nothing to compare with" in stage.summary
    (text,) = stage.comments
    assert "No new failures found; platforms without a base have nothing to compare with." in text
    assert "1 failing otherwise, no base" in text


def test_who_could_not_be_told_is_told_when_the_job_runs_again(stage: Stage) -> None:
    stage.plan(nested(pull_webhook()))
    stage.double.faults = [Fault("POST .*dispatches", 404, "Not Found")]
    assert stage.dispatch().exit_code == 1
    assert (
        "# Events sent to 0 of 1 platforms\n\n"
        "- **failed** `example`: `repos/vendor/plugin/dispatches: Not Found (HTTP 404)`\n"
    ) in stage.summary
    assert stage.dispatch().exit_code == 0
    assert len(stage.double.dispatched) == 1


def test_a_comment_that_could_not_be_posted_is_posted_in_the_next_round(stage: Stage) -> None:
    stage.answer_pull_request({"good": "failed"})
    stage.double.faults = [Fault("POST .*comments", 403, "Forbidden for now")]
    assert stage.answer().exit_code == 1
    assert "could not be answered: " in stage.summary
    assert stage.comments == []
    assert stage.answer().exit_code == 0
    assert len(stage.comments) == 1


@pytest.mark.parametrize(
    ("event", "words"),
    [
        (
            nested(pull_webhook(repository={"full_name": "evil/pytorch"})),
            "unknown repository: the event is from evil/pytorch, not from pytorch/pytorch",
        ),
        (b"{}", "client_payload doesn't match GitHub's event format"),
    ],
)
def test_what_is_refused_is_said_by_name_and_nothing_is_planned(
    stage: Stage, event: bytes, words: str
) -> None:
    done = stage.plan(event)
    assert (done.exit_code, done.output) == (1, f"Error: {words}\n")
    assert stage.summary == f"**No tests were started.** `{words}`\n"
    assert not stage.file("plan.json").exists()


@pytest.mark.parametrize("command", ["sweep", "answer"])
def test_only_commands_that_start_tests_say_that_none_were_started(
    stage: Stage, command: str
) -> None:
    stage.double.faults = [Fault(f"GET repos/{HOME}/actions", 403, "Forbidden", times=9)]
    done = stage.answer() if command == "answer" else stage.run(command)
    assert done.exit_code == 1
    assert stage.summary.startswith("**Error:** `repos/")


def test_an_event_of_an_older_commit_is_out_of_order(stage: Stage) -> None:
    stage.double.records[f"repos/{UPSTREAM}/pulls/{NUMBER}"]["head"]["sha"] = "d" * 40
    done = stage.plan(nested(pull_webhook()))
    assert done.exit_code == 1
    assert "out of order: pull request 7 has a newer commit" in stage.summary


def test_what_nobody_asks_for_makes_no_plan(stage: Stage) -> None:
    done = stage.plan(nested(pull_webhook("edited")))
    assert done.exit_code == 0
    assert stage.summary == "No tests are started for a pull request that is edited.\n"
    assert not stage.file("plan.json").exists()


def test_a_day_takes_the_same_path_without_a_pull_request(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage.double.records[f"repos/{UPSTREAM}/commits/main"] = {"sha": HEAD}
    assert stage.plan(b"{}", "--periodic", "daily").exit_code == 0
    stage.dispatch()
    ((_, body),) = stage.double.dispatched
    payload = body["client_payload"]
    assert (payload["event_type"], payload["sha"], "pull_request" in payload) == (
        "daily",
        HEAD,
        False,
    )
    now = dt.datetime.now(dt.UTC)
    run = scene.add_run(stage.double, payload["run_name"], created_at=f"{now:%Y-%m-%dT%H:%M:%SZ}")
    made = report({"good": "failed"}, started=now, finished=now, trigger={"kind": "periodic"})
    stage.double.add_artifact(VENDOR, run, "accelerator-report", packed(made))
    assert stage.answer("--keep").exit_code == 0
    assert "`Stored the report of example.`" in stage.summary
    kept = stage.root / "accelerators/example/results/upstream-main.json"
    assert json.loads(kept.read_text("utf-8"))["tests"][0]["name"] == "good"
    monkeypatch.delenv(DATE_VARIABLE)  # the report is of this moment, not of the tests' day
    assert CliRunner().invoke(main, ["check", "--root", str(stage.root)]).exit_code == 0
    assert stage.comments == []


def test_a_runner_of_this_repository_answers_like_everybody_else(stage: Stage) -> None:
    write_tree(stage.root, portal(RUNNER))
    stage.plan(nested(pull_webhook()))
    assert stage.dispatch().exit_code == 0
    ((place, body),) = stage.double.dispatched
    assert place == f"{HOME}/upstream-run.yml"
    now = f"{dt.datetime.now(dt.UTC):%Y-%m-%dT%H:%M:%SZ}"
    run = scene.add_run(
        stage.double,
        body["inputs"]["run_name"],
        repository=HOME,
        head_repository={"full_name": HOME},
        event="workflow_dispatch",
        path=".github/workflows/upstream-run.yml",
        created_at=now,
    )
    today = dt.datetime.now(dt.UTC)
    made = packed(report({"good": "failed"}, started=today, finished=today))
    stage.double.add_artifact(HOME, run, "accelerator-report-unit", made)
    assert stage.answer().exit_code == 0
    assert len(stage.comments) == 1


def test_where_a_platform_answers_is_its_folder_s_word_alone(stage: Stage) -> None:
    """A plan that was made earlier would else send the portal to another repository's report."""
    stage.plan(nested(pull_webhook()))
    stage.dispatch()
    assert "vendor/plugin" not in stage.file("sent.json").read_text("utf-8")
    stage.vendor_answers({"good": "passed"})
    assert stage.answer().exit_code == 0
    assert stage.double.said("GET", "^repos/vendor/plugin/")


def test_github_that_does_not_answer_loses_nothing(stage: Stage) -> None:
    stage.answer_pull_request({"good": "failed"})
    stage.double.faults = [Fault("GET repos/vendor/plugin", 403, "Forbidden", times=9)]
    assert stage.answer().exit_code == 1
    assert "**not checked** `repos/vendor/plugin/actions/runs" in stage.summary
    ledger = Ledger.model_validate_json(stage.file("ledger.json").read_bytes())
    assert [one.state for one in ledger.deliveries] == [None]
    stage.double.faults = []
    assert stage.answer().exit_code == 0
    assert len(stage.comments) == 1


def test_a_plan_that_is_none_is_passed_over(stage: Stage) -> None:
    stage.file("plan.json").write_text("{}", "utf-8")
    stage.keep("upstream-plan", stage.file("plan.json"))
    assert stage.dispatch().exit_code == 0
    assert stage.summary == "# Events sent to 0 of 0 platforms\n"


def test_a_failed_event_is_started_again(stage: Stage) -> None:
    stage.double.runs[HOME] = [
        {
            "id": 9,
            "path": ".github/workflows/upstream-event.yml",
            "conclusion": "failure",
            "created_at": f"{dt.datetime.now(dt.UTC):%Y-%m-%dT%H:%M:%SZ}",
        }
    ]
    assert stage.run("sweep").exit_code == 0
    assert stage.summary == "# Started 1 failed run again\n\n- run 9\n"
    assert stage.double.runs[HOME][0]["run_attempt"] == 2
    assert stage.run("sweep").exit_code == 0
    assert stage.summary == "# Started 0 failed runs again\n"


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"state": "closed"}, "out of order: pull request 7 is already closed"),
        ({"labels": []}, "the pull request has none of the platform's labels"),
        ({"author_association": "NONE"}, "a member of PyTorch requests changes"),
    ],
)
def test_what_changes_between_plan_and_dispatch_cancels_it(
    stage: Stage, changed: dict[str, object], reason: str
) -> None:
    """The plan of a closed pull request has no platform, so it replaces nothing that waits."""
    write_tree(stage.root, portal(SECTION.replace("  tasks:", "  labels: [ex]\n  tasks:")))
    pull = stage.double.records[f"repos/{UPSTREAM}/pulls/{NUMBER}"]
    pull["labels"] = [{"name": "ex"}]
    stage.double.records[f"repos/{UPSTREAM}/pulls/{NUMBER}/reviews"] = [
        {
            "user": {"login": "maintainer", "type": "User"},
            "state": "CHANGES_REQUESTED",
            "author_association": "MEMBER",
        }
    ]
    stage.plan(nested(pull_webhook()))
    pull |= changed
    assert stage.dispatch().exit_code == 0
    assert stage.double.dispatched == []
    assert f"1 unsent dispatches are canceled: {reason}.`" in stage.summary
