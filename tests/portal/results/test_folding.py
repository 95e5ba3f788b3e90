from __future__ import annotations

import datetime as dt
from pathlib import Path

from accelerator_portal.results.folding import FoldedHistory, fold_reports, without_future_reports
from accelerator_portal.results.stored_history import read_state_of
from accelerator_reports.report import Report
from tests.portal.results.made_up import made_up


def named(*reports: Report) -> list[tuple[Path, Report]]:
    return [(Path(f"{number}.json"), report) for number, report in enumerate(reports)]


def test_a_history_that_cannot_take_a_report_does_not_stop_the_others(tmp_path: Path) -> None:
    fold_reports(tmp_path, named(made_up(1, {"a": "passed"})))
    told: list[FoldedHistory] = []
    early = made_up(0, {"a": "failed"})
    other = made_up(0, {"a": "passed", "b": "failed"}, accelerator="other")
    folding = fold_reports(tmp_path, named(early, other), on_result=told.append)
    assert folding.histories == (FoldedHistory("other, runs", 1, 1, 2),)
    assert tuple(told) == folding.histories
    assert [problem.path for problem in folding.problems] == ["0.json"]
    assert folding.total is None
    assert len(read_state_of(tmp_path, "example", "runs").reports) == 1


def test_a_report_that_a_history_cannot_take_is_named_and_later_ones_are_added(
    tmp_path: Path,
) -> None:
    fold_reports(tmp_path, named(made_up(1, {"a": "passed"})))
    reports = [made_up(0, {"a": "failed"}), made_up(2, {"a": "failed"})]
    paths = [f"accelerators/example/results/{name}.json" for name in ("old", "new")]
    folding = fold_reports(tmp_path, zip(map(Path, paths), reports, strict=True))
    assert [problem.path for problem in folding.problems] == [paths[0]]
    assert read_state_of(tmp_path, "example", "runs").last == reports[1].started


def test_a_report_of_the_future_is_refused_and_keeps_out_no_other(tmp_path: Path) -> None:
    early = made_up(0, {"a": "passed"})
    assert early.started
    now = early.started + dt.timedelta(days=7)
    late = made_up((now - early.started).days + 3, {"a": "failed"})
    assert late.started
    present, problems = without_future_reports(named(early, late), now)
    fold_reports(tmp_path, present)
    assert "\n".join(map(str, problems)) == (
        f"1.json:1: the report started {late.started:%Y-%m-%d %H:%M} UTC, which is in the future; "
        "correct the clock of the machine that ran it, and correct started"
    )
    assert len(read_state_of(tmp_path, "example", "runs").reports) == 1
    again = fold_reports(tmp_path, named(made_up(1, {"a": "passed"})))
    assert not again.problems


def test_a_clock_that_is_a_little_ahead_is_no_future() -> None:
    now = dt.datetime(2026, 3, 1, tzinfo=dt.UTC)
    report = made_up(0, {"a": "passed"}, started=(now + dt.timedelta(hours=20)).isoformat())
    assert without_future_reports(named(report), now) == (named(report), [])
