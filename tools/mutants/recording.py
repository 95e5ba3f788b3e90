"""Records which tests run a statement, and how long each test takes, and stores it in a folder."""

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

# Tests that take minutes, or that test the repository and not the package.
_EXCLUDED_TESTS = (
    "tests/benchmarks",
    "tests/browser",
    "tests/portal/site/test_reproducible.py",
    "tests/portal/site/test_serve.py",
    "tests/test_workflow_steps.py",
    "tests/test_workflows.py",
    "tests/tools",
    "tests/validation_torch",
)


# Some tests may have failed, or all may have been excluded, such as those that need a browser.
_EXPECTED_STATUSES = {
    pytest.ExitCode.OK,
    pytest.ExitCode.TESTS_FAILED,
    pytest.ExitCode.NO_TESTS_COLLECTED,
}


_EMPTY_RECORDING: dict[str, Any] = {"tests": {}, "fixtures": {}, "failed": []}


@dataclass(frozen=True)
class RecordedTest:
    """A recorded test; `seconds` does not include the time of shared fixtures."""

    id: str
    seconds: float
    fixtures: tuple[str, ...] = ()

    @property
    def file(self) -> str:
        """The path of its file."""
        return _test_file(self.id)

    @property
    def function(self) -> str:
        """The id of the test without parameters.

        If the parameters begin with `subject: sentence: `, these two are kept:
        `test_faults[subject: sentence: case]` becomes `test_faults[subject: sentence`. A test
        function with a table of error messages then counts as one function for each message.
        """
        function, _, case = self.id.partition("[")
        match case.split(": ", 2):
            case [subject, sentence, _]:
                return f"{function}[{subject}: {sentence}"
            case _:
                return function


@dataclass(frozen=True)
class Recording:
    """What one or more runs of the tests have shown.

    `tests` has the tests that passed, by id. `failed` has the ids of the tests that failed.
    `fixtures` has the seconds that each shared fixture takes, by name. `lines` has the coverage
    data: the lines that each test and each shared fixture ran.
    """

    tests: dict[str, RecordedTest]
    fixtures: dict[str, float]
    failed: tuple[str, ...]
    lines: CoverageData = field(repr=False)

    def tests_of(self, path: str, lines: Iterable[int] | None = None) -> set[str]:
        """Return the ids of the tests that ran any of `lines` of a module; None: any line."""
        by_line = _contexts_by_line(self.lines, path)
        wanted = by_line if lines is None else by_line.keys() & set(lines)
        contexts = {context for line in wanted for context in by_line[line]}
        shared = {
            context.removeprefix(recorder.FIXTURE_PREFIX)
            for context in contexts
            if context.startswith(recorder.FIXTURE_PREFIX)
        }
        users = {test.id for test in self.tests.values() if shared & set(test.fixtures)}
        return (contexts & self.tests.keys()) | users

    def runs(self, path: str, lines: Iterable[int]) -> bool:
        """Return whether any of the lines ran, in tests or when modules were imported."""
        return bool(_contexts_by_line(self.lines, path).keys() & set(lines))


class RecordingError(Exception):
    """Raised if pytest could not run the tests."""


def record(root: Path, kept: Path, jobs: int) -> Iterator[str]:
    """Record the new and changed test files, or all test files if the package has changed.

    Yields a line before each folder with tests. After each folder, its recording is stored in the
    folder `kept`. Raises RecordingError.
    """
    state, path = read_state(root), kept / "state.json"
    earlier = State(**json.loads(path.read_text("utf-8"))) if path.exists() else None
    if earlier is None or earlier.package != state.package:
        shutil.rmtree(kept, ignore_errors=True)
        earlier = State(state.package, {})
    recorded = dict(earlier.tests)
    for folder, names in _files_by_folder(state.changed(earlier)).items():
        files = [name for name in names if not any(map(Path(name).is_relative_to, _EXCLUDED_TESTS))]
        if files:
            yield f"Recording which statements the tests of {folder} run ({len(files)} files)"
            _record_files(root, kept, files, jobs)
        recorded.update((name, state.tests[name]) for name in names)
        kept.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(asdict(State(state.package, recorded))), encoding="utf-8")


