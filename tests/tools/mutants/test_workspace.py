from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.folders import write_tree
from tools.mutants.edits import Place
from tools.mutants.mutant import Change, Mutant
from tools.mutants.workspace import copy_tree, mutated_tree, read_state

MODULE = "src/accelerator_portal/numbers.py"
FILES = {
    ".gitignore": "/site/\n",
    "src/accelerator_portal/__init__.py": "",
    MODULE: "ONE = 1\n",
    "tests/folders.py": "A = 1\n",
    "tests/portal/site/test_a.py": "",
    "site/index.html": "built",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    tree = write_tree(tmp_path / "root", FILES)
    subprocess.run(["git", "init", "--quiet"], cwd=tree, check=True)
    return tree


def numbers(tree: Path) -> str:
    program = "from accelerator_portal.numbers import ONE; print(ONE)"
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, cwd=tree / "src", check=True, capture_output=True, text=True)
    return done.stdout.strip()


def test_a_copy_has_what_git_knows_or_would_add(root: Path, tmp_path: Path) -> None:
    tree = copy_tree(root, tmp_path / "copy")
    files = {path.relative_to(tree).as_posix() for path in tree.rglob("*") if path.is_file()}
    assert {name for name in files if "__pycache__" not in name} == {*FILES} - {"site/index.html"}


def test_no_change_outlives_its_trial_or_hides_behind_a_compiled_file(
    root: Path, tmp_path: Path
) -> None:
    tree = copy_tree(root, tmp_path / "copy")
    seen = [numbers(tree)]
    for source in ("ONE = 2\n", "ONE = 3\n"):  # as long as the original, and in the same second
        mutant = Mutant(Change(MODULE, "", "", ""), 1, Place("", (), 1, 1), source)
        with mutated_tree(tree, mutant):
            seen.append(numbers(tree))
        seen.append(numbers(tree))
    assert seen == ["1", "2", "1", "3", "1"]


def test_a_state_tells_which_tests_changed_and_whether_anything_else_did(root: Path) -> None:
    first = read_state(root)
    (root / "tests/portal/site/test_a.py").write_text("A = 1\n", "utf-8")
    (root / "tests/portal/site/test_b.py").write_text("", "utf-8")
    second = read_state(root)
    assert second.changed(first) == ["tests/portal/site/test_a.py", "tests/portal/site/test_b.py"]
    assert second.package == first.package
    for path in ("tests/folders.py", "tests/portal/site/table.yaml"):
        before = read_state(root).package
        (root / path).write_text("A: 2\n", "utf-8")
        assert read_state(root).package != before
