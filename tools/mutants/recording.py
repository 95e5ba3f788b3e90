"""Which tests run a statement, and how long each takes: one run of the tests, kept in a folder."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from coverage import Coverage, CoverageData

from tools.mutants import recorder
from tools.mutants.mutant import PACKAGE
from tools.mutants.workspace import copy_tree

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


@dataclass(frozen=True)
class Test:
    """One test as it was recorded, without the time of the fixtures that it shares."""

    id: str
    seconds: float
    fixtures: tuple[str, ...] = ()

    @property
    def file(self) -> str:
        """The file that it stands in."""
        return self.id.partition("::")[0]

    @property
    def function(self) -> str:
        """The id without parameters."""
        return self.id.partition("[")[0]


@dataclass(frozen=True)
class Recording:
    """All tests that passed, the cost of shared fixtures, and who ran which line."""

    tests: dict[str, Test]
    fixtures: dict[str, float]
    failed: tuple[str, ...]
    lines: CoverageData = field(repr=False)

    def tests_of(self, path: str, lines: Iterable[int] | None = None) -> set[str]:
        """The tests that ran one of the lines, or any line, of a module."""
        by_line = _contexts(self, path)
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
        return bool(_contexts(self, path).keys() & set(lines))


def record(root: Path, kept: Path, jobs: int) -> int:
    """Run the tests in a copy of the tree and keep what they ran; return pytest's status."""
    with tempfile.TemporaryDirectory(prefix="portal-mutants-") as folder:
        tree, found = copy_tree(root, Path(folder, "tree")), Path(folder, "found")
        found.mkdir()
        command = [sys.executable, "-m", "pytest", "--quiet", "-p", "tools.mutants.recorder"]
        command += [f"--numprocesses={jobs}", "--dist=loadscope", "--hypothesis-seed=0"]
        command += [f"--basetemp={folder}/tests", *(f"--ignore={path}" for path in _NOT_RUN)]
        path = os.pathsep.join((str(tree / "src"), str(tree)))
        environment = {**os.environ, "PYTHONPATH": path, recorder.FOLDER: str(found)}
        status = subprocess.run(command, cwd=tree, env=environment, check=False).returncode
        if status in {0, 1}:
            _keep(found, kept)
    return status


def read_recording(kept: Path) -> Recording:
    """What `record` kept."""
    found = json.loads((kept / "tests.json").read_text("utf-8"))
    tests = {
        name: Test(name, test["seconds"], tuple(test["fixtures"]))
        for name, test in found["tests"].items()
    }
    data = CoverageData(basename=str(kept / "coverage"))
    data.read()
    return Recording(tests, found["fixtures"], tuple(found["failed"]), data)


def _keep(found: Path, kept: Path) -> None:
    shutil.rmtree(kept, ignore_errors=True)
    kept.mkdir(parents=True)
    coverage = Coverage(data_file=str(kept / "coverage"), config_file=False)
    coverage.combine([str(found / "coverage")])
    coverage.save()
    merged: dict[str, dict[str, object]] = {"tests": {}, "fixtures": {}}
    failed: set[str] = set()
    for path in sorted(found.glob("tests.*.json")):
        part = json.loads(path.read_text("utf-8"))
        merged["tests"].update(part["tests"])
        merged["fixtures"].update(part["fixtures"])
        failed.update(part["failed"])
    (kept / "tests.json").write_text(json.dumps({**merged, "failed": sorted(failed)}), "utf-8")


@cache
def _files(data: CoverageData) -> dict[str, str]:
    """Each measured module by its path in the repository; the copy had another root."""
    inside = f"/{PACKAGE.as_posix()}/"
    return {
        f"{PACKAGE}/{name.rpartition(inside)[2]}": name
        for name in data.measured_files()
        if inside in name
    }


def _contexts(recording: Recording, path: str) -> dict[int, list[str]]:
    name = _files(recording.lines).get(path)
    return _by_line(recording.lines, name) if name else {}


@cache
def _by_line(data: CoverageData, name: str) -> dict[int, list[str]]:
    return data.contexts_by_lineno(name)