def _files_by_folder(names: Iterable[str]) -> dict[str, list[str]]:
    """Return test files by their folder in `tests/`; a file directly in `tests/` is its own key."""
    ordered = sorted(names, key=lambda name: Path(name).parts[:2])
    return {
        "/".join(folder): list(files)
        for folder, files in groupby(ordered, lambda name: Path(name).parts[:2])
    }


def _record_files(root: Path, kept: Path, files: Iterable[str], jobs: int) -> None:
    """Run test files in a copy of the tree and add the recording to `kept`."""
    with tempfile.TemporaryDirectory(prefix="portal-mutants-") as folder:
        tree, found = copy_tree(root, Path(folder, "tree")), Path(folder, "found")
        found.mkdir()
        command = [sys.executable, "-m", "pytest", "--quiet", "-p", "tools.mutants.recorder"]
        command += [f"--numprocesses={jobs}", "--dist=worksteal", "--hypothesis-seed=0"]
        path = os.pathsep.join((str(tree / "src"), str(tree)))
        environment = {**os.environ, "PYTHONPATH": path, recorder.FOLDER_VARIABLE: str(found)}
        command += [f"--basetemp={folder}/tests", *files]
        ran = subprocess.run(command, cwd=tree, env=environment, check=False)
        if ran.returncode not in _EXPECTED_STATUSES:
            raise RecordingError(f"pytest ended with status {ran.returncode}")
        _merge_recording(found, kept)


def read_recording(kept: Path, state: State) -> Recording:
    """Return the recording in the folder `kept`, without tests whose files `state` does not have.

    pytest would refuse to run these tests, which would look as if they had killed a mutant.
    """
    found = json.loads((kept / "tests.json").read_text("utf-8"))
    tests = {
        name: RecordedTest(name, test["seconds"], tuple(test["fixtures"]))
        for name, test in found["tests"].items()
        if state.has_file(name)
    }
    data = CoverageData(basename=str(kept / "coverage"))
    data.read()
    failed = tuple(filter(state.has_file, found["failed"]))
    return Recording(tests, found["fixtures"], failed, data)


def exclude_test(kept: Path, test: str) -> None:
    """Count a test as failed in the recording in the folder `kept`, so that it is not chosen."""
    path = kept / "tests.json"
    content = json.loads(path.read_text("utf-8"))
    content["tests"].pop(test, None)
    content["failed"] = sorted({*content["failed"], test})
    path.write_text(json.dumps(content), encoding="utf-8")


def _merge_recording(found: Path, kept: Path) -> None:
    """Add the recording in the folder `found` to the recording in `kept`.

    The new recording replaces the earlier recording of the same test files.
    """
    kept.mkdir(parents=True, exist_ok=True)
    coverage = Coverage(data_file=str(kept / "coverage"), config_file=False)
    coverage.load()
    if any(found.glob("coverage.*")):
        coverage.combine([str(found)])
        coverage.save()
    path = kept / "tests.json"
    merged = json.loads(path.read_text("utf-8")) if path.exists() else _EMPTY_RECORDING
    parts = [json.loads(part.read_text("utf-8")) for part in sorted(found.glob("tests.*.json"))]
    failed = {test for part in parts for test in part["failed"]}
    ran = {_test_file(test) for part in parts for test in (*part["tests"], *part["failed"])}
    tests = {test: facts for test, facts in merged["tests"].items() if _test_file(test) not in ran}
    fixtures = dict(merged["fixtures"])
    for part in parts:
        tests |= part["tests"]
        fixtures |= part["fixtures"]
    failed |= {test for test in merged["failed"] if _test_file(test) not in ran}
    content = {"tests": tests, "fixtures": fixtures, "failed": sorted(failed)}
    path.write_text(json.dumps(content), encoding="utf-8")


def _test_file(test: str) -> str:
    return test.partition("::")[0]


@cache
def _contexts_by_line(data: CoverageData, path: str) -> dict[int, set[str]]:
    """Return the contexts that ran each line of a module: tests, fixtures, or "" for imports.

    Only the end of each path is compared, because each recording was made in another folder.
    """
    by_line: dict[int, set[str]] = defaultdict(set)
    for name in sorted(data.measured_files()):
        if name.endswith(f"/{path}"):
            for line, contexts in data.contexts_by_lineno(name).items():
                by_line[line].update(contexts)
    return dict(by_line)
