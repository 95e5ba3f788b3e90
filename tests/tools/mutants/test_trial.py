from __future__ import annotations

from collections.abc import Iterator
from multiprocessing import forkserver
from pathlib import Path

import pytest

from tests.folders import write_tree
from tools.mutants.edits import Place
from tools.mutants.mutant import Change, Mutant
from tools.mutants.trial import Trials
from tools.mutants.workspace import mutated_tree

MODULE = "src/accelerator_portal/numbers.py"
TESTS = "tests/test_numbers.py"
FILES = {
    "pyproject.toml": "[tool.pytest]\naddopts = ['--import-mode=importlib']\n",
    "src/accelerator_portal/__init__.py": "",
    MODULE: "def double(a):\n    return 2 * a\n",
    TESTS: """\
from accelerator_portal.numbers import double


def test_zero():
    assert double(0) == 0


def test_one():
    assert double(1) == 2
""",
}


@pytest.fixture(scope="module")
def trials() -> Iterator[Trials]:
    """Trials with a fork server of their own: a process has one, and others preload more."""
    forkserver._forkserver._stop()  # type: ignore[attr-defined]
    found = Trials()
    yield found
    found.stop()
    forkserver._forkserver._stop()  # type: ignore[attr-defined]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    return write_tree(tmp_path / "tree", FILES)


def mutant(source: str) -> Mutant:
    return Mutant(Change(MODULE, "double", "", ""), 2, Place("double", (), 2, 2), source)


@pytest.mark.parametrize(
    ("source", "tests", "outcome", "test"),
    [
        ("def double(a):\n    return 3 * a\n", ["test_zero"], "survived", ""),
        ("def double(a):\n    return 3 * a\n", ["test_zero", "test_one"], "killed", "test_one"),
        ("def double(a):\n    while True: pass\n", ["test_zero"], "timeout", ""),
        ("double = no_such_name\n", ["test_zero"], "killed", "(at import)"),
        ("import os\ndef double(a): os._exit(0)\n", ["test_zero"], "killed", "(the process ended)"),
        ("def double(a):\n    return 3 * a\n", [], "not covered", ""),
    ],
)
def test_what_becomes_of_a_mutant(  # noqa: PLR0913, PLR0917 - what is given, and what comes
    trials: Trials, tree: Path, source: str, tests: list[str], outcome: str, test: str
) -> None:
    ids = [f"{TESTS}::{name}" for name in tests]
    with mutated_tree(tree, mutant(source)):
        found = trials.run(tree, ids, 4.0 if outcome == "timeout" else 60.0)
    assert found.outcome == outcome
    assert found.test.removeprefix(f"{TESTS}::") == test
    assert (tree / MODULE).read_text("utf-8") == FILES[MODULE]
    assert trials.run(tree, [f"{TESTS}::test_one"], 60.0).outcome == "survived"
