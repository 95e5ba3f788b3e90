from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from accelerator_reports.report import OperatorCoverage
from accelerator_reports.report_file import read_report
from accelerator_validation.journal import read_journal
from accelerator_validation.journal_heading import ON_CPU
from accelerator_validation.plan import RunError
from accelerator_validation.probe import ProbeResult
from accelerator_validation.request import ShardRequest
from accelerator_validation.run import begin_run
from accelerator_validation.sharding import apply_sharding
from tests.folders import REPOSITORY
from tests.portal.results.made_up import known_failure
from tests.validation.runs import TORCH, go_on, matrix, plan, request, run

PROGRAM = """
import signal, sys
from pathlib import Path
from tests.validation.runs import request, run
# A job in the background of a shell inherits that SIGINT is ignored.
for one in (signal.SIGINT, signal.SIGTERM):
    signal.signal(one, signal.default_int_handler)
names = ["passed-1", "passed-2", "hang-1", "passed-3"]
done = run(request(Path(sys.argv[1])), names)
sys.exit(done.exit_code)
"""


def started(folder: Path) -> subprocess.Popen[bytes]:
    """Start a run that hangs in its third test, in a process of its own, and wait for that test."""
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
    process = subprocess.Popen([sys.executable, "-c", PROGRAM, str(folder)], env=environment)
    journal = folder / "report.journal.jsonl"
    for _ in range(2400):
        if journal.exists() and '"begin", "case": "made-up/hang-1"' in journal.read_text("utf-8"):
            return process
        time.sleep(0.05)
    process.kill()
    pytest.fail("the test that hangs never began")


def outcomes(folder: Path) -> list[str]:
    return [test.outcome for test in read_report(folder / "report.json").tests]


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_an_interruption_leaves_a_report_of_what_was_run(tmp_path: Path, sent: int) -> None:
    process = started(tmp_path)
    process.send_signal(sent)
    assert process.wait(120) == 130
    assert outcomes(tmp_path) == ["passed", "passed", "not-run", "not-run"]
    third = read_report(tmp_path / "report.json").tests[2]
    assert third.reason == "The test had started. The run was interrupted."


def test_a_killed_run_leaves_a_plan_and_can_be_gone_on_with(tmp_path: Path) -> None:
    process = started(tmp_path)
    process.kill()
    process.wait(120)
    assert outcomes(tmp_path) == ["not-run"] * 4  # written before anything ran, and readable
    kept = read_journal(tmp_path / "report.journal.jsonl")
    assert [result.outcome for result in kept.results.values()] == ["passed", "passed"]
    assert kept.open == {"made-up/hang-1"}
    names = ["passed-1", "passed-2", "hang-1", "passed-3"]
    go_on(request(tmp_path), names, timeout_s=3)
    assert outcomes(tmp_path) == ["passed", "passed", "timed-out", "passed"]


def test_going_on_with_another_backend_of_executorch_is_refused(tmp_path: Path) -> None:
    run(request(tmp_path), ["passed-1"])
    other = ProbeResult({"torch": "2.13.0", "backend": {"name": "MadeUp", "version": "3"}})
    with pytest.raises(RunError, match="started with backend None, but now it is"):
        go_on(request(tmp_path), ["passed-1"], other)


def test_going_on_with_another_torch_is_refused(tmp_path: Path) -> None:
    run(request(tmp_path), ["passed-1"])
    with pytest.raises(RunError, match=r"started with torch 2\.13\.0, but now it is 2\.14\.0"):
        go_on(request(tmp_path), ["passed-1"], ProbeResult({"torch": "2.14.0"}))


def test_a_device_whose_name_no_report_may_hold_is_told(tmp_path: Path) -> None:
    marks = tmp_path / "marks"
    asked = request(tmp_path, device=str(marks))
    probed = ProbeResult({"torch": "2.13.0", "hardware": "Card\x1b[31m"})
    with pytest.raises(RunError, match=r"environment\.hardware: .*the character U\+001B"):
        run(asked, ["marked-1"], probed=probed)
    assert not marks.exists()


def test_going_on_from_a_journal_that_somebody_changed_is_refused(tmp_path: Path) -> None:
    asked = request(tmp_path)
    run(asked, ["passed-1"])
    journal = asked.journal.read_text("utf-8")
    assert '"kind": "self-reported"' in journal
    asked.journal.write_text(journal.replace('"self-reported"', '"\\u001b"', 1), "utf-8")
    with pytest.raises(RunError, match="kind: ") as told:
        go_on(asked, ["passed-1"])
    assert str(told.value).isprintable()


def test_going_on_without_a_journal_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RunError, match=r"cannot be read.*Start a new run"):
        go_on(request(tmp_path), ["passed-1"])


