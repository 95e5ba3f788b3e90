"""Selects the tests that can detect a mutant, the fastest and most closely related first."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tools.mutants.mutant import SOURCES, Mutant, modules_of
from tools.mutants.recording import RecordedTest, Recording

# The most seconds of tests for one mutant, as recorded. Nearly all are killed in the first ones.
MOST_SECONDS = 60.0
_COSTLY_SECONDS = 2.0


@dataclass(frozen=True)
class Selection:
    """The tests for one mutant.

    `seconds` is the time that the tests took when they were recorded. `left_out` is the number of
    tests that also run the statement, but would take too long.
    """

    tests: tuple[str, ...]
    seconds: float
    left_out: int = 0


def select_tests(root: Path, recording: Recording, mutant: Mutant) -> Selection:
    """Return the tests that run the mutant's statement, as far as time allows.

    If the statement runs only at import, the tests are those that run any line of the module or of
    a module that imports it. If the statement of a function never runs, there are no tests.
    """
    path, place = mutant.change.path, mutant.place
    found: set[str] = set()
    if place.function:
        found = recording.tests_of(path, range(place.first, place.last + 1))
    if not found and (not place.function or _runs_at_import(recording, mutant)):
        found = recording.tests_of(path)
        for importer in _importers(root).get(path, ()):
            found |= recording.tests_of(importer)
    return _tests_within(recording, _tests_in_order(recording, found, path), MOST_SECONDS)


def _runs_at_import(recording: Recording, mutant: Mutant) -> bool:
    """Return whether a statement that no test runs was run at import."""
    lines = range(mutant.place.first, mutant.place.last + 1)
    return recording.runs(mutant.change.path, lines)


def _tests_in_order(recording: Recording, names: Iterable[str], path: str) -> list[RecordedTest]:
    """Return the tests in the order of the trial.

    Tests with slow fixtures come last. Within each of the two groups, the first case of each test
    function comes before all second cases, and so on. Among these, tests in the test file with the
    module's name come first, then the fastest tests.
    """
    tests = sorted((recording.tests[name] for name in names), key=lambda test: test.id)
    own = f"test_{Path(path).name}"
    cases: dict[str, int] = defaultdict(int)
    ranked = []
    for test in tests:
        costly = _fixture_seconds(recording, test, set()) > _COSTLY_SECONDS
        ranked.append(((costly, cases[test.function], not test.file.endswith(own)), test))
        cases[test.function] += 1
    return [test for _, test in sorted(ranked, key=lambda pair: (pair[0], pair[1].seconds))]


def _tests_within(recording: Recording, tests: Iterable[RecordedTest], most: float) -> Selection:
    """Return the tests that together take at most `most` seconds, in order.

    The first test is always among them. Tests that do not fit are left out.
    """
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
    """Return, for each module, the modules that import it with `from … import`.

    The keys and the values are paths.
    """
    modules = modules_of(root)
    names = {_module_name(path): path for path in modules}
    importers: dict[str, set[str]] = defaultdict(set)
    for path in modules:
        for node in ast.walk(ast.parse((root / path).read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module:
                asked = (node.module, *(f"{node.module}.{alias.name}" for alias in node.names))
                for name in filter(names.__contains__, asked):
                    importers[str(names[name])].add(str(path))
    return importers


def _module_name(path: Path) -> str:
    return ".".join(path.relative_to(SOURCES).with_suffix("").parts)
