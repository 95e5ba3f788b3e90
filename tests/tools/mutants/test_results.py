from __future__ import annotations

import ast
from dataclasses import replace
from pathlib import Path

import pytest

from tests.folders import REPOSITORY
from tools.mutants.mutant import Change
from tools.mutants.results import (
    Equivalent,
    Result,
    read_equivalents,
    read_results,
    table,
    write_results,
)
from tools.mutants.workspace import State

PACKAGE = "src/accelerator_portal"
EXPLAINED = read_equivalents(REPOSITORY / "tools/mutants/equivalent.yaml")

KILLED = Result(
    Change(f"{PACKAGE}/site/site_file.py", "f", "a < b", "a <= b"),
    3,
    "killed",
    "tests/test_a.py::f",
)
ENDLESS = Result(Change(f"{PACKAGE}/site/text_formats.py", "g", "break", "continue"), 5, "timeout")
SURVIVOR = Result(
    Change(f"{PACKAGE}/catalog/facts.py", "", "a = 1", "a = 2"), 7, "survived", tests=9
)


def test_what_was_kept_holds_while_the_package_and_the_tests_do(tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    state = State("package", {"tests/test_a.py": "1", "tests/test_b.py": "1"})
    assert read_results(path, state) == {}
    write_results(path, state, [KILLED, SURVIVOR])
    assert read_results(path, state) == {KILLED.change: KILLED, SURVIVOR.change: SURVIVOR}
    assert read_results(path, replace(state, package="another")) == {}
    # A new test may notice what survived; what a changed test noticed is looked at again.
    more = {**state.tests, "tests/test_c.py": "1"}
    assert read_results(path, replace(state, tests=more)) == {KILLED.change: KILLED}
    assert read_results(path, replace(state, tests={**more, "tests/test_a.py": "2"})) == {}
    # A mutant that only a removed test noticed is tried again; others did not depend on that test.
    write_results(path, state, [KILLED, ENDLESS, SURVIVOR])
    assert read_results(path, replace(state, tests={"tests/test_b.py": "1"})) == {
        ENDLESS.change: ENDLESS,
        SURVIVOR.change: SURVIVOR,
    }


def test_the_table_counts_by_component_and_lists_who_survived() -> None:
    lines = list(table([KILLED, ENDLESS, SURVIVOR]))
    assert [line.split() for line in lines[:4]] == [
        ["component", "drawn", "killed"],
        ["catalog", "1", "0", "0%"],
        ["site", "2", "2", "100%"],
        ["all", "3", "2", "67%"],
    ]
    assert lines[4:] == [
        "",
        f"{PACKAGE}/catalog/facts.py:7 (at import) (survived; 9 tests)",
        "  - a = 1",
        "  + a = 2",
    ]


@pytest.mark.parametrize(
    "entry", EXPLAINED, ids=lambda one: f"{one.change.path}: {one.change.after}"
)
def test_what_is_explained_still_stands_in_the_code(entry: Equivalent) -> None:
    tree = ast.parse((REPOSITORY / entry.change.path).read_text("utf-8"))
    code = " ".join(line.strip() for line in ast.unparse(tree).splitlines())
    assert entry.change.before in code
    assert entry.change.before != entry.change.after
    assert entry.why
