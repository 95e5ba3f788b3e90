"""Runs trials: tests in a copy of the tree with a mutant, each trial in its own process."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerContext, ForkServerProcess
from pathlib import Path
from threading import Lock
from typing import Literal

import pytest
from hypothesis import Phase, settings

Outcome = Literal["killed", "timeout", "survived", "not covered"]

_PROFILE = "mutants"
_NOTHING_FAILED = {pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED}


class WrongTreeError(Exception):
    """Raised if the tests imported another copy of the package than the one with the mutant."""


@dataclass(frozen=True)
class Trial:
    """The result of a trial; `test` is the test that failed, and `seconds` the elapsed time."""

    outcome: Outcome
    test: str = ""
    seconds: float = 0.0


class Trials:
    """Starts trials, each forked from a process that has imported only other projects' packages.

    Therefore, no module of an earlier mutant is left over.
    """

    def __init__(self) -> None:
        self._context: ForkServerContext = get_context("forkserver")
        self._context.set_forkserver_preload(["tools.mutants.preloaded"])
        self._running: set[int] = set()
        self._lock = Lock()

    def run(self, tree: Path, tests: Sequence[str], limit: float) -> Trial:
        """Run the tests in the tree until one fails or `limit` seconds are over.

        Raises WrongTreeError.
        """
        if not tests:
            return Trial("not covered")
        started = time.perf_counter()
        ours, theirs = self._context.Pipe(duplex=False)
        process = self._context.Process(target=_run_tests, args=(tree, tests, theirs), daemon=False)
        with self._running_process(process):
            theirs.close()
            process.join(limit)
            seconds = round(time.perf_counter() - started, 2)
            if process.is_alive():
                return Trial("timeout", seconds=seconds)
        failed = _receive_result(ours)
        return Trial("survived" if failed is None else "killed", failed or "", seconds)

    def stop(self) -> None:
        """Kill all running trials."""
        with self._lock:
            for group in self._running:
                _kill_group(group)

    @contextmanager
    def _running_process(self, process: ForkServerProcess) -> Iterator[None]:
        process.start()
        group = process.pid or 0
        with self._lock:
            self._running.add(group)
        try:
            yield
        finally:
            with self._lock:
                self._running.discard(group)
            _kill_group(group)
            process.join()


def _kill_group(group: int) -> None:
    """Kill a process group: a trial and the processes that it started."""
    try:
        os.killpg(group, signal.SIGKILL)
    except ProcessLookupError:
        return


def _receive_result(connection: Connection) -> str | None:
    """Return the id of the test that failed, or None if no test failed.

    If the process ended without a result, returns a text that says so. Raises WrongTreeError.
    """
    try:
        answer: str | WrongTreeError | None = connection.recv()
    except EOFError:
        return "(the process ended)"
    if isinstance(answer, WrongTreeError):
        raise answer
    return answer


def _run_tests(tree: Path, tests: Sequence[str], connection: Connection) -> None:
    """Run tests in this new process, and send the id of the test that failed, or None.

    Sends a WrongTreeError if the tests imported another copy of the package.
    """
    os.setsid()
    os.chdir(tree)
    paths = [str(tree / "src"), str(tree)]
    sys.path[:0] = paths
    os.environ["PYTHONPATH"] = os.pathsep.join(paths)  # for the processes that tests start
    # Bytecode is matched by its source's size and time in seconds; two mutants may share both.
    sys.dont_write_bytecode = True
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    with Path(os.devnull).open("w", encoding="utf-8") as nowhere:
        os.dup2(nowhere.fileno(), 1)
        os.dup2(nowhere.fileno(), 2)
    chosen = _ChosenTests(tests)
    files = list(dict.fromkeys(test.partition("::")[0] for test in tests))
    options = ["-x", "-q", "--tb=no", "-p", "no:cacheprovider", "-p", "no:xdist"]
    options += ["-W", "ignore::pytest.PytestAssertRewriteWarning", "--hypothesis-seed=0"]
    # A failure is enough; Hypothesis need not shrink its example.
    quick = settings(deadline=None, database=None, phases=[Phase.explicit, Phase.generate])
    settings.register_profile(_PROFILE, quick)
    options += [f"--hypothesis-profile={_PROFILE}"]
    status = pytest.main([*options, f"--basetemp={tree}.tests", *files], plugins=[chosen])
    imported = sys.modules.get("accelerator_portal")
    if imported is not None and not Path(imported.__file__ or "").is_relative_to(tree):
        connection.send(WrongTreeError(f"the tests imported {imported.__file__}"))
    elif status in _NOTHING_FAILED:
        connection.send(None)
    else:
        connection.send(chosen.failed or "(at import)")


class _ChosenTests:
    """A pytest plugin that runs only the chosen tests, in their order.

    `failed` is the id of the first test that failed, or "".
    """

    def __init__(self, tests: Sequence[str]) -> None:
        self._places = {test: place for place, test in enumerate(tests)}
        self.failed = ""

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        chosen = (item for item in items if item.nodeid in self._places)
        items[:] = sorted(chosen, key=lambda item: self._places[item.nodeid])

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.failed = self.failed or report.nodeid
