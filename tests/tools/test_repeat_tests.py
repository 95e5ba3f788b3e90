from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from accelerator_reports.report import Report
from tools.repeat_tests import drawn_tests, main

# Stands for the harness: reports that each test passed.
_PROGRAM = """#!/usr/bin/env python3
import json, sys
words = sys.argv[1:]
report = json.loads({report!r})
suite, name = words[words.index("--test") + 1].split("/")
report["tests"] = [{{"suite": suite, "name": name, "outcome": "passed"}}]
open(words[words.index("--out") + 1], "w").write(json.dumps(report))
"""


def report(outcomes: dict[str, str], lock: Path | None = None) -> str:
    locks = {lock.name: hashlib.sha256(lock.read_bytes()).hexdigest()} if lock else {}
    command = "accelerator-portal validate --device cpu --suite operators"
    return json.dumps(
        {
            "schema_version": 1,
            "accelerator": "cpu",
            "kind": "made-here",
            "trigger": {"kind": "manual"},
            "environment": {"locks": locks},
            "suites": [
                {"name": "operators", "kind": "operator", "command": command},
                {"name": "torchbench", "kind": "model", "command": f"{command} --x CHECKOUT"},
            ],
            "tests": [
                {"suite": "operators", "name": name, "outcome": outcome}
                for name, outcome in outcomes.items()
            ]
            + [{"suite": "torchbench", "name": "alexnet", "outcome": "passed"}],
        }
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.lock").write_text("torch==2", "utf-8")
    program = tmp_path / "accelerator-portal"
    program.write_text(_PROGRAM.format(report=report({})), "utf-8")
    program.chmod(0o755)
    return tmp_path


def repeat(folder: Path, outcomes: dict[str, str], *words: str) -> int:
    lock = folder / "a.lock"
    file = folder / "report.json"
    file.write_text(report(outcomes, lock), "utf-8")
    return main([str(file), "--bin", str(folder), *(words or ("--lock", str(lock)))])


def test_equal_outcomes_are_said(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert repeat(folder, {"add": "passed", "mul": "passed", "div": "skipped"}) == 0
    *tests, summary = capsys.readouterr().out.splitlines()
    assert summary == "2 of 2 commands gave the outcome that the report states."
    assert sorted(tests) == [
        f"passed: same: accelerator-portal validate --device cpu --test operators/{name}"
        for name in ("add", "mul")
    ]


def test_an_outcome_that_differs_fails(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert repeat(folder, {"add": "passed", "mul": "wrong-result"}) == 1
    assert "wrong-result: DIFFERENT, passed now: " in capsys.readouterr().out


def test_another_environment_is_refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert repeat(folder, {"add": "passed"}, "--draw", "3") == 2
    assert "a.lock: the report was made with " in capsys.readouterr().err


def test_nothing_to_repeat_is_no_success(folder: Path) -> None:
    assert repeat(folder, {"add": "skipped"}) == 2


def test_a_seed_draws_the_same_tests_and_another_seed_others() -> None:
    whole = Report.model_validate_json(report({f"t{n}": "passed" for n in range(99)}))
    draws = [[t.name for t, _ in drawn_tests(whole, 9, seed)] for seed in ("1", "1", "2")]
    assert draws[0] == draws[1] != draws[2]
