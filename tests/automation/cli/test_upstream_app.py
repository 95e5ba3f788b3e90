"""What the commands say and do where the GitHub App may not be used."""

from __future__ import annotations

import pytest

from tests.automation.cli.upstream_stage import Stage, stage
from tests.automation.github_apps import new_key, private_key
from tests.automation.upstream.scene import NUMBER, UPSTREAM, nested, pull_webhook
from tests.automation.upstream.test_check_runs import RELAY
from tests.folders import write_tree

__all__ = ["stage"]


def test_the_app_takes_the_same_path_and_its_tokens_are_nowhere(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_tree(stage.root, RELAY)
    pull = stage.double.records[f"repos/{UPSTREAM}/pulls/{NUMBER}"]
    pull["labels"] = [{"name": "ciflow/crcr/ex_ample"}]
    stage.plan(nested(pull_webhook()))
    monkeypatch.delenv("GH_TOKEN")
    done = [stage.dispatch()]
    told = [stage.summary]
    stage.vendor_answers({"good": "wrong-result", "bad": "failed"})
    for _ in range(2):
        done.append(stage.answer())
        told.append(stage.summary)
    assert [one.exit_code for one in done] == [0, 0, 0], told
    assert len(stage.comments) == 1
    assert len(stage.double.check_runs[UPSTREAM]) == 1
    assert [body["permissions"] for _, body in stage.app.minted] == [
        {"contents": "write"},
        {"actions": "read"},
        {"pull_requests": "write"},
        {"checks": "write"},
    ]
    secrets = [secret.encode() for secret in (*stage.app.grants, private_key()[40:80])]
    written = [file.read_bytes() for file in stage.folder.rglob("*") if file.is_file()]
    written += [text.encode() for text in (*told, *(one.output for one in done))]
    assert not [secret for secret in secrets for text in written if secret in text]


def test_a_vendor_without_the_app_is_told_about_and_can_be_sent_later(stage: Stage) -> None:
    stage.plan(nested(pull_webhook()))
    vendor = stage.app.installed.pop("vendor")
    done = stage.dispatch()
    assert (done.exit_code, done.output) == (1, "")
    assert stage.summary == (
        "# Events sent to 0 of 1 platforms\n\n- **failed** `example`: `vendor/plugin: the GitHub App is not "
        "installed at vendor. Ask an owner of vendor to install it for plugin: "
        "https://github.com/apps/portal`\n- Dispatches that wait for the next round: 1\n"
    )
    stage.app.installed["vendor"] = vendor
    assert stage.dispatch().exit_code == 0
    assert len(stage.double.dispatched) == 1


def test_a_round_of_answers_says_where_the_app_is_missing_and_goes_on(stage: Stage) -> None:
    stage.answer_pull_request({"good": "failed"})
    vendor, upstream = (stage.app.installed.pop(owner) for owner in ("vendor", "pytorch"))
    assert stage.answer().exit_code == 1
    assert "**not checked** `vendor/plugin: the GitHub App is not installed at v" in stage.summary
    stage.app.installed["vendor"] = vendor
    assert stage.answer().exit_code == 1
    assert (
        "`Pull request 7 could not be answered: pytorch/pytorch: the GitHub App is not installed "
        "at pytorch. Ask an owner of pytorch to install it for pytorch: https://github.com/apps/"
    ) in stage.summary
    stage.app.installed["pytorch"] = upstream
    assert stage.answer().exit_code == 0
    assert len(stage.comments) == 1


@pytest.mark.parametrize("command", ["dispatch", "answer"])
def test_a_key_that_github_refuses_is_one_line(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    monkeypatch.setenv("UPSTREAM_APP_KEY", new_key())
    done = getattr(stage, command)()
    words = "UPSTREAM_APP_ID and UPSTREAM_APP_KEY: GitHub doesn't accept the App (app: A JSON web "
    assert done.exit_code == 1
    assert done.output.startswith(f"Error: {words}")
    assert done.output.count("\n") == 1
    assert stage.app.minted == []
