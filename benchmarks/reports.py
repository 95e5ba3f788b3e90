"""Compare reading and importing reports with parsing their files: `python -m benchmarks.reports`.

Reading and checking is compared with `json.loads`, importing JUnit XML with ElementTree. Everything
is measured in one process, in processor time. The tests are made up.
"""

from __future__ import annotations

import argparse
import datetime as dt
import json
import random
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from xml.etree import ElementTree as ET

from accelerator_reports.file_reading import ImportOptions
from accelerator_reports.formats.ctrf import junit_text
from accelerator_reports.formats.junit import read_junit
from accelerator_reports.outcomes import OUTCOMES, Outcome
from accelerator_reports.report import Report
from accelerator_reports.report_file import KnownNames, read_report, report_problems, report_text

START = dt.datetime(2025, 1, 1, 2, 0, tzinfo=dt.timezone.utc)


def main() -> None:
    """Print one line for each measurement."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.reports", description=__doc__)
    parser.add_argument("--tests", type=int, default=100_000, help="tests of a report (100,000)")
    tests = parser.parse_args().tests
    report = nightly_report(drawn_outcomes(random.Random(0), tests), 0)  # noqa: S311 - made up
    names, later = KnownNames(frozenset({report.accelerator})), START + dt.timedelta(days=999)
    with tempfile.TemporaryDirectory(prefix="portal-benchmarks-") as folder:
        file, junit = Path(folder, "report.json"), Path(folder, "report.xml")
        file.write_text(report_text(report), "utf-8")
        junit.write_text(junit_text(report), "utf-8")
        _compare(
            f"read and check {tests:,} tests",
            lambda: list(report_problems(read_report(file), file.name, names, later)),
            "json.loads",
            lambda: json.loads(file.read_bytes()),
        )
        _compare(
            f"import {tests:,} tests",
            lambda: read_junit(junit, ImportOptions()),
            "ElementTree",
            lambda: ET.parse(junit),  # noqa: S314 - our own file
        )


def drawn_outcomes(draws: random.Random, tests: int) -> list[Outcome]:
    """Return an outcome for each test; about nine in ten tests pass."""
    return draws.choices([*OUTCOMES], [90, *[1] * (len(OUTCOMES) - 1)], k=tests)


def nightly_report(outcomes: Sequence[Outcome], night: int, suites: int = 5) -> Report:
    """Return the report of a night; `outcomes` are those of its tests in order."""
    draws = random.Random(night)  # noqa: S311 - made up
    return Report.model_validate(
        {
            "schema_version": 1,
            "accelerator": "generated",
            "kind": "self-reported",
            "trigger": {"kind": "nightly"},
            "started": (START + dt.timedelta(days=night)).isoformat(),
            "environment": {"torch": "2.15.0", "hardware": "generated"},
            "suites": [{"name": f"generated-{suite}", "kind": "unit"} for suite in range(suites)],
            "tests": [
                {
                    "suite": f"generated-{number % suites}",
                    "name": f"test_{number:05}",
                    "parameters": {"dtype": "float32", "compiler": "eager"},
                    "outcome": outcome,
                    "duration_s": round(number % 97 / 10 * draws.gauss(1, 0.05) + 0.1, 3),
                }
                for number, outcome in enumerate(outcomes)
            ],
        }
    )


def seconds(work: Callable[[], object]) -> float:
    """Return the processor time of one call."""
    start = time.process_time()
    work()
    return time.process_time() - start


def _compare(
    what: str, work: Callable[[], object], beside: str, plain: Callable[[], object]
) -> None:
    """Run both alternately, three times; print the least times, as other load only adds time."""
    pairs = [(seconds(work), seconds(plain)) for _ in range(3)]
    ours, theirs = map(min, zip(*pairs, strict=True))
    print(f"{what}: {ours:.2f} s; {beside}: {theirs:.2f} s; ratio {ours / max(theirs, 1e-9):.1f}")


if __name__ == "__main__":
    main()
