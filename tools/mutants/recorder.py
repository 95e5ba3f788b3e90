"""A pytest plugin that records which lines each test runs, and how long it takes.

The lines that a shared fixture runs count for every test that uses the fixture, not only for the
first.
"""

from __future__ import annotations

import json
import os
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from coverage import Coverage

FOLDER_VARIABLE = "MUTANTS_RECORDING"
FIXTURE_PREFIX = "fixture "
_CONTEXT_VARIABLE = "MUTANTS_CONTEXT"
# Tests that need a browser, PyPI or torch take minutes, and other tests show the same in seconds.
_EXCLUDED_MARKS = ("browser", "real_index", "torch")


def pytest_configure(config: pytest.Config) -> None:
    """Register the recorder in each process that runs tests, if `FOLDER_VARIABLE` is set."""
    runs_tests = hasattr(config, "workerinput") or not config.getoption("numprocesses", None)
    if runs_tests and FOLDER_VARIABLE in os.environ:
        config.pluginmanager.register(_Recorder(Path(os.environ[FOLDER_VARIABLE])))


class _Recorder:
    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._coverage = Coverage(config_file=str(_write_settings(folder)))
        self._contexts = [""]
        self._seconds: dict[str, float] = defaultdict(float)
        self._fixtures: dict[str, float] = {}
        self._uses: dict[str, list[str]] = {}
        self._failed: set[str] = set()
        self._not_passed: set[str] = set()
        self._coverage.start()

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = [
            item for item in items if not any(map(item.get_closest_marker, _EXCLUDED_MARKS))
        ]

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        self._uses[item.nodeid] = list(getattr(item, "fixturenames", ()))
        self._enter_context(item.nodeid)
        try:
            return (yield)
        finally:
            self._leave_context()

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[Any]) -> Iterator[None]:
        if fixturedef.scope == "function":
            return (yield)
        started = time.perf_counter()
        self._enter_context(FIXTURE_PREFIX + fixturedef.argname)
        try:
            return (yield)
        finally:
            self._leave_context()
            seconds = time.perf_counter() - started
            earlier = self._fixtures.get(fixturedef.argname, 0.0)
            self._fixtures[fixturedef.argname] = max(seconds, earlier)
            self._seconds[self._contexts[-1]] -= seconds

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._seconds[report.nodeid] += report.duration
        if not report.passed:
            self._not_passed.add(report.nodeid)
        if report.failed:
            self._failed.add(report.nodeid)

    def pytest_unconfigure(self) -> None:
        self._coverage.stop()
        self._coverage.save()
        tests = {
            test: {"seconds": round(max(self._seconds[test], 0.0), 4), "fixtures": uses}
            for test, uses in self._uses.items()
            if test not in self._not_passed
        }
        written = {"tests": tests, "fixtures": self._fixtures, "failed": sorted(self._failed)}
        path = self._folder / f"tests.{os.getpid()}.json"
        path.write_text(json.dumps(written), encoding="utf-8")

    def _enter_context(self, context: str) -> None:
        self._contexts.append(context)
        self._switch_context(context)

    def _leave_context(self) -> None:
        self._contexts.pop()
        self._switch_context(self._contexts[-1])

    def _switch_context(self, context: str) -> None:
        self._coverage.switch_context(context)
        os.environ[_CONTEXT_VARIABLE] = context  # for the processes that a test starts


def _write_settings(folder: Path) -> Path:
    """Write two files with coverage's settings; return the path of the first one.

    The first file is for this process, the second for the processes that tests start. Such a
    process reads its context from the variable `_CONTEXT_VARIABLE` when it starts.
    """
    path = folder / "coveragerc"
    lines = ("[run]", "parallel = true", f"data_file = {folder / 'coverage'}")
    quiet = "no-data-collected, module-not-imported, module-not-measured"
    packages = "accelerator_automation, accelerator_portal, accelerator_validation"
    own = (f"source_pkgs = {packages}", f"disable_warnings = {quiet}")
    common = "\n".join((*lines, *own))
    (folder / "processes").write_text(
        f"{common}\ncontext = ${{{_CONTEXT_VARIABLE}-}}\n", encoding="utf-8"
    )
    path.write_text(f"{common}\n", encoding="utf-8")
    os.environ["COVERAGE_PROCESS_START"] = str(folder / "processes")
    return path
