"""A state that is damaged or gone is made again from the archive."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from accelerator_portal.cli import main
from accelerator_portal.results.archive import read_state_of, state_path
from accelerator_portal.results.partitions.manifest import HISTORY, read_manifest
from accelerator_portal.results.partitions.repairing import check_accelerator, repair_accelerator
from tests.results.made_up import NAMES, OUTCOMES, STAGES, Outcomes, made_up
from tests.results.partitions.archived import DAYS, archive, content, named, report_of

REPORTS = [report_of(day, outcomes) for day, outcomes in enumerate(DAYS)]
STATE = f"{HISTORY}/example/runs.json"


def shortened(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-20])


@pytest.mark.parametrize("damage", [Path.unlink, shortened])
def test_a_state_is_made_again_without_any_report(
    tmp_path: Path, damage: Callable[[Path], None]
) -> None:
    archive(tmp_path, *REPORTS)
    before = content(tmp_path)
    damage(tmp_path / STATE)
    done = CliRunner().invoke(main, ["history", "repair", "--root", str(tmp_path), "example"])
    assert done.exit_code == 0
    assert done.stdout == (
        f"Recreated {STATE} from 3 archived reports.\n"
        "Package versions and origins are missing in 3 reports, "
        "because the archive doesn't have them.\n"
    )
    kept = content(tmp_path)
    damaged = kept.pop("example/runs.json.damaged", b"")
    assert kept == before
    assert before["example/runs.json"].startswith(damaged)
    again = CliRunner().invoke(main, ["history", "repair", "--root", str(tmp_path), "example"])
    assert again.stdout == "Nothing to repair.\n"


@settings(max_examples=30)
@given(
    st.lists(
        st.dictionaries(NAMES, st.tuples(OUTCOMES, STAGES), min_size=1, max_size=6),
        min_size=1,
        max_size=8,
    )
)
def test_whatever_was_folded_the_state_is_the_same_again(days: list[Outcomes]) -> None:
    """Tests that go, come back and change their minds, over two months."""
    with TemporaryDirectory() as folder:
        root = Path(folder)
        archive(root, *(made_up(day * 9, outcomes) for day, outcomes in enumerate(days)))
        path = state_path(root, "example", "runs")
        before = path.read_bytes()
        path.unlink()
        assert repair_accelerator(root, "example", []).lost == ()
        assert path.read_bytes() == before


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


def test_reports_that_are_at_hand_give_what_the_archive_has_no_columns_for(tmp_path: Path) -> None:
    environment = {"torch": "2.9.0", "sdk": {"name": "kit", "version": "3"}, "packages": {"a": "1"}}
    report = made_up(0, DAYS[0], environment=environment)
    archive(tmp_path, report)
    path = tmp_path / STATE
    before = path.read_bytes()
    path.unlink()
    repair_accelerator(tmp_path, "example", named(report))
    assert path.read_bytes() == before

    path.unlink()
    repair_accelerator(tmp_path, "example", [])
    (point,) = read_state_of(tmp_path, "example", "runs").reports.values()
    assert (point.environment.torch, point.environment.sdk) == ("2.9.0", None)


def test_a_report_whose_results_are_lost_is_left_out_and_that_is_told(tmp_path: Path) -> None:
    archive(tmp_path, *REPORTS)
    last = read_manifest(tmp_path, "example").files_of("runs", "results")[-1]
    (tmp_path / HISTORY / last.path).unlink()
    (tmp_path / STATE).unlink()
    done = repair_accelerator(tmp_path, "example", [])
    assert f"Recreated {STATE} from 2 archived reports." in done.done
    assert "Left out 1 report, because no file has the results." in done.done
    assert len(read_state_of(tmp_path, "example", "runs").reports) == 2


def test_a_state_is_not_compared_with_an_archive_that_is_damaged(tmp_path: Path) -> None:
    """Of one report of two suites a file is gone: what is left would come to another state."""
    archive(tmp_path, report_of(0, DAYS[0], ("models", "others")))
    file, _ = read_manifest(tmp_path, "example").files_of("runs", "results")
    (tmp_path / HISTORY / file.path).unlink()
    (problem,) = check_accelerator(tmp_path, "example")
    assert problem.what == "file not found"
    repair_accelerator(tmp_path, "example", [])
    assert list(check_accelerator(tmp_path, "example")) == []
