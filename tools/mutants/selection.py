"""Which tests can tell a mutant from the original, the quickest and closest first."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tools.mutants.mutant import SOURCES, Mutant, modules_of
from tools.mutants.recording import RecordedTest, Recording

# Seconds of tests for one mutant, as recorded. Nearly all are killed in the first of them.
MOST_SECONDS = 60.0
_COSTLY = 2.0


@dataclass(frozen=True)
class Selection:
    """The tests for one mutant, how long they took when they were recorded, and those left out."""

    tests: tuple[str, ...]
    seconds: float
    left_out: int = 0


def select(root: Path, recording: Recording, mutant: Mutant) -> Selection:
    """Choose the tests: those that run the statement.

    A statement that runs at import shows in what the module's functions do, or in the modules
    that import it: their tests are taken.
    """
    path, place = mutant.change.path, mutant.place
    found: set[str] = set()
    if place.function:
        found = recording.tests_of(path, range(place.first, place.last + 1))
    if not found and (not place.function or _runs_at_import(recording, mutant)):
        found = recording.tests_of(path)
        for importer in _importers(root).get(path, ()):
            found |= recording.tests_of(importer)
    return _within(recording, _ordered(recording, found, path), MOST_SECONDS)


def _runs_at_import(recording: Recording, mutant: Mutant) -> bool:
    """Whether a function was called, and not by a test."""
    lines = range(mutant.place.first, mutant.place.last + 1)
    return recording.runs(mutant.change.path, lines)


def _ordered(recording: Recording, names: Iterable[str], path: str) -> list[RecordedTest]:
    """First the tests of the module's own name; of each test function one case, then the others."""
    tests = sorted((recording.tests[name] for name in names), key=lambda test: test.id)
    own = f"test_{Path(path).name}"
    cases: dict[str, int] = defaultdict(int)
    ranked = []
    for test in tests:
        costly = _fixture_seconds(recording, test, set()) > _COSTLY
        ranked.append(((costly, cases[test.function], not test.file.endswith(own)), test))
        cases[test.function] += 1
    return [test for _, test in sorted(ranked, key=lambda pair: (pair[0], pair[1].seconds))]


def _within(recording: Recording, tests: Iterable[RecordedTest], most: float) -> Selection:
    """As many of the tests as fit; the first one always does."""
    taken: list[str] = []
    ready: set[str] = set()
    seconds, left_out = 0.0, 0
    for test in tests:
        cost = test.seconds + _fixture_seconds(recording, test, ready)
        if taken and seconds + cost > most:
            left_out += 1
            continue
        taken.append(test.id)
        ready |= set(test.fixtures)
        seconds += cost
    return Selection(tuple(taken), seconds, left_out)


def _fixture_seconds(recording: Recording, test: RecordedTest, ready: set[str]) -> float:
    return sum(recording.fixtures.get(name, 0.0) for name in test.fixtures if name not in ready)


@cache
def _importers(root: Path) -> dict[str, set[str]]:
    """For each module the modules that import it, by path."""
    modules = modules_of(root)
    names = {_dotted(path): path for path in modules}
    importers: dict[str, set[str]] = defaultdict(set)
    for path in modules:
        for node in ast.walk(ast.parse((root / path).read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module:
                asked = (node.module, *(f"{node.module}.{alias.name}" for alias in node.names))
                for name in filter(names.__contains__, asked):
                    importers[str(names[name])].add(str(path))
    return importers


def _dotted(path: Path) -> str:
    return ".".join(path.relative_to(SOURCES).with_suffix("").parts)