def test_going_on_runs_only_what_is_left(tmp_path: Path) -> None:
    marks = tmp_path / "marks"
    asked = request(tmp_path, device=str(marks))
    run(asked, ["marked-1", "marked-2"])
    journal = asked.journal.read_text("utf-8").splitlines()
    cut = [line for line in journal if '"end"' not in line or "marked-1" in line]
    asked.journal.write_text("\n".join([*cut, '{"record": "end", "cas']), "utf-8")
    done = go_on(asked, ["marked-1", "marked-2"])
    assert [test.outcome for test in done.report.tests] == ["passed", "passed"]
    assert marks.read_text("utf-8").split() == ["marked-1", "marked-2", "marked-2"]


def test_a_path_that_cannot_be_written_is_told_before_anything_runs(tmp_path: Path) -> None:
    marks = tmp_path / "marks"
    (tmp_path / "file").write_text("", "utf-8")
    asked = request(tmp_path / "file", device=str(marks))
    with pytest.raises(RunError, match="cannot be written"):
        run(asked, ["marked-1"])
    assert not marks.exists()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_full_disk_is_told_and_no_success(tmp_path: Path) -> None:
    asked = request(tmp_path)
    asked.journal.symlink_to("/dev/full")
    with pytest.raises(RunError, match="No space left"):
        run(asked, ["passed-1"])
    assert outcomes(tmp_path) == ["not-run"]


def test_the_operators_of_what_passed_are_counted_also_after_a_resumption(tmp_path: Path) -> None:
    probed = ProbeResult(
        {"torch": "2.13.0"}, aten={"registered": 9, "core": ["of_passed_1", "other"]}
    )
    names = ["passed-1", "wrong-1", "passed-2"]
    done = begin_run(
        request(tmp_path), {"made-up": matrix(names)}, plan(names), probed, lambda *_: None
    )
    (suite,) = done.report.suites
    assert suite.operators == OperatorCoverage(
        covered=("of_passed_1", "of_passed_2"), registered=9, core=2, core_missing=("other",)
    )
    assert suite.operators.core_covered == 1
    assert go_on(request(tmp_path), names, probed).report.suites == done.report.suites
    assert run(request(tmp_path), ["wrong-1"]).report.suites[0].operators is None


def test_known_issues_skip_tests_or_excuse_their_failure(tmp_path: Path) -> None:
    names = ["crash-1", "wrong-1", "passed-1"]
    issues = [
        known_failure(test="made-up/crash-1", action="skip"),
        known_failure(test="made-up/wrong-1"),
    ]
    made = plan(names, issues)
    done = begin_run(request(tmp_path), {"made-up": matrix(names)}, made, TORCH, lambda *_: None)
    skipped, expected, _ = done.report.tests
    assert (skipped.outcome, skipped.reason) == ("skipped", "It breaks.")
    assert (expected.outcome, str(expected.known_issue.url if expected.known_issue else "")) == (
        "wrong-result",
        "https://example.org/1",
    )
    assert done.is_successful


def test_a_cpu_with_an_index_is_tested_against_itself(tmp_path: Path) -> None:
    report = run(request(tmp_path, device="cpu:0"), ["passed-1"]).report
    assert ON_CPU in (report.note or "")


def test_a_run_in_which_nothing_ran_is_no_success(tmp_path: Path) -> None:
    assert run(request(tmp_path), ["skip-1", "skip-2"]).exit_code == 2
    assert run(request(tmp_path), ["skip-1", "broken-1"]).exit_code == 1
    assert run(request(tmp_path), ["skip-1", "passed-1"]).exit_code == 0


def test_a_device_that_does_not_come_up_leaves_a_report_that_says_so(tmp_path: Path) -> None:
    probed = ProbeResult({"torch": "2.13.0"}, "device", "the driver is too old")
    matrices = {"made-up": matrix(["passed-1"])}
    done = begin_run(request(tmp_path), matrices, plan(["passed-1"]), probed, lambda *_: None)
    (test,) = done.report.tests
    assert (test.outcome, "the driver is too old" in (test.reason or "")) == ("not-run", True)
    assert not done.is_successful


def test_going_on_as_another_shard_is_refused(tmp_path: Path) -> None:
    first = replace(request(tmp_path), shard=ShardRequest(1, 2))
    whole = plan(["passed-1", "passed-2"])
    matrices = {"made-up": matrix(["passed-1", "passed-2"])}
    done = begin_run(
        first, matrices, apply_sharding(whole, first, matrices), TORCH, lambda *_: None
    )
    assert [test.name for test in done.report.tests] == ["passed-1"]
    assert done.report.shard
    assert done.report.shard.resume == (
        "accelerator-portal validate --resume --device none --pytest PATH --suite-name made-up "
        "--out report.json"
    )
    names = ["passed-1"]
    assert go_on(request(tmp_path), names).report.shard == done.report.shard
    with pytest.raises(RunError, match="started with shard 1/2, but now it is 2/2"):
        go_on(replace(first, shard=ShardRequest(2, 2)), names)
