"""Compare adding one night to the archive with adding all of them: `python -m benchmarks.history`.

The nights of one generated platform are folded and compacted as the nightly update does it. DuckDB
then derives the newest outcome of each test from all rows. Everything is measured in one process,
in processor time.
"""

from __future__ import annotations

import argparse
import random
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import duckdb

from accelerator_portal.results.folding import fold_reports
from accelerator_portal.results.partitions.compaction import compact_all
from accelerator_portal.results.partitions.manifest import HISTORY
from accelerator_reports.report import Report
from benchmarks.reports import drawn_outcomes, nightly_report, seconds

CHANGING = 0.01
"""The share of tests whose outcome is drawn again each night; most drawn outcomes are the same."""


def main() -> None:
    """Print the times, their ratios and the sizes of the archive."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.history", description=__doc__)
    parser.add_argument("--tests", type=int, default=3_000, help="tests of a night (3,000)")
    parser.add_argument("--nights", type=int, default=365, help="nights (365)")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="portal-benchmarks-") as folder:
        root, made = Path(folder, "all"), nights(arguments.tests, arguments.nights)
        _fold(Path(folder, "warm"), next(nights(1, 1)))
        times = [seconds(partial(_fold, root, report)) for report in made]
        print(f"{len(times)} nights of {arguments.tests:,} tests: {sum(times):.2f} s")
        print(f"last night: {times[-1]:.2f} s; ratio to all nights {times[-1] / sum(times):.4f}")
        print(f"first night: {times[0]:.2f} s; ratio of the last {times[-1] / times[0]:.2f}")
        print(f"merge the files of past months: {seconds(lambda: compact_all(root, '9999')):.2f} s")
        taken = seconds(lambda: _newest_outcomes(root))
        print(f"newest outcomes by DuckDB: {taken:.2f} s; ratio {taken / times[-1]:.2f}")
        for name, pattern in (
            ("results", "runs/results/**/*.parquet"),
            ("changes", "runs/changes/**/*.parquet"),
            ("state and manifest", "*/*.json"),
        ):
            size = sum(path.stat().st_size for path in (root / HISTORY).glob(pattern))
            print(f"  {name}: {size / 1e6:.2f} MB")


def nights(tests: int, number: int) -> Iterator[Report]:
    """Yield the reports of a number of nights; few outcomes change from one night to the next."""
    draws = random.Random(0)  # noqa: S311 - made up
    outcomes = drawn_outcomes(draws, tests)
    for night in range(number):
        yield nightly_report(outcomes, night)
        for test in draws.sample(range(tests), k=round(tests * CHANGING)):
            (outcomes[test],) = drawn_outcomes(draws, 1)


def _fold(root: Path, report: Report) -> None:
    if problems := fold_reports(root, [(Path("night.json"), report)]).problems:
        raise SystemExit(str(problems[0]))


def _newest_outcomes(root: Path) -> None:
    files = f"read_parquet('{root / HISTORY}/runs/results/**/*.parquet', hive_partitioning = true)"
    duckdb.execute(
        f"SELECT accelerator, key, arg_max(outcome, started) FROM {files} GROUP BY ALL"  # noqa: S608
    ).fetchall()


if __name__ == "__main__":
    main()
