"""The command's answers where torch does not come up; a torch that is made up stands for it."""

from __future__ import annotations

import hashlib
import importlib
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from accelerator_reports.cli import main
from accelerator_reports.cli.other_python import given_command
from accelerator_reports.report_file import read_report, report_text
from accelerator_validation import launch
from accelerator_validation.case import case_from_key
from accelerator_validation.journal import Journal
from accelerator_validation.plan import RunError
from accelerator_validation.request import Request, processor_count
from accelerator_validation.run import FinishedRun
from tests.reports.examples import report

# The package has the command under the module's name.
validate = importlib.import_module("accelerator_validation.cli.validate")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder for reports, in an environment where `import torch` fails."""
    torch = tmp_path / "packages/torch/__init__.py"
    torch.parent.mkdir(parents=True)
    torch.write_text('raise ImportError("libmade_up.so is missing")\n', "utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "packages"))
    monkeypatch.syspath_prepend(tmp_path / "packages")
    before = signal.getsignal(signal.SIGTERM)
    yield tmp_path
    signal.signal(signal.SIGTERM, before)


def run(out: Path, *arguments: str) -> Result:
    words = ["validate", "--device", "cpu", "--out", str(out), *arguments]
    return CliRunner().invoke(main, words)


def test_a_test_that_fails_is_told_and_fails_the_command(folder: Path) -> None:
    out = folder / "report.json"
    done = run(out, "--test", "integration/import")
    assert done.exit_code == 1, done.output
    assert done.stdout == (
        "Tests that did not pass, each with the command that runs it again:\n"
        "  accelerator-portal validate --device cpu --test integration/import\n"
        "The run stopped early: cpu cannot be used: ImportError: libmade_up.so is missing\n"
        f"1 failed (1 test). Report: {out}\n"
    )
    assert '"cpu" cannot be used: ImportError: libmade_up.so is missing\n' in done.stderr
    assert [test.outcome for test in read_report(out).tests] == ["failed"]


@pytest.mark.parametrize(
    ("case", "told"),
    [
        ("operators/add?dtype=float32&mode=forward", '"cpu": import torch fails. ImportError'),
        ("integration/import", '"cpu" cannot be used: ImportError'),
    ],
)
def test_going_on_with_a_device_that_has_failed_since_is_refused(
    folder: Path, case: str, told: str
) -> None:
    head = {"device": "cpu", "environment": {"torch": "2.14.0"}, "skipped": {}}
    with Journal(folder / "report.journal.jsonl", anew=True) as journal:
        journal.plan(head, [case_from_key(case)])
    done = run(folder / "report.json", "--resume")
    assert done.exit_code == 2, done.output
    assert told in " ".join(done.stderr.replace("│", " ").split("\nError: ")[-1].split())


def test_the_report_names_the_lock_files_of_its_environment(folder: Path) -> None:
    locks = [folder / name for name in ("a.lock", "b.lock")]
    for lock in locks:
        lock.write_text(lock.name, "utf-8")
    words = [word for lock in locks for word in ("--lock", str(lock))]
    run(folder / "report.json", "--test", "integration/import", *words)
    assert read_report(folder / "report.json").environment.locks == {
        lock.name: hashlib.sha256(lock.read_bytes()).hexdigest() for lock in locks
    }
    missing = run(folder / "other.json", "--lock", str(folder / "none.lock"))
    assert missing.exit_code == 2
    assert "none.lock" in missing.stderr


def test_only_the_suite_that_can_tell_why_is_run_without_torch(folder: Path) -> None:
    done = run(folder / "report.json", "--suite", "operators")
    assert done.exit_code == 2
    assert "libmade_up.so is missing" in " ".join(done.stderr.split())
    assert not (folder / "report.json").exists()


def planned(out: Path, *arguments: str) -> list[str]:
    done = run(out, "--suite", "integration", "--plan", *arguments)
    assert done.exit_code == 0, done.output
    return done.stdout.splitlines()


def test_shards_divide_the_plan(folder: Path) -> None:
    out = folder / "report.json"
    parts = [planned(out, "--shard", f"{index}/3") for index in (1, 2, 3)]
    whole = planned(out)
    assert sorted(key for part in parts for key in part) == sorted(whole)
    assert max(map(len, parts)) - min(map(len, parts)) <= 1


def test_shards_are_balanced_by_the_times_of_a_report(folder: Path) -> None:
    out, times = folder / "report.json", folder / "times.json"
    first, *others = planned(out)
    names = [{"suite": "integration", "name": key.partition("/")[2]} for key in (first, *others)]
    tests = [{**name, "duration_s": 1} for name in names]
    tests[0]["duration_s"] = len(others)
    times.write_text(report_text(report(*tests)), "utf-8")
    assert planned(out, "--shard", "1/2", "--times", str(times)) == [first]
    assert planned(out, "--shard", "2/2", "--times", str(times)) == others


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--shard", "3"], '"3" is not in the form K/N, for example 2/4'),
        (["--shard", "3/2"], "there is no shard 3 of 2; the last is 2"),
        (["--shard", "0/2"], '"0/2" is not in the form K/N'),
        (["--shard", "1/1001"], "there can be at most 1000 shards, not 1001"),
        (
            ["--times", __file__],
            "--times works only with shards. Add --shard K/N, or remove --times",
        ),
        (
            ["--scheduler", "tcp://127.0.0.1:1", "--workers", "2"],
            "--scheduler uses Dask's own workers. Remove --workers",
        ),
        (
            ["--only", "dtype"],
            '"dtype" has no name or no value. Write it like dtype=float32,bfloat16',
        ),
        (["--only", "dtype=int8", "--dtype", "float32"], '"dtype" is given twice. Give it once'),
        (["--plan", "--resume"], "Remove --plan or --resume"),
        (["--pytorch-files", "test_ops"], "Add --pytorch CHECKOUT"),
        (["--torchbench", "."], "Add --suite torchbench, or remove --torchbench"),
        (
            ["--accelerator", "My Chip"],
            'id "My Chip", from --accelerator or --device, is not valid',
        ),
        (["--device", ""], 'id "", from --accelerator or --device, is not valid'),
        (["--import", "no.such.module"], 'the module "no.such.module" is not installed for'),
        (["-k", "a and"], '-k "a and": missing word'),
        (["--shard", "1/999"], "tests cannot be split into 999 shards. Use at most "),
    ],
)
def test_options_that_cannot_be_used_together_are_refused(
    folder: Path, words: list[str], told: str
) -> None:
    done = run(folder / "report.json", "--suite", "integration", *words)
    assert done.exit_code == 2
    assert told in " ".join(done.stderr.replace("│", " ").split())
    assert not (folder / "report.json").exists()


def test_a_file_of_times_that_is_no_report_is_told(folder: Path) -> None:
    times = folder / "times.json"
    times.write_text("{}", "utf-8")
    done = run(folder / "report.json", "--shard", "1/2", "--times", str(times))
    assert done.exit_code == 2
    assert "times.json:1: accelerator: field required" in done.stdout


def test_a_run_of_speeds_goes_on_alone(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[int, int]] = []

    def go_on(request: Request, *_: object) -> None:
        asked.append((request.workers, request.threads))
        raise RunError("That is all.")

    monkeypatch.setattr(validate, "journal_cases", lambda _: [case_from_key("speed/matmul")])
    monkeypatch.setattr(launch, "resume_run", go_on)
    done = run(folder / "report.json", "--resume")
    assert "That is all." in done.stderr
    assert asked == [(1, processor_count())]


def test_an_interrupted_run_names_the_command_that_continues_it(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    interrupted = FinishedRun(report({"suite": "integration", "name": "import"}), interrupted=True)
    monkeypatch.setattr(launch, "start_run", lambda *_: interrupted)
    monkeypatch.setattr("sys.argv", ["…/main", "validate", "--device", "cpu", "-k", "a or b"])
    done = run(folder / "report.json", "--suite", "integration")
    assert done.exit_code == 130
    assert done.stdout.endswith(
        "To continue, run: accelerator-portal validate --device cpu -k 'a or b' --resume\n"
    )


def test_the_command_that_continues_a_run_names_its_python_and_resumes_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("sys.argv", ["…/main", "validate", "--device=cpu", "--resume"])
    assert validate.resume_command(given_command()).endswith("validate --device=cpu --resume")
    monkeypatch.setenv("ACCELERATOR_PORTAL_PATH", "packages")  # as `--python` sets it
    assert given_command()[-2:] == ["--python", sys.executable]
