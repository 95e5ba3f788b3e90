"""Roll-ups are what counting by hand gives."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from click.testing import CliRunner, Result
from hypothesis import given, settings

from accelerator_portal.results.result_files import HISTORY, listed_files
from accelerator_portal.results.result_table import ROLLUPS, rollup
from accelerator_reports.cli import main
from accelerator_reports.outcomes import BAD, GOOD
from tests.portal.results.archived import DAYS, archive, report_of
from tests.portal.results.made_up import HISTORIES, Outcomes, made_up

SAME_CODE = {"environment": {"torch": "2.15.0"}}


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, ["history", "rollup", *map(str, arguments)])


def made(root: Path, name: str) -> list[dict[str, Any]]:
    frame = rollup(root, name, ["example"])
    return [{str(name): value for name, value in row.items()} for row in frame.to_dict("records")]


@settings(max_examples=15)  # each writes files for every day
@given(HISTORIES)
def test_counts_are_those_of_the_reports(
    tmp_path_factory: pytest.TempPathFactory, days: list[Outcomes]
) -> None:
    root = tmp_path_factory.mktemp("counts")
    reports = [made_up(day * 9, outcomes) for day, outcomes in enumerate(days)]
    archive(root, *reports)
    expected: Counter[tuple[str, str]] = Counter()
    for report in reports:
        assert report.started
        expected.update((f"{report.started:%Y-%m}", test.outcome) for test in report.tests)
    counted = {(row["month"], row["outcome"]): row["results"] for row in made(root, "outcomes")}
    assert counted == expected
    for row in made(root, "pass-rates"):
        of_month = {outcome: n for (month, outcome), n in expected.items() if month == row["month"]}
        good = sum(n for outcome, n in of_month.items() if outcome in GOOD)
        bad = sum(n for outcome, n in of_month.items() if outcome in BAD)
        assert (row["passed"], row["failed"], row["results"]) == (good, bad, sum(of_month.values()))
        assert row["pass_rate"] == good / (good + bad) if good + bad else pd.isna(row["pass_rate"])


def test_a_test_is_flaky_that_passed_and_failed_on_the_same_code(tmp_path: Path) -> None:
    days: list[Outcomes] = [
        {"a": "passed", "b": "passed"},
        {"a": "failed", "b": "passed"},
        {"a": "passed", "b": "passed"},
    ]
    other = made_up(3, {"a": "passed", "b": "failed"})  # b fails with another torch alone
    unknown: list[Outcomes] = [{"c": "passed"}, {"c": "failed"}]
    archive(
        tmp_path,
        *(made_up(day, outcomes, **SAME_CODE) for day, outcomes in enumerate(days)),
        other,
        *(made_up(4 + n, tests, environment={}) for n, tests in enumerate(unknown)),
    )
    (row,) = made(tmp_path, "flaky")
    assert (row["key"], row["passed"], row["failed"]) == ("models/a", 2, 1)


def test_the_ten_slowest_tests_come_first_with_their_mean(tmp_path: Path) -> None:
    archive(tmp_path, *(report_of(day, outcomes) for day, outcomes in enumerate(DAYS)))
    rows = made(tmp_path, "slowest")
    assert [row["key"] for row in rows] == ["models/a", "models/b", "models/c?mode=training"]
    assert {(row["runs"], row["mean_seconds"], row["longest_seconds"]) for row in rows} == {
        (3, 1.5, 2.5)
    }
    archive(tmp_path, report_of(3, {f"t{n:02}": "passed" for n in range(12)}))
    assert [row["key"] for row in made(tmp_path, "slowest")] == [
        f"models/t{n:02}" for n in range(10)
    ]


@pytest.mark.parametrize("name", ROLLUPS)
def test_baselines_and_gone_tests_are_no_results(tmp_path: Path, name: str) -> None:
    columns = list(rollup(tmp_path, name, []))
    assert columns[:3] == ["accelerator", "suite", "month"]
    archive(tmp_path, made_up(0, {"a": "passed"}, kind="baseline", trigger={"kind": "manual"}))
    assert made(tmp_path, name) == []
    archive(tmp_path, made_up(0, {"a": "passed", "b": "passed"}), made_up(1, {"b": "passed"}))
    assert list(rollup(tmp_path, name, ["example"])) == columns
    assert sum(row.get("results", 3) for row in made(tmp_path, name) or [{}]) == 3


def test_the_command_prints_and_writes_a_rollup(tmp_path: Path) -> None:
    archive(tmp_path, *(report_of(day, outcomes) for day, outcomes in enumerate(DAYS)))
    printed = run("outcomes", "--root", tmp_path)
    assert printed.output.splitlines()[:2] == [
        "accelerator,suite,month,outcome,results",
        "example,models,2026-03,failed,4",
    ]
    for suffix, read in (
        (".csv", pd.read_csv),
        (".json", pd.read_json),
        (".parquet", pd.read_parquet),
    ):
        out = tmp_path / f"rates{suffix}"
        assert run("pass-rates", "--root", tmp_path, "--out", out).exit_code == 0
        assert read(out)["passed"].tolist() == [4]


def test_what_cannot_be_rolled_up_is_said_in_one_message(tmp_path: Path) -> None:
    archive(tmp_path, made_up(0, {"a": "passed"}))
    assert "use a name that ends with .csv" in run("flaky", "--out", "x.txt").output
    (file,) = listed_files(tmp_path, "example")
    (tmp_path / HISTORY / file.path).unlink()
    damaged = run("flaky", "--root", tmp_path)
    assert damaged.exit_code == 1
    assert f"{HISTORY}/{file.path}:1: file not found; " in damaged.output
