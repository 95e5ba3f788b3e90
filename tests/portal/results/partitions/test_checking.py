"""Damage is found, named, and stays with its platform."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from click.testing import CliRunner, Result
from hypothesis import given, settings
from hypothesis import strategies as st

from accelerator_portal.results.folding import fold_reports
from accelerator_portal.results.partitions.checking import check_accelerator, rebuilt_state
from accelerator_portal.results.partitions.manifest import (
    HISTORY,
    Table,
    manifest_path,
    read_manifest,
)
from accelerator_portal.results.partitions.parquet_files import history_lock
from accelerator_portal.results.state_file import state_text
from accelerator_portal.results.stored_history import read_history
from accelerator_reports.cli import main
from accelerator_reports.files.problem import ProblemsError
from tests.portal.results.made_up import NAMES, OUTCOMES, STAGES, Outcomes, made_up
from tests.portal.results.partitions.archived import DAYS, all_rows, archive, named, report_of

STATE = f"{HISTORY}/example/runs.json"
REPORTS = [report_of(day, outcomes) for day, outcomes in enumerate(DAYS)]


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, ["history", *map(str, arguments)])


def listed(root: Path, table: Table) -> Path:
    return root / HISTORY / read_manifest(root, "example").files_of("runs", table)[0].path


def shortened(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-20])


def flipped(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 3] ^= 4
    path.write_bytes(data)


DAMAGE: dict[str, tuple[Callable[[Path], None], str]] = {
    "missing": (Path.unlink, "file not found"),
    "truncated": (shortened, "bytes, the manifest lists"),
    "a flipped bit": (
        flipped,
        "the file was changed; its SHA-256 checksum differs from the manifest",
    ),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_file_is_named(tmp_path: Path, damage: str) -> None:
    archive(tmp_path, *REPORTS)
    path = listed(tmp_path, "results")
    do, said = DAMAGE[damage]
    do(path)
    (problem,) = check_accelerator(tmp_path, "example")
    assert problem.path == path.relative_to(tmp_path).as_posix()
    assert said in problem.what


@pytest.mark.parametrize("damage", DAMAGE)
def test_damaged_changes_stop_their_platform_alone(tmp_path: Path, damage: str) -> None:
    archive(tmp_path, *REPORTS, made_up(0, {"a": "passed"}, accelerator="other"))
    path = listed(tmp_path, "changes")
    DAMAGE[damage][0](path)
    with pytest.raises(ProblemsError, match=path.name):
        read_history(tmp_path, "example", "runs")
    assert len(read_history(tmp_path, "other", "runs").changes) == 1


@pytest.mark.parametrize("text", [None, "", "{", '{"schema_version": 1, "accelerator": "other"}'])
def test_a_damaged_manifest_is_named(tmp_path: Path, text: str | None) -> None:
    archive(tmp_path, *REPORTS)
    path = manifest_path(tmp_path, "example")
    path.unlink()
    if text is not None:
        path.write_text(text, "utf-8")
    name = path.relative_to(tmp_path).as_posix()
    assert [p.path for p in check_accelerator(tmp_path, "example")] == [name]
    refused = fold_reports(tmp_path, named(report_of(9, {"a": "passed"})))
    assert [p.path for p in refused.problems] == [name]


def test_files_of_an_interrupted_fold_are_named_and_deleted_by_the_next(tmp_path: Path) -> None:
    archive(tmp_path, *REPORTS[:2])
    kept = {p: p.read_bytes() for p in (tmp_path / HISTORY / "example").iterdir()}
    archive(tmp_path, REPORTS[2])
    before = all_rows(tmp_path)
    for path, data in kept.items():
        path.write_bytes(data)
    problems = list(check_accelerator(tmp_path, "example"))
    assert problems
    assert all("manifest does not list this file" in problem.what for problem in problems)
    assert all(problem.remedy.endswith("history compact") for problem in problems)
    assert run("compact", "--root", tmp_path, "--before", "2026-01").output == ""
    assert not list(check_accelerator(tmp_path, "example"))
    archive(tmp_path, REPORTS[2])
    assert all_rows(tmp_path) == before
    assert not list(check_accelerator(tmp_path, "example"))


def test_two_folds_at_once_the_second_says_so_and_others_go_on(tmp_path: Path) -> None:
    reports = [REPORTS[0], made_up(0, {"a": "passed"}, accelerator="other")]
    with history_lock(tmp_path, "example"):
        folding = fold_reports(tmp_path, named(*reports))
    assert "\n".join(map(str, folding.problems)) == (
        'data/history/example:1: another command is writing the history of "example"; wait '
        "until it finishes, then run this command again"
    )
    assert [history.name for history in folding.histories] == ["other, runs"]
    assert not list(tmp_path.rglob("*.lock"))


def test_commands_check_and_compact_an_archive(tmp_path: Path) -> None:
    archive(tmp_path, *REPORTS)
    assert run("check", "--root", tmp_path).output == "example: 6 files, 15 rows, no damage\n"
    day = "20260302T020000Z"
    (path,) = (tmp_path / HISTORY / "runs/results").rglob(f"{day}-*.parquet")
    data = path.read_bytes()
    flipped(path)
    checked = run("check", "--root", tmp_path, "example")
    assert checked.exit_code == 1
    assert f"{path.name}:1: the file was changed" in checked.output
    path.write_bytes(data)
    compacted = run("compact", "--root", tmp_path, "--before", "2026-04")
    assert compacted.output == "example: merged 6 files into 2\n"


@pytest.mark.parametrize("damage", [Path.unlink, shortened])
def test_a_damaged_state_is_named(tmp_path: Path, damage: Callable[[Path], None]) -> None:
    archive(tmp_path, *REPORTS)
    damage(tmp_path / STATE)
    (problem,) = check_accelerator(tmp_path, "example")
    assert problem.path == STATE
    assert "restore" in str(problem)


@settings(max_examples=30)
@given(
    st.lists(
        st.dictionaries(NAMES, st.tuples(OUTCOMES, STAGES), min_size=1, max_size=6),
        min_size=1,
        max_size=8,
    )
)
def test_whatever_was_folded_the_archive_agrees_with_the_state(days: list[Outcomes]) -> None:
    """Tests disappear, come back and change their outcomes, over two months."""
    with TemporaryDirectory() as folder:
        root = Path(folder)
        archive(root, *(made_up(day * 9, outcomes) for day, outcomes in enumerate(days)))
        again = rebuilt_state(root, read_manifest(root, "example"), "runs")
        assert again is not None
        assert state_text(again) == (root / STATE).read_text("utf-8")


@pytest.mark.parametrize(
    ("old", "new"), [('"failed"', '"passed"'), ('"+-+"', '"+++"'), ("b", "d"), (",3,", ",2,")]
)
def test_what_was_changed_within_a_state_is_found(tmp_path: Path, old: str, new: str) -> None:
    archive(tmp_path, *REPORTS)
    path = tmp_path / STATE
    head, _, groups = path.read_text("utf-8").partition('"groups"')
    key = "/b" if old == "b" else old
    assert key in groups
    changed = groups.replace(key, key.replace(old, new), 1)
    path.write_text(f'{head}"groups"{changed}', "utf-8")
    (problem,) = check_accelerator(tmp_path, "example")
    assert "differs from the archived results" in problem.what
    assert problem.path == STATE


def test_a_state_with_an_older_window_and_whole_environments_is_right(tmp_path: Path) -> None:
    """An environment's packages tell code apart; the archive does not have them."""
    same = {"torch": "2.9.0"}
    reports = [
        made_up(day, outcomes, environment={**same, "packages": {"a": str(day)}})
        for day, outcomes in enumerate(DAYS)
    ]
    archive(tmp_path, *reports)
    assert list(check_accelerator(tmp_path, "example")) == []
    path = tmp_path / STATE
    text = path.read_text("utf-8")
    assert '"+-+"' in text
    path.write_text(text.replace('"+-+"', '"-+"'), "utf-8")
    assert list(check_accelerator(tmp_path, "example")) == []


def test_a_state_is_not_compared_with_an_archive_that_is_damaged(tmp_path: Path) -> None:
    """Of one report of two suites a file is gone: what is left would come to another state."""
    archive(tmp_path, report_of(0, DAYS[0], ("models", "others")))
    file, _ = read_manifest(tmp_path, "example").files_of("runs", "results")
    (tmp_path / HISTORY / file.path).unlink()
    (problem,) = check_accelerator(tmp_path, "example")
    assert problem.what == "file not found"
