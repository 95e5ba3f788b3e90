"""Damage is named, stays with its platform, and is repaired from what is whole."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from accelerator_portal.catalog import ProblemsError
from accelerator_portal.cli import main
from accelerator_portal.reports.report_file import report_text
from accelerator_portal.results.archive import read_history
from accelerator_portal.results.folding import fold_reports
from accelerator_portal.results.partitions.compaction import compact
from accelerator_portal.results.partitions.manifest import (
    HISTORY,
    Table,
    manifest_path,
    read_manifest,
)
from accelerator_portal.results.partitions.repairing import check_accelerator, repair_accelerator
from accelerator_portal.results.partitions.writing import locked
from tests.results.made_up import made_up
from tests.results.partitions.archived import DAYS, all_rows, archive, named, report_of, rows

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
def test_a_damaged_file_is_named_and_written_again_from_the_reports(
    tmp_path: Path, damage: str
) -> None:
    archive(tmp_path, *REPORTS)
    before = all_rows(tmp_path)
    path = listed(tmp_path, "results")
    do, said = DAMAGE[damage]
    do(path)
    (problem,) = check_accelerator(tmp_path, "example")
    assert problem.path == path.relative_to(tmp_path).as_posix()
    assert said in problem.what
    done = repair_accelerator(tmp_path, "example", named(*REPORTS))
    assert not done.lost
    assert all_rows(tmp_path) == before
    assert not list(check_accelerator(tmp_path, "example"))


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_month_is_written_again_as_far_as_reports_are_at_hand(
    tmp_path: Path, damage: str
) -> None:
    archive(tmp_path, *REPORTS)
    before = rows(tmp_path, "results")
    compact(tmp_path, "example", "2026-04")
    path = listed(tmp_path, "results")
    DAMAGE[damage][0](path)
    done = repair_accelerator(tmp_path, "example", named(*REPORTS[1:]))
    assert [(lost.path, lost.rows) for lost in done.lost] == [
        (path.relative_to(tmp_path / HISTORY).as_posix(), 3)
    ]
    kept = [row for row in before if row["torch"] != "2.0"]
    assert rows(tmp_path, "results") == kept
    assert not list(check_accelerator(tmp_path, "example"))
    assert path.with_name(f"{path.name}.damaged").exists() == (damage != "missing")


@pytest.mark.parametrize("damage", DAMAGE)
def test_damaged_changes_stop_their_platform_alone_and_are_noted_as_lost(
    tmp_path: Path, damage: str
) -> None:
    archive(tmp_path, *REPORTS, made_up(0, {"a": "passed"}, accelerator="other"))
    path = listed(tmp_path, "changes")
    DAMAGE[damage][0](path)
    with pytest.raises(ProblemsError, match=path.name):
        read_history(tmp_path, "example", "runs")
    assert len(read_history(tmp_path, "other", "runs").changes) == 1
    done = repair_accelerator(tmp_path, "example", named(*REPORTS))
    assert [lost.rows for lost in done.lost] == [3]
    assert len(read_history(tmp_path, "example", "runs").changes) == 3
    checked = run("check", "--root", tmp_path)
    assert checked.exit_code == 0
    assert "1 damaged file could not be restored (see the manifest)" in checked.output


@pytest.mark.parametrize("text", [None, "", "{", '{"schema_version": 1, "accelerator": "other"}'])
def test_a_manifest_is_made_again_from_whole_files(tmp_path: Path, text: str | None) -> None:
    archive(tmp_path, *REPORTS)
    before, path = read_manifest(tmp_path, "example"), manifest_path(tmp_path, "example")
    path.unlink()
    if text is not None:
        path.write_text(text, "utf-8")
    name = path.relative_to(tmp_path).as_posix()
    assert [p.path for p in check_accelerator(tmp_path, "example")] == [name]
    refused = fold_reports(tmp_path, named(report_of(9, {"a": "passed"})))
    assert [p.path for p in refused.problems] == [name]
    repair_accelerator(tmp_path, "example", [])
    assert read_manifest(tmp_path, "example") == before


def test_damage_beside_a_missing_manifest_is_seen_by_the_checksum_in_the_name(
    tmp_path: Path,
) -> None:
    archive(tmp_path, *REPORTS)
    before = all_rows(tmp_path)
    path = listed(tmp_path, "results")
    flipped(path)
    manifest_path(tmp_path, "example").unlink()
    done = repair_accelerator(tmp_path, "example", named(*REPORTS))
    assert [lost.rows for lost in done.lost] == [None]  # nobody knows how many there were
    assert all_rows(tmp_path) == before
    assert not list(check_accelerator(tmp_path, "example"))


def test_a_file_that_an_interrupted_fold_left_stays_until_the_report_is_folded(
    tmp_path: Path,
) -> None:
    archive(tmp_path, *REPORTS[:2])
    kept = {p: p.read_bytes() for p in (tmp_path / HISTORY / "example").iterdir()}
    archive(tmp_path, REPORTS[2])
    before = all_rows(tmp_path)
    for path, data in kept.items():
        path.write_bytes(data)
    repair_accelerator(tmp_path, "example", [])
    assert len(list(check_accelerator(tmp_path, "example"))) == 2
    archive(tmp_path, REPORTS[2])
    assert all_rows(tmp_path) == before
    assert not list(check_accelerator(tmp_path, "example"))


def test_two_folds_at_once_the_second_says_so_and_others_go_on(tmp_path: Path) -> None:
    reports = [REPORTS[0], made_up(0, {"a": "passed"}, accelerator="other")]
    with locked(tmp_path, "example"):
        folding = fold_reports(tmp_path, named(*reports))
    assert "\n".join(map(str, folding.problems)) == (
        'data/history/example:1: another command is writing the history of "example"; wait '
        "until it finishes, then run this command again"
    )
    assert [history.name for history in folding.histories] == ["other, runs"]
    assert not list(tmp_path.rglob("*.lock"))


def test_commands_check_and_repair_an_archive(tmp_path: Path) -> None:
    archive(tmp_path, *REPORTS)
    file = tmp_path / "day-1.json"
    file.write_text(report_text(REPORTS[1]), "utf-8")
    assert run("check", "--root", tmp_path).output == "example: 6 files, 15 rows, no damage\n"
    day = "20260302T020000Z"
    (path,) = (tmp_path / HISTORY / "runs/results").rglob(f"{day}-*.parquet")
    flipped(path)
    checked = run("check", "--root", tmp_path, "example")
    assert checked.exit_code == 1
    assert f"{path.name}:1: the file was changed" in checked.output
    repaired = run("repair", "--root", tmp_path, "example", file)
    assert repaired.exit_code == 0, repaired.output
    name = path.relative_to(tmp_path).as_posix()
    assert repaired.output == f"Recreated {name} from reports: 3 rows.\n"
    assert run("repair", "--root", tmp_path, "example", file).output == "Nothing to repair.\n"
    compacted = run("compact", "--root", tmp_path, "--before", "2026-04")
    assert compacted.output.startswith("example: merged 6 files into 2 (15 rows, ")
    unknown = run("repair", "--root", tmp_path, "../../etc")
    assert unknown.exit_code == 2
    assert 'there is no platform "../../etc"' in unknown.output
