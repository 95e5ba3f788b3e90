"""Which tests run a statement, and how long each takes: one run of the tests, kept in a folder."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest
from coverage import Coverage, CoverageData

from tools.mutants import recorder
from tools.mutants.workspace import State, copy_tree, read_state

# What takes minutes, and what looks at the repository and not at the package.
_NOT_RUN = (
    "tests/benchmarks",
    "tests/browser",
    "tests/site/test_reproducible.py",
    "tests/site/test_serve.py",
    "tests/test_workflow_steps.py",
    "tests/test_workflows.py",
    "tests/tools",
    "tests/validation_torch",
)


# Some tests may have failed, or none be left: a browser's.
_RAN = {pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.NO_TESTS_COLLECTED}


_NOTHING: dict[str, Any] = {"tests": {}, "fixtures": {}, "failed": []}


@dataclass(frozen=True)
class RecordedTest:
    """One test as it was recorded, without the time of the fixtures that it shares."""

    id: str
    seconds: float
    fixtures: tuple[str, ...] = ()

    @property
    def file(self) -> str:
        """The file that it stands in."""
        return _file(self.id)

    @property
    def function(self) -> str:
        """The id without parameters; each sentence of a table of problems counts as a function."""
        function, _, case = self.id.partition("[")
        match case.split(": ", 2):
            case [subject, sentence, _]:
                return f"{function}[{subject}: {sentence}"
            case _:
                return function


@dataclass(frozen=True)
class Recording:
    """All tests that passed, the cost of shared fixtures, and who ran which line."""

    tests: dict[str, RecordedTest]
    fixtures: dict[str, float]
    failed: tuple[str, ...]
    lines: CoverageData = field(repr=False)

    def tests_of(self, path: str, lines: Iterable[int] | None = None) -> set[str]:
        """The tests that ran one of the lines, or any line, of a module."""
        by_line = _contexts(self.lines, path)
        wanted = by_line if lines is None else by_line.keys() & set(lines)
        contexts = {context for line in wanted for context in by_line[line]}
        shared = {
            context.removeprefix(recorder.FIXTURE)
            for context in contexts
            if context.startswith(recorder.FIXTURE)
        }
        users = {test.id for test in self.tests.values() if shared & set(test.fixtures)}
        return (contexts & self.tests.keys()) | users

    def runs(self, path: str, lines: Iterable[int]) -> bool:
        """Whether any of the lines ran, also outside of tests: when modules were imported."""
        return bool(_contexts(self.lines, path).keys() & set(lines))


class RecordingError(Exception):
    """pytest could not run the tests."""


def record(root: Path, kept: Path, jobs: int) -> Iterator[str]:
    """Record what is new, folder by folder: everything, or the test files that changed.

    Yields a line before each folder; what was recorded before the caller stops is kept. Raises
    RecordingError.
    """
    state, path = read_state(root), kept / "state.json"
    earlier = State(**json.loads(path.read_text("utf-8"))) if path.exists() else None
    if earlier is None or earlier.package != state.package:
        shutil.rmtree(kept, ignore_errors=True)
        earlier = State(state.package, {})
    recorded = dict(earlier.tests)
    for folder, names in _by_folder(state.changed(earlier)).items():
        files = [name for name in names if not any(map(Path(name).is_relative_to, _NOT_RUN))]
        if files:
            yield f"Recording which statements the tests of {folder} run ({len(files)} files)"
            _record(root, kept, files, jobs)
        recorded.update((name, state.tests[name]) for name in names)
        kept.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(asdict(State(state.package, recorded))), encoding="utf-8")


def _by_folder(names: Iterable[str]) -> dict[str, list[str]]:
    """Test files by the folder below `tests/`."""
    ordered = sorted(names, key=lambda name: Path(name).parts[:2])
    return {
        "/".join(folder): list(files)
        for folder, files in groupby(ordered, lambda name: Path(name).parts[:2])
    }


def _record(root: Path, kept: Path, files: Iterable[str], jobs: int) -> None:
    """Run test files in a copy of the tree and keep what they ran."""
    with tempfile.TemporaryDirectory(prefix="portal-mutants-") as folder:
        tree, found = copy_tree(root, Path(folder, "tree")), Path(folder, "found")
        found.mkdir()
        command = [sys.executable, "-m", "pytest", "--quiet", "-p", "tools.mutants.recorder"]
        command += [f"--numprocesses={jobs}", "--dist=worksteal", "--hypothesis-seed=0"]
        path = os.pathsep.join((str(tree / "src"), str(tree)))
        environment = {**os.environ, "PYTHONPATH": path, recorder.FOLDER: str(found)}
        command += [f"--basetemp={folder}/tests", *files]
        ran = subprocess.run(command, cwd=tree, env=environment, check=False)
        if ran.returncode not in _RAN:
            raise RecordingError(f"pytest ended with status {ran.returncode}")
        _keep(found, kept)


def read_recording(kept: Path) -> Recording:
    """What was kept."""
    found = json.loads((kept / "tests.json").read_text("utf-8"))
    tests = {
        name: RecordedTest(name, test["seconds"], tuple(test["fixtures"]))
        for name, test in found["tests"].items()
    }
    data = CoverageData(basename=str(kept / "coverage"))
    data.read()
    return Recording(tests, found["fixtures"], tuple(found["failed"]), data)


def _keep(found: Path, kept: Path) -> None:
    """Add what was found to what is kept."""
    kept.mkdir(parents=True, exist_ok=True)
    coverage = Coverage(data_file=str(kept / "coverage"), config_file=False)
    coverage.load()
    if any(found.glob("coverage.*")):
        coverage.combine([str(found)])
        coverage.save()
    path = kept / "tests.json"
    merged = json.loads(path.read_text("utf-8")) if path.exists() else _NOTHING
    parts = [json.loads(part.read_text("utf-8")) for part in sorted(found.glob("tests.*.json"))]
    failed = {test for part in parts for test in part["failed"]}
    ran = {_file(test) for part in parts for test in (*part["tests"], *part["failed"])}
    tests = {test: facts for test, facts in merged["tests"].items() if _file(test) not in ran}
    fixtures = dict(merged["fixtures"])
    for part in parts:
        tests |= part["tests"]
        fixtures |= part["fixtures"]
    failed |= {test for test in merged["failed"] if _file(test) not in ran}
    content = {"tests": tests, "fixtures": fixtures, "failed": sorted(failed)}
    path.write_text(json.dumps(content), encoding="utf-8")


def _file(test: str) -> str:
    return test.partition("::")[0]


@cache
def _contexts(data: CoverageData, path: str) -> dict[int, set[str]]:
    """Who ran each line of a module; every recording was made in a copy with another root."""
    by_line: dict[int, set[str]] = defaultdict(set)
    for name in sorted(data.measured_files()):
        if name.endswith(f"/{path}"):
            for line, contexts in data.contexts_by_lineno(name).items():
                by_line[line].update(contexts)
    return dict(by_line)
