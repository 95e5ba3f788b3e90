from __future__ import annotations

import json
from pathlib import Path

import pytest

from accelerator_portal.results.history_state import State
from accelerator_portal.results.state_file import read_state, state_text, write_state
from accelerator_reports.files.problem import ProblemsError
from tests.portal.results.made_up import course, folded, made_up

TEXT = """\
{"schema_version": 1, "accelerator": "example", "basis": "runs",
"reports": [
{"environment": {"torch": "2.0"}, "id": "ONE", "kind": "self-reported", \
"started": "2026-03-01T02:00:00+00:00", "trigger": {"kind": "nightly"}},
{"environment": {"torch": "2.1"}, "id": "TWO", "kind": "self-reported", \
"started": "2026-03-02T02:00:00+00:00", "trigger": {"kind": "nightly"}}
],
"groups": {
"models?mode=training": {"last": 1, "tests": {
"models/a?mode=training":["failed","run",1,0,1,0,1,"failed","run",null,1,1,0,"+-"],
"models/b?mode=training":["passed",null,0,0,0,0,null,null,null,1,1,0,0,"+"]
}}
}}
"""

REMEDY = "restore it from the repository's history"


def refused(path: Path) -> str:
    with pytest.raises(ProblemsError) as found:
        read_state(path)
    return str(found.value)


def test_a_state_is_one_test_a_line(tmp_path: Path) -> None:
    state, _ = folded(
        made_up(0, {"b?mode=training": "passed", "a?mode=training": "passed"}),
        made_up(1, {"a?mode=training": ("failed", "run")}),
    )
    one, two = sorted(state.reports.values(), key=lambda point: point.started)
    assert state_text(state) == TEXT.replace("ONE", one.id).replace("TWO", two.id)
    write_state(tmp_path / "state.json", state)
    assert read_state(tmp_path / "state.json") == state
    assert [path.name for path in tmp_path.iterdir()] == ["state.json"]


def test_a_state_of_nothing_is_kept(tmp_path: Path) -> None:
    write_state(tmp_path / "new/state.json", State("example", "baselines"))
    assert read_state(tmp_path / "new/state.json") == State("example", "baselines")


def test_names_of_every_kind_are_kept(tmp_path: Path) -> None:
    state, _ = folded(made_up(0, {'"\\\n': "passed", "modèle": "failed", "a/b%": "skipped"}))
    write_state(tmp_path / "state.json", state)
    assert read_state(tmp_path / "state.json") == state
    json.loads((tmp_path / "state.json").read_text(encoding="ascii"))


def test_an_environment_that_no_test_refers_to_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "state.json"
    state = course("passed", "passed", "passed")
    write_state(path, state)
    records = json.loads(path.read_text(encoding="utf-8"))["reports"]
    assert [record.get("environment") for record in records] == [
        {"torch": "2.0"},
        None,
        {"torch": "2.2"},
    ]
    kept = read_state(path)
    assert list(kept.tests()) == list(state.tests())
    assert state_text(kept) == state_text(state)


def test_an_interrupted_write_leaves_the_state_that_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "state.json"
    write_state(path, course("passed"))
    before = path.read_bytes()

    def interrupted(self: Path, data: bytes) -> int:
        with self.open("wb") as file:
            file.write(data[:10])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", interrupted)
    with pytest.raises(OSError, match="No space left"):
        write_state(path, course("failed"))
    assert path.read_bytes() == before
    assert [left.name for left in tmp_path.iterdir()] == ["state.json"]


EOF, FIELD = (
    "Invalid JSON: EOF while parsing a value at",
    "groups.models?mode=training.tests.models/a",
)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (TEXT, "", f"{EOF} line 1 column 0"),
        (TEXT[TEXT.index('"+-"') :], "", f"{EOF} line 8 column 77"),
        ('"schema_version": 1', '"schema_version": 2', "schema_version: Input should be 1"),
        ('"last": 1', '"last": 2', "a test refers to a report that is not in the file"),
        ('"run",1,0,1,', '"run",1,0,-1,', "4: Input should be greater than or equal to 0"),
        ('"+-"', '"?"', "13: String should match pattern '^(=?[+-]){0,30}$'"),
        ("+00:00", "", "reports.0.started: Input should have timezone info"),
    ],
)
def test_a_damaged_state_is_refused(tmp_path: Path, old: str, new: str, said: str) -> None:
    path = tmp_path / "state.json"
    path.write_text(TEXT.replace(old, new), encoding="utf-8")
    place = f"{FIELD}?mode=training." if said[0].isdigit() else ""
    assert refused(path) == f"state.json:1: invalid history state ({place}{said}); {REMEDY}"


def test_a_state_that_is_not_there_is_named(tmp_path: Path) -> None:
    assert refused(tmp_path / "state.json") == (
        "state.json:1: the file cannot be read (No such file or directory); "
        "use a regular file that you can read"
    )
