"""What is kept between two reports is what keeping all reports would say."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings

from accelerator_portal.catalog import ProblemsError, load_catalog
from accelerator_portal.reports.report import Report
from accelerator_portal.reports.store import StoredReport, stored_reports
from accelerator_portal.results.archive import (
    History,
    basis_of,
    changes_path,
    keep,
    read_history,
    read_state_of,
    state_path,
    with_reports,
)
from accelerator_portal.results.history import fold
from accelerator_portal.results.standing import State
from tests.folders import REPOSITORY
from tests.results.made_up import HISTORIES, Outcomes, folded, made_up


def keep_all(root: Path, *reports: Report) -> None:
    for report in reports:
        state, changes = fold(read_state_of(root, "example", "runs"), report)
        keep(root, state, changes)


def stored(name: str, report: Report) -> StoredReport:
    return StoredReport(name, f"accelerators/example/results/{name}.json", report, None)


@settings(max_examples=40)  # each writes files for every day
@given(HISTORIES)
def test_a_history_that_was_kept_is_the_history(
    tmp_path_factory: pytest.TempPathFactory, history: list[Outcomes]
) -> None:
    root = tmp_path_factory.mktemp("kept")
    reports = [made_up(day, outcomes) for day, outcomes in enumerate(history)]
    keep_all(root, *reports)
    state, changes = folded(*reports) if reports else (State("example", "runs"), [])
    found = read_history(root, "example", "runs")
    assert found.changes == tuple(changes)
    assert dict(found.state.tests()) == dict(state.tests())


def test_nothing_kept_is_an_empty_history(tmp_path: Path) -> None:
    assert read_history(tmp_path, "example", "runs") == History(State("example", "runs"))


def test_an_interruption_between_the_two_files_doubles_nothing(tmp_path: Path) -> None:
    reports = [made_up(0, {"a": "passed"}), made_up(1, {"a": "failed"})]
    keep_all(tmp_path, *reports)
    before = [p(tmp_path, "example", "runs").read_bytes() for p in (state_path, changes_path)]
    state_path(tmp_path, "example", "runs").unlink()
    keep_all(tmp_path, reports[0])  # the changes of both are there, the state of the first alone
    keep_all(tmp_path, reports[1])
    after = [p(tmp_path, "example", "runs").read_bytes() for p in (state_path, changes_path)]
    assert after == before


def test_keeping_anew_forgets_the_changes_too(tmp_path: Path) -> None:
    keep_all(tmp_path, made_up(0, {"a": "passed"}), made_up(1, {"a": "failed"}))
    state, changes = fold(State("example", "runs"), made_up(5, {"b": "passed"}))
    keep(tmp_path, state, changes, anew=True)
    found = read_history(tmp_path, "example", "runs")
    assert [change.key for change in found.changes] == ["models/b"]


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
        "before the last one (2026-03-02 02:00:00 UTC); rebuild the history from all reports"
    )
    assert read_history(tmp_path, "example", "runs") == kept, "nothing is written"


@pytest.mark.parametrize("name", ["runs.json", "runs.parquet"])
def test_what_cannot_be_read_is_named(tmp_path: Path, name: str) -> None:
    keep_all(tmp_path, made_up(0, {"a": "passed"}))
    (tmp_path / "data/history/example" / name).write_bytes(b"no history")
    with pytest.raises(ProblemsError, match=f"{name}:1: this is no (state|table)"):
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
            assert fold(state, report, Path(stored_report.path)) == (state, ())
            known += 1
    assert known
