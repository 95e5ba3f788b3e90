from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from accelerator_reports.cli import main
from tests.automation.github_double import serve
from tests.automation.made_up import run
from tests.folders import EXAMPLE, Tree


def comment(root: Path, event: str) -> Result:
    file = root / "event.json"
    file.write_text(event, "utf-8")
    arguments = ["pull-request-comment", "--root", str(root), "--event", str(file)]
    return CliRunner().invoke(main, arguments)


def test_a_run_that_was_for_no_pull_request_is_passed_over(
    tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GH_TOKEN", "any")
    done = comment(tree(EXAMPLE), run(event="push").model_dump_json())
    assert (done.exit_code, done.output) == (
        0,
        "No comment needed for a run of push that ended as success.\n",
    )


def test_githubs_refusal_is_one_line(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GH_TOKEN", "a-wrong-token")
    with serve() as double:
        monkeypatch.setenv("GITHUB_API_URL", double.home)
        done = comment(tree(EXAMPLE), run().model_dump_json())
    assert done.exit_code == 1
    assert done.output.endswith("artifacts?per_page=100: Bad credentials (HTTP 401)\n")


def test_without_a_token_that_is_said(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GH_TOKEN", raising=False)
    done = comment(tree(EXAMPLE), run().model_dump_json())
    assert (done.exit_code, done.output) == (
        1,
        "Error: GH_TOKEN is empty. Set it to a GitHub token\n",
    )


@pytest.mark.parametrize("text", ["", "{}", json.dumps({"workflow_run": {"head_sha": "x; y"}})])
def test_another_event_is_refused(tree: Tree, text: str) -> None:
    done = comment(tree(EXAMPLE), text)
    assert done.exit_code == 1
    assert "a workflow_run event" in done.output
