from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tests.folders import REPOSITORY, write_tree
from tools.mutants.mutant import Change, component_of, draw

COMPONENT = "src/accelerator_portal/catalog"
FUNCTION = "def {name}(a, b):\n    if a < {number}:\n        return a + b\n    return [b, a]\n\n\n"


def functions(*names: str) -> str:
    return "".join(FUNCTION.format(name=name, number=len(name)) for name in names)


def changes(root: Path, *excluded: Change) -> list[Change]:
    return [mutant.change for mutant in draw(root, 3, "1", excluded)]


def test_a_seed_draws_the_same_and_another_one_does_not(tmp_path: Path) -> None:
    root = write_tree(tmp_path, {f"{COMPONENT}/a.py": functions(*(f"f{n}" for n in range(40)))})
    first = draw(root, 30, "1", [])
    assert len(first) == 30
    assert draw(root, 30, "1", []) == first
    assert draw(root, 30, "2", []) != first


def test_every_component_is_drawn_from_and_nothing_that_needs_torch() -> None:
    drawn = [mutant.change.path for mutant in draw(REPOSITORY, 90, "1", [])]
    packages = {path.parent for path in REPOSITORY.glob("src/*/__init__.py")}
    portal = REPOSITORY / "src/accelerator_portal"
    components = packages - {portal} | {path.parent for path in portal.glob("*/__init__.py")}
    assert {component_of(path) for path in drawn} == {component.name for component in components}
    assert not any("validation/suites" in path for path in drawn)


def test_a_change_elsewhere_leaves_the_draw_as_it_was(tmp_path: Path) -> None:
    few = write_tree(tmp_path / "few", {f"{COMPONENT}/a.py": functions("f", "ff", "fff")})
    text = f"import os\n\n\n{functions('f', 'ff', 'fff')}"
    more = write_tree(tmp_path / "more", {f"{COMPONENT}/a.py": text})
    assert changes(few) == changes(more)


def test_an_explained_change_is_replaced_by_another_one(tmp_path: Path) -> None:
    root = write_tree(tmp_path, {f"{COMPONENT}/a.py": functions("f", "ff")})
    first, *rest = changes(root)
    again = changes(root, first)
    assert first not in again
    assert len(again) == 3
    assert set(rest) < set(again)
    statement = replace(first, after="")
    assert statement not in {replace(one, after="") for one in changes(root, statement)}


def test_the_change_is_told_in_one_line_and_made_in_the_source(tmp_path: Path) -> None:
    root = write_tree(tmp_path, {f"{COMPONENT}/a.py": "def f(a):\n    for b in a:\n        g(b)\n"})
    drawn = draw(root, 2, "1", [])
    told = {(one.line, one.change.function, one.change.before, one.change.after) for one in drawn}
    assert told == {(2, "f", "for b in a:", "for b in a: … break"), (3, "f", "g(b)", "pass")}
    assert "def f(a):\n    for b in a:\n        pass" in {one.source for one in drawn}
