"""Measure reading and folding reports: `python -m benchmarks.results`.

Reading is compared with `json.loads`, and folding one report with folding all. Everything is
measured in one process, in processor time. The reports are made up.
"""

from __future__ import annotations

import argparse
import datetime as dt
import json
import random
import resource
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from accelerator_portal.results.history import fold_report
from accelerator_reports.outcomes import OUTCOMES
from accelerator_reports.report import Report
from accelerator_reports.report_check import KnownNames, report_problems
from accelerator_reports.report_file import read_report, report_text
from benchmarks.measure import peak_memory
from tests.portal.results.made_up import folded

START = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)


def main() -> None:
    """Print one line for each measurement."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.results", description=__doc__)
    parser.add_argument("--tests", type=int, default=100_000, help="tests a report (100,000)")
    parser.add_argument("--reports", type=int, default=10, help="reports to fold (10)")
    arguments = parser.parse_args()
    _reading(arguments.tests)
    _show_peak()
    _folding(arguments.tests // 10, arguments.reports)
    _show_peak()


def _show_peak() -> None:
    peak = peak_memory(resource.getrusage(resource.RUSAGE_SELF)) / 1e6
    print(f"  peak memory up to here: {peak:,.0f} MB")


def _reading(tests: int) -> None:
    with tempfile.TemporaryDirectory(prefix="portal-benchmarks-") as folder:
        path = Path(folder, "report.json")
        path.write_text(report_text(made_report(tests, 0)), "utf-8")
        data = path.read_bytes()
        plain = seconds(lambda: json.loads(data))
        known, later = KnownNames(frozenset({"example"})), START + dt.timedelta(days=999)

        ours = seconds(lambda: list(report_problems(read_report(path), path.name, known, later)))
    show(f"read and check {tests:,} tests ({len(data) / 1e6:.0f} MB)", ours, "json.loads", plain)


def _folding(tests: int, reports: int) -> None:
    made = [made_report(tests, n) for n in range(reports)]
    before, _ = folded(*made[:-1])
    one = seconds(lambda: fold_report(before, made[-1]))
    every = seconds(lambda: folded(*made))
    show(f"fold one of {reports} reports of {tests:,} tests", one, "folding all", every)


def made_report(tests: int, day: int) -> Report:
    """Return a nightly report in which about nine in ten tests passed."""
    pick = random.Random(day)  # noqa: S311 - made-up outcomes
    outcomes = pick.choices(list(OUTCOMES), weights=[90, *[1] * (len(OUTCOMES) - 1)], k=tests)
    return Report.model_validate(
        {
            "schema_version": 1,
            "accelerator": "example",
            "kind": "self-reported",
            "trigger": {"kind": "nightly"},
            "started": (START + dt.timedelta(days=day)).isoformat(),
            "environment": {"torch": "2.15.0"},
            "suites": [{"name": "made-up", "kind": "unit"}],
            "tests": [
                {
                    "suite": "made-up",
                    "name": f"test_{n}",
                    "parameters": {"dtype": "float32", "compiler": "eager"},
                    "outcome": outcome,
                    "reason": "made up",
                }
                for n, outcome in enumerate(outcomes)
            ],
        }
    )


def seconds(work: Callable[[], object]) -> float:
    """Return the least processor time of three runs, because other load only adds time."""
    times = []
    for _ in range(3):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def show(what: str, ours: float, beside: str, theirs: float) -> None:
    """Print two times and their ratio."""
    ratio = ours / theirs if theirs else float("inf")
    print(f"{what}: {ours:.2f} s; {beside}: {theirs:.2f} s; ratio {ratio:.2f}")


if __name__ == "__main__":
    main()
