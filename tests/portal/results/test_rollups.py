"""Roll-ups are what counting by hand gives, and the same with pandas and with Dask."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd
import pytest
from click.testing import CliRunner, Result
from hypothesis import given, settings

from accelerator_portal.results.folding import fold_reports
from accelerator_portal.results.partitions.manifest import (
    HISTORY,
    MONTH_FILE_STEM,
    Manifest,
    Partition,
    read_manifest,
    write_manifest,
)
from accelerator_portal.results.partitions.parquet_files import (
    read_listed_file,
    write_parquet_file,
)
from accelerator_portal.results.rollups import (
    ROLLUPS,
    dask_rollup,
    engine_for,
    pandas_rollup,
    read_partition,
    result_partitions,
)
from accelerator_reports.cli import main
from accelerator_reports.outcomes import BAD, GOOD
from benchmarks.history import nights
from tests.portal.results.made_up import HISTORIES, Outcomes, made_up
from tests.portal.results.partitions.archived import DAYS, archive, report_of

if TYPE_CHECKING:
    from distributed import Client

SAME_CODE = {"environment": {"torch": "2.15.0"}}


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, ["history", "rollup", *map(str, arguments)])


def made(root: Path, name: str) -> list[dict[str, Any]]:
    frame = pandas_rollup(ROLLUPS[name], result_partitions(root, ["example"]))
    return [{str(name): value for name, value in row.items()} for row in frame.to_dict("records")]


@settings(max_examples=15)  # each writes files for every day
@given(HISTORIES)
def test_counts_are_those_of_the_reports(
    tmp_path_factory: pytest.TempPathFactory, history: list[Outcomes]
) -> None:
    root = tmp_path_factory.mktemp("counts")
    reports = [made_up(day * 9, outcomes) for day, outcomes in enumerate(history)]
    fold_reports(root, [(Path("report.json"), report) for report in reports])
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
    archive(tmp_path, *(made_up(day, outcomes, **SAME_CODE) for day, outcomes in enumerate(days)))
    other = made_up(3, {"a": "passed", "b": "failed"})  # b fails with another torch alone
    verdicts: list[Outcomes] = [{"c": "passed"}, {"c": "failed"}]
    nameless = [made_up(4 + n, tests, environment={}) for n, tests in enumerate(verdicts)]
    archive(tmp_path, other, *nameless)
    (row,) = made(tmp_path, "flaky")
    assert (row["key"], row["passed"], row["failed"]) == ("models/a", 2, 1)


def test_the_slowest_tests_come_first_with_their_mean(tmp_path: Path) -> None:
    archive(tmp_path, *(report_of(day, outcomes) for day, outcomes in enumerate(DAYS)))
    rows = made(tmp_path, "slowest")
    assert [row["key"] for row in rows] == ["models/a", "models/b", "models/c?mode=training"]
    assert {(row["runs"], row["mean_seconds"], row["longest_seconds"]) for row in rows} == {
        (3, 1.5, 2.5)
    }


def test_baselines_are_no_runs(tmp_path: Path) -> None:
    archive(tmp_path, made_up(0, {"a": "passed"}, kind="baseline", trigger={"kind": "manual"}))
    assert made(tmp_path, "outcomes") == []


def test_above_a_number_of_rows_dask_rolls_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive(tmp_path, *(made_up(day, outcomes) for day, outcomes in enumerate(DAYS)))
    partitions = result_partitions(tmp_path, ["example"])
    assert engine_for(partitions) == "pandas"
    monkeypatch.setattr("accelerator_portal.results.rollups.MOST_ROWS_IN_MEMORY", 8)
    assert engine_for(partitions) == "dask"


MEMORY = 420_000_000
"""Of each worker; what is rolled up takes more, and a worker itself takes half of it."""

PLATFORMS = [f"platform-{number}" for number in range(5)]
MONTHS = ["2025-01", "2025-02", "2025-03", "2025-04"]


def write_many_results(root: Path) -> None:
    """Archive seven nights of 4,000 tests, and their rows again and again for other platforms."""
    import pyarrow as pa

    archive(root, *nights(4_000, 7))
    files = read_manifest(root, "generated").files_of("runs", "results")
    suites: dict[str, list[pa.Table]] = {}
    for file in files:
        suites.setdefault(file.partition.suite, []).append(read_listed_file(root, file))
    for name in PLATFORMS:
        written = [
            write_parquet_file(
                root,
                Partition("runs", "results", name, suite, month),
                MONTH_FILE_STEM,
                pa.concat_tables(tables * 4),
            )
            for suite, tables in suites.items()
            for month in MONTHS
        ]
        write_manifest(root, Manifest(accelerator=name).with_files(written))


def test_a_killed_worker_and_little_memory_change_no_bit(tmp_path: Path) -> None:
    from distributed import Client, LocalCluster

    write_many_results(tmp_path)
    partitions = result_partitions(tmp_path, PLATFORMS)
    columns = sorted({name for rollup in ROLLUPS.values() for name in rollup.columns})
    size = sum(read_partition(p, columns).memory_usage(deep=True).sum() for p in partitions)
    assert size > MEMORY, f"a worker could hold all of it: {size:,}"
    with (
        LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0", memory_limit=MEMORY
        ) as cluster,
        Client(cluster) as client,
    ):
        for name in ("pass-rates", "slowest"):  # sums of counts, and of times
            rollup = ROLLUPS[name]
            before = set(client.run(os.getpid).values())
            killer = threading.Thread(target=kill_when_busy, args=(client, min(before)))
            if name == "pass-rates":
                killer.start()
            found = dask_rollup(rollup, partitions, client)
            if name == "pass-rates":
                killer.join()
                assert min(before) not in set(client.run(os.getpid).values())
            expected = pandas_rollup(rollup, partitions)
            assert len(expected) > 0
            pd.testing.assert_frame_equal(found, expected, check_exact=True)
            assert found.to_csv(index=False) == expected.to_csv(index=False)


def kill_when_busy(client: Client, worker: int) -> None:
    """Kill a worker without a word when some partitions are done and others are not."""
    deadline = time.monotonic() + 300
    while time.monotonic() < deadline:
        states = client.run_on_scheduler(task_states)
        if states["memory"] and states["processing"]:
            os.kill(worker, signal.SIGKILL)
            return
        time.sleep(0.02)


def task_states(dask_scheduler: Any) -> Counter[str]:  # noqa: ANN401 - Dask finds it by its name
    return Counter(task.state for task in dask_scheduler.tasks.values())


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
    both = run(
        "flaky", "--root", tmp_path, "--engine", "pandas", "--scheduler", "tcp://127.0.0.1:9"
    )
    assert "--scheduler requires Dask. Remove --engine pandas" in both.output
    (file,) = read_manifest(tmp_path, "example").files_of("runs", "results")
    (tmp_path / HISTORY / file.path).unlink()
    damaged = run("flaky", "--root", tmp_path)
    assert damaged.exit_code == 1
    assert f"{HISTORY}/{file.path}:1: file not found; " in damaged.output
