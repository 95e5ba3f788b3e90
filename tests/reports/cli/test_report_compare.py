"""`accelerator-portal report compare`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result

from accelerator_reports.cli import main
from accelerator_reports.report_file import report_text
from tests.reports.examples import report


def compared(folder: Path, first: dict[str, Any], second: dict[str, Any], *options: str) -> Result:
    for name, data in (("one.json", first), ("two.json", second)):
        tests = data.pop("tests")
        (folder / name).write_text(report_text(report(*tests, **data)), "utf-8")
    files = [str(folder / "one.json"), str(folder / "two.json")]
    return CliRunner().invoke(main, ["report", "compare", *options, *files])


def entries(*outcomes: str) -> list[dict[str, Any]]:
    return [{"name": f"t{n}", "outcome": outcome} for n, outcome in enumerate(outcomes)]


def test_what_differs_is_said_environment_first(tmp_path: Path) -> None:
    newer = {"torch": "1.11.0", "backend": {"name": "made-up", "version": "2"}}
    done = compared(
        tmp_path,
        {"tests": entries("passed", "failed", "skipped", "passed")},
        {"tests": entries("failed", "passed", "passed", "passed"), "environment": newer},
    )
    assert done.exit_code == 0
    lines = done.output.splitlines()
    assert lines[0].endswith("one.json (example, self-reported, 2026-01-02)")
    assert lines[2:] == [
        "Environment:",
        "  torch: 1.10.0 → 1.11.0",
        "  backend.name: not stated → made-up",
        "  backend.version: not stated → 2",
        "made-up: new failures: 1, fixes: 1, other changes of outcomes: 1, unchanged: 1",
        "New failures (1):",
        "  made-up/t0: passed → failed",
        "Fixes (1):",
        "  made-up/t1: failed → passed",
        "Other changes of outcomes (1):",
        "  made-up/t2: skipped → passed",
    ]


def test_a_suite_of_which_all_tests_differ_is_compared(tmp_path: Path) -> None:
    done = compared(tmp_path, {"tests": entries("passed")}, {"tests": entries("failed")})
    assert "made-up: new failures: 1, unchanged: 0" in done.output.splitlines()
    assert "no suite" not in done.output


def test_a_baseline_is_named_as_one_and_has_no_new_failures(tmp_path: Path) -> None:
    done = compared(
        tmp_path, {"tests": entries("passed"), "kind": "baseline"}, {"tests": entries("failed")}
    )
    assert "The first report is a baseline: it lists expected results, not a run." in done.output
    assert "Expected to pass, failed (1):" in done.output
    assert "New failures" not in done.output


def test_a_long_list_is_cut_and_says_so(tmp_path: Path) -> None:
    first, second = {"tests": entries(*["passed"] * 60)}, {"tests": entries(*["failed"] * 60)}
    short = compared(tmp_path, dict(first), dict(second))
    assert short.output.count("passed → failed") == 50
    assert short.output.endswith("  and 10 more; --limit 60 lists all\n")
    whole = compared(tmp_path, first, second, "--limit", "60")
    assert whole.output.count("passed → failed") == 60
    assert "more;" not in whole.output


def test_suites_that_one_lacks_and_platforms_are_named(tmp_path: Path) -> None:
    other = {"tests": [{"suite": "other", "name": "b"}], "accelerator": "other"}
    done = compared(tmp_path, {"tests": entries("passed", "passed")}, other)
    assert "The reports are of different platforms." in done.output
    assert "Only the first report has: made-up: 2 tests." in done.output
    assert "Only the second report has: other: 1 test." in done.output
    assert "no suite with the same settings" in done.output


def test_a_comparison_can_be_read_by_programs(tmp_path: Path) -> None:
    first = {"tests": entries("passed", "failed", "skipped", "passed")}
    second = {
        "tests": entries("failed", "passed", "passed", "passed"),
        "environment": {"torch": "1.11.0"},
    }
    found = json.loads(compared(tmp_path, first, second, "--json", "--limit", "0").stdout)
    assert found["first"]["accelerator"] == "example"
    assert found["environment"] == [{"what": "torch", "before": "1.10.0", "after": "1.11.0"}]
    assert [(one["kind"], one["first"], one["second"]) for one in found["differences"]] == [
        ("new-failure", "passed", "failed"),
        ("fix", "failed", "passed"),
        ("changed", "skipped", "passed"),
    ]
    assert sum(found["unchanged"].values()) == 1
