"""Draws mutants: modules with one small change."""

from __future__ import annotations

import ast
import difflib
import hashlib
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import groupby, islice
from pathlib import Path

from tools.mutants.edits import Edit, Place, edits

SOURCES = Path("src")
_PORTAL = SOURCES / "accelerator_portal"
# Needs torch, which is not installed for these tests.
_NEEDS_TORCH = SOURCES / "accelerator_validation" / "suites"
_MINIMUM_PER_COMPONENT = 8


@dataclass(frozen=True)
class Change:
    """The key of a mutant. The key does not change if lines are added above the mutant.

    `before` has the original text of the changed lines, and `after` their new text. If `after` is
    empty, the key stands for all changes of these lines.
    """

    path: str
    function: str
    before: str
    after: str = ""

    def is_among(self, changes: Collection[Change]) -> bool:
        """Return whether `changes` has this change, or all changes of its statement."""
        return self in changes or replace(self, after="") in changes


@dataclass(frozen=True)
class Mutant:
    """A module with one change.

    `source` is the text of the changed module. `line` and `place` locate the original statement.
    """

    change: Change
    line: int
    place: Place
    source: str


def draw(root: Path, number: int, seed: str, excluded: Iterable[Change]) -> list[Mutant]:
    """Return `number` mutants, drawn from all components.

    Each component gets a minimum, and a part of the rest in proportion to its number of statements.
    If a component has too few mutants, fewer are returned. The draw depends only on the statements
    themselves, so that a change of one statement hardly affects the others.
    """
    without = set(excluded)
    components = {
        component: _ranked_statements(root, modules, seed)
        for component, modules in _components(root).items()
    }
    shares = _mutants_per_component(
        {component: len(statements) for component, statements in components.items()}, number
    )
    return [
        mutant
        for component, statements in components.items()
        for mutant in islice(_mutants(root, statements, seed, without), shares[component])
    ]


def component_of(path: str) -> str:
    """Return the component of a module: a folder of `accelerator_portal`, or another package."""
    below = Path(path)
    return below.relative_to(_PORTAL if below.is_relative_to(_PORTAL) else SOURCES).parts[0]


def modules_of(root: Path) -> list[Path]:
    """Return the paths of the modules that may be changed, relative to the root and sorted."""
    found = (path.relative_to(root) for path in (root / SOURCES).rglob("*.py"))
    return sorted(path for path in found if not path.is_relative_to(_NEEDS_TORCH))


def _components(root: Path) -> dict[str, list[Path]]:
    inside = [path for path in modules_of(root) if path.parent != _PORTAL]
    return {
        component: list(paths)
        for component, paths in groupby(inside, lambda path: component_of(str(path)))
    }


def _mutants_per_component(sizes: Mapping[str, int], number: int) -> dict[str, int]:
    """Return the number of mutants by component: a minimum, and the rest by largest remainder."""
    total = sum(sizes.values())
    least = min(_MINIMUM_PER_COMPONENT, number // len(sizes))
    rest = number - least * len(sizes)
    exact = {component: rest * size / total for component, size in sizes.items()}
    shares = {component: least + int(share) for component, share in exact.items()}
    by_remainder = sorted(
        exact, key=lambda component: (int(exact[component]) - exact[component], component)
    )
    for component in by_remainder[: number - sum(shares.values())]:
        shares[component] += 1
    return shares


@dataclass(frozen=True)
class _Statement:
    """A statement that has edits; `rank` is its sort key in the draw."""

    rank: str
    path: Path
    place: Place


def _ranked_statements(root: Path, modules: Iterable[Path], seed: str) -> list[_Statement]:
    """Return the statements of a component's modules, in the order of the draw."""
    statements: list[_Statement] = []
    for path in modules:
        text = (root / path).read_text("utf-8")
        lines = text.splitlines()
        places = {edit.place: None for edit in edits(ast.parse(text))}
        for place in places:
            statement = "\n".join(lines[place.first - 1 : place.last])
            rank = _rank(seed, str(path), place.function, statement)
            statements.append(_Statement(rank, path, place))
    return sorted(statements, key=lambda one: (one.rank, one.place.first))


def _mutants(
    root: Path, statements: Iterable[_Statement], seed: str, excluded: set[Change]
) -> Iterator[Mutant]:
    """Yield one mutant of each statement that has a mutant."""
    for statement in statements:
        tree = ast.parse((root / statement.path).read_text("utf-8"))
        found = [edit for edit in edits(tree) if edit.place == statement.place]
        ranked = sorted(found, key=lambda edit: _rank(seed, ast.dump(edit.new), str(edit.index)))
        mutants = (_mutant(tree, edit, statement.path) for edit in ranked)
        yield from islice((one for one in mutants if one and not one.change.is_among(excluded)), 1)


def _mutant(tree: ast.Module, edit: Edit, path: Path) -> Mutant | None:
    """Return the mutant of an edit; None if the changed code is invalid or does not differ."""
    original = ast.unparse(tree)
    try:
        with edit.applied():
            changed = ast.unparse(tree)
        compile(changed, str(path), "exec")
    except (SyntaxError, ValueError):
        return None
    difference = list(difflib.ndiff(original.splitlines(), changed.splitlines()))
    before = " ".join(line[2:].strip() for line in difference if line.startswith("- "))
    after = " ".join(line[2:].strip() for line in difference if line.startswith("+ "))
    if before == after:
        return None
    if not before:  # a statement is added to the end of a loop
        before = ast.unparse(edit.new).splitlines()[0]
        after = f"{before} … {after}"
    change = Change(str(path), edit.place.function, before, after)
    return Mutant(change, edit.line, edit.place, changed)


def _rank(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()
