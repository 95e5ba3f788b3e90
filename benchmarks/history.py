"""Compare the history of one platform with one plain query: `python -m benchmarks.history`.

The nights of one generated platform are added and merged as the nightly update does it. Then its
history and a roll-up are computed, and DuckDB reads the newest outcome of each test from the same
files. Everything is measured in one process, in processor time.
"""

from __future__ import annotations

import argparse
import random
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import duckdb

from accelerator_portal.results.report_intake import add_reports
from accelerator_portal.results.result_files import HISTORY, merge_months
from accelerator_portal.results.result_table import read_history, rollup
from accelerator_reports.report import Report
from benchmarks.reports import drawn_outcomes, nightly_report, seconds

CHANGING = 0.01
"""The share of tests whose outcome is drawn again each night; most drawn outcomes are the same."""


def main() -> None:
    """Print the times, their ratios to the plain query, and the size of the archive."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.history", description=__doc__)
    parser.add_argument("--tests", type=int, default=3_000, help="tests of a night (3,000)")
    parser.add_argument("--nights", type=int, default=365, help="nights (365)")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="portal-benchmarks-") as folder:
        root, (*older, last) = Path(folder), nights(arguments.tests, arguments.nights)
        name = last.accelerator
        all_older = seconds(lambda: _add(root, older))
        merging = seconds(lambda: merge_months(root, "9999"))
        plain = seconds(partial(_newest_outcomes, root))
        print(f"newest outcomes of {arguments.nights:,} nights, plain query: {plain:.2f} s")
        for words, taken in (
            ("all older nights added", all_older),
            ("files of past months merged", merging),
            ("last night added", seconds(lambda: _add(root, [last]))),
            ("history", seconds(lambda: read_history(root, name, "runs"))),
            ("roll-up of pass rates", seconds(lambda: rollup(root, "pass-rates", [name]))),
        ):
            print(f"{words}: {taken:.2f} s; ratio {taken / plain:.2f}")
        size = sum(path.stat().st_size for path in (root / HISTORY).rglob("*.parquet"))
        print(f"results: {size / 1e6:.2f} MB")


def nights(tests: int, number: int) -> Iterator[Report]:
    """Yield the reports of a number of nights; few outcomes change from one night to the next."""
    draws = random.Random(0)  # noqa: S311 - made up
    outcomes = drawn_outcomes(draws, tests)
    for night in range(number):
        yield nightly_report(outcomes, night)
        for test in draws.sample(range(tests), k=round(tests * CHANGING)):
            (outcomes[test],) = drawn_outcomes(draws, 1)


def _add(root: Path, reports: list[Report]) -> None:
    if problems := add_reports(root, [(Path("night.json"), one) for one in reports]).problems:
        raise SystemExit(str(problems[0]))


def _newest_outcomes(root: Path) -> None:
    files = f"read_parquet('{root / HISTORY}/runs/results/**/*.parquet', hive_partitioning = true)"
    duckdb.execute(
        f"SELECT accelerator, key, arg_max(outcome, started) FROM {files} GROUP BY ALL"  # noqa: S608
    ).fetchall()


if __name__ == "__main__":
    main()
