"""Compare the tables of a page with the same tables by pandas: `python -m benchmarks.tables`.

Both start from the same reports and must give the same tables. The last measurement is the only
aggregation that grows with the archive; pandas is faster at it. Everything is measured in one
process, in processor time, from made-up reports.
"""

from __future__ import annotations

import argparse
import datetime as dt
import random
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

from accelerator_portal.results.history import ChangeKind, OutcomeChange
from accelerator_portal.results.partitions.columns import change_tables, changes_in
from accelerator_portal.results.partitions.parquet_files import parquet_bytes, read_parquet
from accelerator_portal.results.result_matrices import matrices, outcome_counts, tallies
from accelerator_portal.results.stored_reports import StoredReport
from accelerator_reports.outcomes import OUTCOMES, Outcome
from benchmarks.pandas_tables import long_table, pandas_counts, pandas_matrices, pandas_tallies
from benchmarks.results import START, made_report, seconds, show

T = TypeVar("T")

REPORTS = 10


def main() -> None:
    """Print one line for each measurement. Raises SystemExit if the tables differ."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.tables", description=__doc__)
    parser.add_argument(
        "--tests", type=int, nargs="+", default=[5_000, 99_000], help="tests (5,000 and 99,000)"
    )
    parser.add_argument("--changes", type=int, default=200_000, help="changes (200,000)")
    arguments = parser.parse_args()
    for tests in arguments.tests:
        _of_a_page(tests)
    _of_an_archive(arguments.changes)


def _of_a_page(tests: int) -> None:
    ids = [f"report-{n}" for n in range(REPORTS)]
    reports = [
        StoredReport(name, "", made_report(tests // REPORTS, n), None) for n, name in enumerate(ids)
    ]
    order = ["example"]
    _same(matrices(reports, order), pandas_matrices(long_table(reports), order))
    _same(outcome_counts(reports), pandas_counts(long_table(reports)))
    ours = seconds(lambda: (matrices(reports, order), outcome_counts(reports)))

    def theirs() -> None:
        table = long_table(reports)
        pandas_matrices(table, order)
        pandas_counts(table)

    show(f"matrix and counts of {tests:,} tests", ours, "pandas", seconds(theirs))


def _of_an_archive(number: int) -> None:
    with tempfile.TemporaryDirectory(prefix="portal-benchmarks-") as folder:
        path = Path(folder, "changes.parquet")
        (whole,) = change_tables(_changes(number)).values()
        path.write_bytes(parquet_bytes(whole))
        (ours,) = tallies(changes_in(read_parquet(path, "changes"))).values()
        theirs = pandas_tallies(read_parquet(path, "changes").to_pandas())
        rows = [{str(o): n for o, n in row.items() if n} for row in theirs.to_dict("records")]
        _same([{str(o): n for o, n in sorted(one.counts.items())} for one in ours], rows)
        plain = seconds(lambda: tallies(changes_in(read_parquet(path, "changes"))))
        table = seconds(lambda: pandas_tallies(read_parquet(path, "changes").to_pandas()))
    show(f"tallies of {number:,} changes in a file", plain, "pandas", table)


def _changes(number: int) -> Iterator[OutcomeChange]:
    """Yield `number` changes: a first report with all tests, then one in twenty for each report."""
    pick = random.Random(0)  # noqa: S311 - made-up outcomes
    tests = max(number // 10, 20)
    keys = [f"made-up/test_{n}?compiler=eager&dtype=float32" for n in range(tests)]
    standing: dict[str, Outcome] = {}
    left, day = number, 0
    while left:
        touched = (keys if day == 0 else pick.sample(keys, tests // 20))[:left]
        for key in touched:
            before = standing.get(key)
            after = standing[key] = pick.choice([one for one in OUTCOMES if one != before])
            kind: ChangeKind = "changed" if before else "new"
            started = START + dt.timedelta(days=day)
            yield OutcomeChange(started, f"report-{day:05}", key, kind, after, None, before, None)
        left, day = left - len(touched), day + 1


def _same(ours: T, theirs: T) -> None:
    if ours != theirs:
        raise SystemExit("The tables differ.")


if __name__ == "__main__":
    main()
