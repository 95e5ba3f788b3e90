from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from accelerator_reports.cli import main
from tests.automation.upstream.scene import DELIVERY, HEAD, nested, pull_webhook, report
from tests.automation.upstream.test_callback import HERE


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A report, and the event that the relay sent."""
    (tmp_path / "event.json").write_bytes(nested(pull_webhook()))
    (tmp_path / "report.json").write_text(report({"a": "passed"}).model_dump_json(), "utf-8")
    for name, value in HERE.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("GITHUB_EVENT_PATH", str(tmp_path / "event.json"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*words: str) -> Result:
    """The command."""
    return CliRunner().invoke(main, ["upstream", "callback", *words])


@pytest.mark.usefixtures("folder")
def test_a_job_sends_in_progress_and_then_completed() -> None:
    started = json.loads(run("--status", "in_progress", "--job-name", "test-fp16").output)
    assert (started["delivery_id"], started["workflow"]["job_name"]) == (DELIVERY, "test-fp16")
    done = json.loads(run("report.json", "--status", "completed", "--check-run", "9").output)
    assert (done["workflow"]["conclusion"], done["workflow"]["check_run_id"]) == ("success", "9")
    assert done["workflow"]["test_results"] == {"passed": 1, "failed": 0, "skipped": 0}


@pytest.mark.usefixtures("folder")
def test_a_run_without_a_report_says_how_it_ended() -> None:
    done = json.loads(run("--conclusion", "timed_out").output)
    assert done["workflow"]["conclusion"] == "timed_out"
    nightly = json.loads(run("--nightly", "--commit", HEAD, "--conclusion", "cancelled").output)
    assert (nightly["delivery_id"], nightly["workflow"]["conclusion"]) == (HEAD, "cancelled")
    refused = run("--status", "in_progress", "--conclusion", "failure")
    assert "Remove --conclusion" in refused.output
    assert refused.exit_code == 2
    assert run().exit_code == 2  # neither a report nor a conclusion


def test_a_nightly_run_takes_the_commit_from_the_report_or_the_option(folder: Path) -> None:
    built = report({"a": "passed"}, environment={"torch": "2.14.0", "torch_commit": HEAD})
    (folder / "built.json").write_text(built.model_dump_json(), "utf-8")
    from_report = json.loads(run("built.json", "--nightly").output)
    from_option = json.loads(run("report.json", "--nightly", "--commit", HEAD).output)
    assert {found["delivery_id"] for found in (from_report, from_option)} == {HEAD}
    refused = run("report.json", "--nightly")
    assert refused.exit_code == 1
    what = "--nightly needs PyTorch's commit with 40 digits, and none is given. Pass it with"
    assert refused.output.startswith(f"Error: {what}")
    refused = run("report.json", "--nightly", "--commit", "main")
    assert '40 digits, and "main" is no such commit. Pass it with --commit' in refused.output


@pytest.mark.parametrize(
    ("stated", "place"),
    [
        ({"environment": {"torch": "2.14.0", "torch_commit": "b" * 7}}, "environment.torch_commit"),
        (
            {
                "trigger": {
                    "kind": "nightly",
                    "repository": "pytorch/pytorch",
                    "commit": "b" * 7,
                }
            },
            "trigger.commit",
        ),
    ],
)
def test_a_commit_that_the_report_contradicts_is_refused(
    folder: Path, stated: dict[str, object], place: str
) -> None:
    (folder / "other.json").write_text(report({"a": "passed"}, **stated).model_dump_json(), "utf-8")
    refused = run("other.json", "--nightly", "--commit", HEAD)
    assert refused.exit_code == 2
    assert f"the commit is {HEAD}, but {place} in the report is {'b' * 7}." in refused.output
    same = run("other.json", "--nightly", "--commit", "b" * 40)
    assert same.exit_code == 0, same.output


@pytest.mark.parametrize(
    ("words", "event", "error"),
    [
        ([], "x", "the event is not a JSON object. Pass the file of the repository_dispatch"),
        ([], "{}", "client_payload in the event is not in the relay's format. Pass the"),
        (["--check-run", "x"], "{}", "--check-run is missing or not valid. Pass the number in"),
        (["--artifact", "x"], "{}", "--artifact is missing or not valid. Pass an address that"),
    ],
)
def test_an_error_names_the_place_and_the_fix(
    words: list[str], event: str, error: str, folder: Path
) -> None:
    (folder / "event.json").write_text(event, "utf-8")
    done = run("report.json", *words)
    assert done.exit_code == 1
    assert done.output.startswith(f"Error: {error}")
    assert len(done.output.splitlines()) == 1


@pytest.mark.usefixtures("folder")
def test_the_counts_alone_need_no_event(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GITHUB_EVENT_PATH")
    found = run("report.json", "--test-results")
    assert found.output == '{"passed": 1, "failed": 0, "skipped": 0}\n'


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--status", "completed"], "no report given. Pass the file"),
        (["--test-results"], "no report given. Pass the file"),
        (["report.json", "--commit", HEAD], "Remove --commit, or add --nightly"),
        (["--status", "in_progress", "--nightly"], "--nightly can't send in_progress"),
    ],
)
def test_a_wrong_call_gets_one_message(words: list[str], message: str) -> None:
    done = run(*words)
    assert (done.exit_code, message in done.output) == (2, True)


@pytest.mark.usefixtures("folder")
def test_without_an_event_the_message_names_both_ways(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GITHUB_EVENT_PATH")
    assert "Pass its file with --event, or use --nightly" in run("report.json").output
