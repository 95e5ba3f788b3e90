from __future__ import annotations

from pathlib import Path

from accelerator_portal.reports import Report
from accelerator_portal.results.archive import read_state_of
from accelerator_portal.results.folding import FoldedHistory, fold_reports
from tests.results.made_up import made_up


def named(*reports: Report) -> list[tuple[Path, Report]]:
    return [(Path(f"{number}.json"), report) for number, report in enumerate(reports)]


def test_a_history_that_cannot_take_a_report_does_not_stop_the_others(tmp_path: Path) -> None:
    fold_reports(tmp_path, named(made_up(1, {"a": "passed"})))
    told: list[FoldedHistory] = []
    early = made_up(0, {"a": "failed"})
    other = made_up(0, {"a": "passed", "b": "failed"}, accelerator="other")
    folding = fold_reports(tmp_path, named(early, other), told=told.append)
    assert folding.histories == (FoldedHistory("other, runs", 1, 1, 2),)
    assert tuple(told) == folding.histories
    assert [problem.path for problem in folding.problems] == ["0.json"]
    assert folding.total is None
    assert len(read_state_of(tmp_path, "example", "runs").reports) == 1


def test_the_total_is_that_of_several_histories(tmp_path: Path) -> None:
    other = made_up(0, {"a": "passed", "b": "failed"}, accelerator="other")
    reports = [made_up(0, {"a": "passed"}), made_up(1, {"a": "failed"}), other]
    folding = fold_reports(tmp_path, named(*reversed(reports)))
    assert [str(history) for history in folding.histories] == [
        "example, runs: 2 new reports of 2, 2 changes",
        "other, runs: 1 new report of 1, 2 changes",
    ]
    assert str(folding.total) == "2 histories: 3 new reports of 3, 4 changes"
    assert fold_reports(tmp_path, []).total is None


def test_what_is_folded_anew_forgets_what_was_kept(tmp_path: Path) -> None:
    first, second = made_up(0, {"a": "passed"}), made_up(1, {"a": "failed"})
    fold_reports(tmp_path, named(first, second))
    folding = fold_reports(tmp_path, named(second), anew=True)
    assert folding.histories == (FoldedHistory("example, runs", 1, 1, 1),)
    assert len(read_state_of(tmp_path, "example", "runs").reports) == 1
