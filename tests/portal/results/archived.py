"""Archives of reports that are made up, in a temporary folder."""

from __future__ import annotations

from pathlib import Path

from accelerator_portal.results.report_intake import Intake, NamedReport, add_reports
from accelerator_portal.results.result_files import HISTORY, listed_files, read_rows
from accelerator_reports.report import Report
from tests.portal.results.made_up import Outcomes, made_up

DAYS: list[Outcomes] = [
    {"a": "passed", "b": "failed", "c?mode=training": "passed"},
    {"a": "failed", "b": "failed", "c?mode=training": "passed"},
    {"a": "passed", "b": "failed", "c?mode=training": "skipped"},
]

Row = dict[str, object]


def report_of(day: int, outcomes: Outcomes, suites: tuple[str, ...] = ("models",)) -> Report:
    """A report of a day with the same tests in several suites, each with a duration."""
    one = made_up(day, outcomes).model_dump(mode="json")
    tests = [
        test | {"suite": suite, "duration_s": 0.5 + day}
        for suite in suites
        for test in one["tests"]
    ]
    kinds = [{"name": suite, "kind": "model"} for suite in suites]
    return Report.model_validate(one | {"tests": tests, "suites": kinds})


def named(*reports: Report) -> list[NamedReport]:
    return [(Path(f"day-{number}.json"), report) for number, report in enumerate(reports)]


def archive(root: Path, *reports: Report) -> Intake:
    intake = add_reports(root, named(*reports))
    assert not intake.problems, intake.problems
    return intake


def rows(root: Path, accelerator: str = "example") -> list[Row]:
    """The archived rows by key and time, with the suite that the folders name."""
    found: list[Row] = []
    for file in listed_files(root, accelerator):
        suite = {"suite": file.partition.suite}
        found += (row | suite for row in read_rows(root, file).to_pylist())
    return sorted(found, key=lambda row: (str(row["key"]), str(row["started"])))


def content(root: Path) -> dict[str, bytes]:
    """Every file of an archive."""
    below = root / HISTORY
    return {
        path.relative_to(below).as_posix(): path.read_bytes()
        for path in sorted(below.rglob("*"))
        if path.is_file()
    }
