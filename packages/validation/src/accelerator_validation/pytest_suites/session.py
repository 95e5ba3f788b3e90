"""Lists the tests of a pytest suite, and runs its tests one by one, but collects them only once.

`pytest.main` runs a session to its end and has no way to run a test later; calling it for each
test would collect the suite each time. So a session is opened as workers of pytest-xdist do it.

As a program, `python -m accelerator_validation.pytest_suites.session PATH FILE [MODULE]` writes the
node ids of the suite at PATH to FILE as JSON. MODULE is a plugin that the tests need; the program
imports it first.
"""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from _pytest.config import _prepareconfig

from accelerator_validation.case import short_message
from accelerator_validation.listing import AUTOLOAD
from accelerator_validation.plan import RunError

DEVICE_VARIABLE = "ACCELERATOR_PORTAL_DEVICE"
"""The environment variable in which a suite can read the device that the command names."""

# The maximum number of seconds for the process that lists the tests.
COLLECTION_TIMEOUT_S = 900.0


class PytestRecorder:
    """A pytest plugin that stores the collected tests, and the reports and exceptions of a test."""

    def __init__(self) -> None:
        self.reports: list[pytest.TestReport] = []
        self.raised: dict[str, BaseException] = {}
        self.collection_errors: dict[str, str] = {}
        self.collected: list[str] = []

    def clear(self) -> None:
        """Remove the reports and exceptions before the next test."""
        self.reports, self.raised = [], {}

    def pytest_exception_interact(
        self, call: pytest.CallInfo[object], report: pytest.TestReport | pytest.CollectReport
    ) -> None:
        """Store the first exception of each stage of a test, such as `call`, in `raised`."""
        if isinstance(report, pytest.TestReport) and call.excinfo:
            self.raised.setdefault(report.when, call.excinfo.value)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Store the report of a stage of a test, or of a subtest, in `reports`."""
        self.reports.append(report)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Store in `collection_errors`, by node id, why a module could not be collected."""
        if report.failed:
            self.collection_errors[report.nodeid] = report.longreprtext

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Store the node ids of the selected tests in `collected`."""
        self.collected = [item.nodeid for item in session.items]


class Session:
    """A collected pytest suite, whose tests can be run one by one."""

    def __init__(self, path: str) -> None:
        self.recorder = PytestRecorder()
        config = _prepareconfig(pytest_arguments(path), [self.recorder])
        config._do_configure()
        session = pytest.Session.from_config(config)
        config.hook.pytest_sessionstart(session=session)
        with suppress(session.Failed, session.Interrupted):  # reported for each module
            config.hook.pytest_collection(session=session)
        self.root = str(config.rootpath)
        self.items = {item.nodeid: item for item in session.items}

    def run(self, nodeid: str) -> PytestRecorder:
        """Run the test with this node id, and return its reports and exceptions.

        All fixtures of the test are set up and torn down, so that its result does not depend on
        the tests that ran before.
        """
        self.recorder.clear()
        item = self.items[nodeid]
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)
        return self.recorder


def pytest_arguments(path: str) -> list[str]:
    """Return the command-line arguments for pytest. The suite's configuration also applies.

    The arguments disable pytest's parallel workers, crash stacks and output capture, because the
    harness provides these.
    """
    xdist_options = ["-n0"] if find_spec("xdist") else []
    disable_options = [
        "-p",
        "no:cacheprovider",
        "-p",
        "no:faulthandler",
        "--capture=no",
        "--color=no",
    ]
    return [*disable_options, *xdist_options, path]


def collect_node_ids(given: Mapping[str, str]) -> tuple[list[str], list[str]]:
    """Return the node ids of a suite's tests, and the node ids of modules with collection errors.

    `given` is the suite's `Matrix.given`. Runs pytest in a separate process. Raises RunError if
    pytest fails or takes more than 15 minutes.
    """
    with TemporaryDirectory() as folder:
        file, out, err = (Path(folder, name) for name in ("nodes.json", "out", "err"))
        modules = [given["imports"]] if given["imports"] else []
        # Files, because a daemon that the plugin leaves behind would keep pipes open.
        with out.open("wb") as out_file, err.open("wb") as err_file:
            try:
                process = subprocess.run(
                    [sys.executable, "-m", __name__, given["path"], str(file), *modules],
                    env={
                        **os.environ,
                        AUTOLOAD: given["autoload"],
                        DEVICE_VARIABLE: given["device"],
                    },
                    stdout=out_file,
                    stderr=err_file,
                    timeout=COLLECTION_TIMEOUT_S,
                    check=False,
                )
            except subprocess.TimeoutExpired:
                raise RunError(
                    f"pytest did not list the tests within {COLLECTION_TIMEOUT_S:g} s"
                ) from None
        if not file.exists():
            error_text = (err.read_bytes() or out.read_bytes()).decode("utf-8", "replace").strip()
            reason = (
                short_message(error_text)
                if error_text
                else f"it ended with status {process.returncode}"
            )
            raise RunError(f"pytest cannot list the tests: {reason}")
        tests, broken_modules = json.loads(file.read_text("utf-8"))
    return tests, broken_modules


def main() -> None:
    """Write two lists as JSON: the node ids of a suite's tests, and of modules with errors.

    The command-line arguments are the path of the suite, the file to write to, and optionally a
    plugin to import first. The second list has the modules that pytest cannot collect.
    """
    path, file, *modules = sys.argv[1:]
    for module in modules:
        importlib.import_module("torch")
        importlib.import_module(module)
    recorder = PytestRecorder()
    status = pytest.main([*pytest_arguments(path), "--collect-only", "-q"], plugins=[recorder])
    if status in {pytest.ExitCode.USAGE_ERROR, pytest.ExitCode.INTERNAL_ERROR}:
        sys.exit(int(status))
    Path(file).write_text(
        json.dumps([recorder.collected, list(recorder.collection_errors)]), "utf-8"
    )


if __name__ == "__main__":
    main()
