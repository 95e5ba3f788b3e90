"""Measure folding one night into an archive of nights: `python -m benchmarks.archive`.

Compares it with folding every night, and with DuckDB and Polars, which derive the state of each
test from all rows. All data are generated in a temporary folder, and their names say so. Past
nights are written as merged files; the new night is folded as the command does it. Each measurement
is processor time and runs in its own process.
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from accelerator_portal.results.folding import NamedReport, fold_reports
from accelerator_portal.results.partitions.manifest import HISTORY
from benchmarks.archive_data import Scale, platform_name, report_of, write_year, year_of
from benchmarks.measure import peak_memory

REDUCED = Scale(platforms=4, tests=500, nights=60)
FULL = Scale(platforms=50, tests=3_000, nights=365)

RESULTS = "runs/results/**/*.parquet"

Measured = tuple[float, float, int]
"""Processor time in seconds, peak memory in MB, and the number of rows, changes or tests found."""


def main() -> None:
    """Print one line for each measurement."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.archive", description=__doc__)
    parser.add_argument("--full", action="store_true", help="50 platforms, 3,000 tests, 365 nights")
    parser.add_argument(
        "--refolded", type=int, default=1, help="platforms to fold from the first night on (1)"
    )
    arguments = parser.parse_args()
    scale = FULL if arguments.full else REDUCED
    with tempfile.TemporaryDirectory(prefix="portal-benchmarks-") as folder:
        _measure(Path(folder), scale, arguments.refolded)


def _measure(folder: Path, scale: Scale, refolded: int) -> None:
    root = folder / "year"
    taken, _, rows = _in_process(_generate, root, scale, 0)
    _show(f"generated {rows:,} results", taken)
    _sizes(root / HISTORY, scale)
    first = _in_process(_fold_night, folder / "empty", scale, 0)
    night = _in_process(_fold_night, root, scale, scale.nights)
    every = _in_process(_fold_all, folder / "all", scale, refolded)
    all_platforms = every[0] / refolded * scale.platforms
    _show("fold one night, nothing archived", *first)
    _show(f"fold one night after {scale.nights}", *night)
    _show(f"fold {scale.nights} nights of {refolded} of {scale.platforms} platforms", *every)
    print(
        f"one night / everything: {night[0] / all_platforms:.4f} (for all platforms, in proportion)"
    )
    for name, engine in (("DuckDB", _duckdb), ("Polars", _polars)):
        _show(
            f"how each test stands, from all rows, by {name}", *_in_process(engine, root, scale, 0)
        )


def _sizes(history: Path, scale: Scale) -> None:
    for name in ("results", "changes"):
        size = sum(path.stat().st_size for path in history.glob(f"runs/{name}/**/*.parquet"))
        print(f"  {name}: {size / scale.platforms / 1e6:.2f} MB a platform and period")
    size = sum(path.stat().st_size for path in history.glob("*/*.json"))
    print(f"  states and manifests: {size / scale.platforms / 1e6:.2f} MB a platform")


def _generate(root: Path, scale: Scale, _: int) -> tuple[float, int]:
    start = time.process_time()
    for number in range(scale.platforms):
        write_year(root, number, scale)
    return time.process_time() - start, scale.rows


def _fold_night(root: Path, scale: Scale, night: int) -> tuple[float, int]:
    """Fold the reports of one night, one platform after another.

    Returns the processor time in seconds and the number of changes.
    """
    taken, changes = 0.0, 0
    for number in range(scale.platforms):
        report = report_of(number, year_of(number, scale), night)
        spent, changed = _timed_fold(root, [(Path(f"{platform_name(number)}.json"), report)])
        taken, changes = taken + spent, changes + changed
    return taken, changes


def _fold_all(root: Path, scale: Scale, platforms: int) -> tuple[float, int]:
    taken, changes = 0.0, 0
    for number in range(platforms):
        year = year_of(number, scale)
        for night in range(scale.nights):
            report = report_of(number, year, night)
            spent, changed = _timed_fold(root, [(Path(f"{night}.json"), report)])
            taken, changes = taken + spent, changes + changed
    return taken, changes


def _timed_fold(root: Path, reports: list[NamedReport]) -> tuple[float, int]:
    start = time.process_time()
    folding = fold_reports(root, reports)
    taken = time.process_time() - start
    if folding.problems:
        raise SystemExit(str(folding.problems[0]))
    return taken, folding.histories[0].changes


def _duckdb(root: Path, _scale: Scale, _: int) -> tuple[float, int]:
    import duckdb

    start = time.process_time()
    files = f"read_parquet('{root / HISTORY / RESULTS}', hive_partitioning = true)"
    found = duckdb.execute(
        "SELECT count(*) FROM (SELECT accelerator, key, arg_max(outcome, started), "  # noqa: S608
        "count(*) FILTER (outcome = 'passed'), max(started) FILTER (outcome = 'passed') "
        f"FROM {files} GROUP BY accelerator, key)"
    ).fetchall()
    return time.process_time() - start, int(found[0][0])


def _polars(root: Path, _scale: Scale, _: int) -> tuple[float, int]:
    import polars as pl

    start = time.process_time()
    passed = pl.col("outcome") == "passed"
    found = (
        pl.scan_parquet(root / HISTORY / RESULTS, hive_partitioning=True)
        .group_by("accelerator", "key")
        .agg(
            pl.col("outcome").sort_by("started").last(),
            passed.sum().alias("passed"),
            pl.col("started").filter(passed).max().alias("last_good"),
        )
        .select(pl.len())
        .collect(engine="streaming")
    )
    return time.process_time() - start, int(found.item())


def _in_process(
    work: Callable[[Path, Scale, int], tuple[float, int]], root: Path, scale: Scale, number: int
) -> Measured:
    """Run a measurement in a new process, so that its peak memory is its own."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(_measured, (work, root, scale, number))


def _measured(
    work: Callable[[Path, Scale, int], tuple[float, int]], root: Path, scale: Scale, number: int
) -> Measured:
    taken, found = work(root, scale, number)
    return taken, peak_memory(resource.getrusage(resource.RUSAGE_SELF)) / 1e6, found


def _show(what: str, taken: float, peak: float | None = None, found: int | None = None) -> None:
    memory = "" if peak is None else f", peak memory {peak:,.0f} MB"
    number = "" if found is None else f", {found:,} found"
    print(f"{what}: {taken:.2f} s{memory}{number}", flush=True)


if __name__ == "__main__":
    main()
