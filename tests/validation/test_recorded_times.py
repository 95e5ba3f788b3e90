from __future__ import annotations

from pathlib import Path

import pytest

from accelerator_reports.report_file import report_text
from accelerator_validation.platform_folder import PlatformFolder, read_platform_folder
from accelerator_validation.sharding import recorded_times, times_by_test
from tests.folders import EXAMPLE, write_tree
from tests.reports.examples import report

OLD = report(
    {"name": "first", "duration_s": 1.0},
    {"name": "second", "duration_s": 2.0},
    started="2026-01-02T03:04:05Z",
)
NEW = report(
    {"name": "first", "duration_s": 3.0004},
    {"name": "second", "outcome": "not-run"},
    started="2026-02-02T03:04:05Z",
)
BOTH = {"made-up/first": 3000, "made-up/second": 2000}


@pytest.fixture
def platform(tmp_path: Path) -> PlatformFolder:
    """A folder with two reports, a baseline, one that is broken and one of another platform."""
    results = {
        "old": report_text(OLD),
        "new": report_text(NEW),
        "baseline": report_text(
            report({"name": "third", "duration_s": 9}, kind="baseline", started=None)
        ),
        "broken": "{",
        "other": report_text(report({"name": "fourth", "duration_s": 9}, accelerator="other")),
    }
    files = {f"accelerators/example/results/{name}.json": text for name, text in results.items()}
    write_tree(tmp_path, {**EXAMPLE, **files})
    return read_platform_folder(tmp_path, "example")


def test_the_newest_report_that_has_a_time_counts() -> None:
    assert times_by_test([NEW, OLD]) == times_by_test([OLD, NEW]) == BOTH


def test_a_platform_s_own_runs_are_read(platform: PlatformFolder) -> None:
    assert recorded_times(None, platform) == BOTH


def test_a_report_that_is_named_stands_for_those_of_the_platform(
    platform: PlatformFolder, tmp_path: Path
) -> None:
    file = tmp_path / "times.json"
    file.write_text(report_text(OLD), "utf-8")
    assert recorded_times(file, platform) == {"made-up/first": 1000, "made-up/second": 2000}
    assert recorded_times(None, None) == {}
