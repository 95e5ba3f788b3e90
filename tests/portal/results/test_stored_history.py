"""What is kept between two reports is what keeping all reports would say."""

from __future__ import annotations

from pathlib import Path

import pytest

from accelerator_portal.catalog import load_catalog
from accelerator_portal.results.folding import fold_reports
from accelerator_portal.results.history import fold_report
from accelerator_portal.results.history_state import State, basis_of
from accelerator_portal.results.stored_history import (
    History,
    read_history,
    read_state_of,
    with_reports,
)
from accelerator_portal.results.stored_reports import stored_reports
from accelerator_reports.files.problem import ProblemsError
from accelerator_reports.report import Report
from tests.folders import REPOSITORY
from tests.portal.results.made_up import made_up, stored


def keep_all(root: Path, *reports: Report) -> None:
    folding = fold_reports(root, [(Path("report.json"), report) for report in reports])
    assert not folding.problems


def test_nothing_kept_is_an_empty_history(tmp_path: Path) -> None:
    assert read_history(tmp_path, "example", "runs") == History(State("example", "runs"))


def test_newer_reports_come_on_top_and_older_ones_are_named(tmp_path: Path) -> None:
    first, second = made_up(1, {"a": "passed"}), made_up(2, {"a": "failed"})
    older, undated = made_up(0, {"a": "passed"}), made_up(0, {"a": "passed"}, started=None)
    keep_all(tmp_path, first)
    kept = read_history(tmp_path, "example", "runs")
    names = {"second": second, "first": first, "older": older, "undated": undated}
    found = with_reports(kept, [stored(name, report) for name, report in names.items()])
    assert [change.kind for change in found.changes] == ["new", "regressed"]
    (problem,) = found.left_out
    assert str(problem) == (
        "accelerators/example/results/older.json:1: the report started 2026-03-01 02:00:00 UTC, "
        "before the latest report (2026-03-02 02:00:00 UTC); remove the report, or rebuild the "
        "history from all reports"
    )
    assert read_history(tmp_path, "example", "runs") == kept, "nothing is written"


@pytest.mark.parametrize("name", ["runs.json", "manifest.json"])
def test_what_cannot_be_read_is_named(tmp_path: Path, name: str) -> None:
    keep_all(tmp_path, made_up(0, {"a": "passed"}))
    (tmp_path / "data/history/example" / name).write_bytes(b"no history")
    with pytest.raises(ProblemsError, match=f"{name}:1: invalid (history state|manifest)"):
        read_history(tmp_path, "example", "runs")


def test_a_report_that_this_repository_folded_is_still_the_same_one() -> None:
    """Whatever the format gets later: or each night would meet a stranger of the same moment."""
    catalog, _ = load_catalog(REPOSITORY)
    assert catalog is not None
    known = 0
    for stored_report in stored_reports(catalog)[0]:
        report = stored_report.report
        state = read_state_of(REPOSITORY, report.accelerator, basis_of(report))
        if report.started and state.last and report.started <= state.last:
            assert fold_report(state, report, Path(stored_report.path)) == (state, ())
            known += 1
    assert known
