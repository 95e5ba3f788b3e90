"""Runs a folder of pytest tests as a suite."""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from _pytest.config import _prepareconfig

from accelerator_reports import failure_texts
from accelerator_reports.failure_texts import is_unexpected_pass
from accelerator_reports.files.wording import count
from accelerator_reports.test_ids import Parameters, parse_pytest_node_id
from accelerator_validation.case import (
    UNEXPECTED_SUCCESS_REASON,
    BrokenTestError,
    Case,
    Result,
    classify_error,
    short_message,
)
from accelerator_validation.listing import AUTOLOAD, print_progress
from accelerator_validation.matrix import Matrix
from accelerator_validation.plan import Offer, RunError
from accelerator_validation.pytest_suites.source import node_id_by_identity
from accelerator_validation.suite_interface import Context

# Lists the tests of a pytest suite, and runs its tests one by one, but collects them only once.
#
# `pytest.main` runs a session to its end and has no way to run a test later; calling it for each
# test would collect the suite each time. So a session is opened as workers of pytest-xdist do it.
#
# As a program, `python -m accelerator_validation.pytest_suites.suite PATH FILE [MODULE]` writes
# the node ids of the suite at PATH to FILE as JSON. MODULE is a plugin that the tests need; the
# program imports it first.

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


EXPECTED_FAILURE_PREFIX = "It is expected to fail:"
NOT_STRICT_REASON = "It is an unexpected pass: the test is marked xfail, but not strict."

_LOG_TAIL_CHARS = 1500
_SKIP_PREFIX = "Skipped: "


def offers(matrix: Matrix) -> Iterator[Offer]:
    """Yield the tests that pytest collects, and a test for each module that it cannot collect."""
    if not matrix.given:
        return

    node_ids, broken_modules = collect_node_ids(matrix.given)
    tests = node_id_by_identity(node_ids, matrix.given["device"])
    duplicate_count = len(node_ids) - len(tests)
    duplicates_note = (
        f"; {duplicate_count} are the same tests on other devices" if duplicate_count else ""
    )
    print_progress(f"pytest collected {count(len(node_ids), 'test')}{duplicates_note}")
    for nodeid in broken_modules:
        yield Offer(parse_pytest_node_id(nodeid).name or "collection")
    for name, parameters in tests:
        yield Offer(name, parameters=dict(parameters))


def run(case: Case, context: Context) -> Result:
    """Run a test. Raises BrokenTestError if pytest does not collect it."""
    given = context.matrix.given
    os.environ[DEVICE_VARIABLE] = given["device"]
    context.stage = "import"
    session, node_id_by_test = _collected_session(given["path"], given["device"])
    nodeid = node_id_by_test.get((case.name, case.parameters))
    if nodeid is None:
        raise BrokenTestError(_missing_test_reason(case, session))
    context.stage = "run"
    recorder = session.run(nodeid)
    return result_from_reports(recorder.reports, recorder.raised, session.root)


@cache
def _collected_session(
    path: str, device: str
) -> tuple[Session, Mapping[tuple[str, Parameters], str]]:
    """Return the session of a suite, and the result of `node_id_by_identity` for its tests.

    A worker process collects a suite once; later calls return the same session.
    """
    session = Session(path)
    return session, node_id_by_identity(session.items, device)


def _missing_test_reason(case: Case, session: Session) -> str:
    for nodeid, text in session.recorder.collection_errors.items():
        if (parse_pytest_node_id(nodeid).name or "collection") == case.name:
            return short_message(
                f"pytest cannot collect the test: {text.replace(session.root, 'SUITE')}"
            )
    return "The worker does not collect this test."


def result_from_reports(
    reports: Sequence[Any], raised: Mapping[str, BaseException], root: str
) -> Result:
    """Return the result of a test from pytest's reports of its stages.

    `raised` has the exceptions that the test raised, by stage: `setup`, `call` or `teardown`. In
    the texts of the result, the path `root` is replaced by `SUITE`.
    """
    for report in reports:
        if report.failed:
            return _failure_result(report, raised.get(report.when), root)
    for report in reports:
        xfail_reason = getattr(report, "wasxfail", None)
        if report.skipped and xfail_reason is not None:
            reason = xfail_reason.replace(root, "SUITE") or "no reason stated"
            return Result("skipped", None, short_message(f"{EXPECTED_FAILURE_PREFIX} {reason}"))
        if report.skipped:
            return Result("skipped", None, short_message(_skip_reason(report.longrepr, root)))
        if xfail_reason is not None:
            return Result("passed", "run", NOT_STRICT_REASON)
    return Result("passed", "run")


def _failure_result(report: Any, error: BaseException | None, root: str) -> Result:
    text = str(report.longreprtext).replace(root, "SUITE")
    log_tail = text[-_LOG_TAIL_CHARS:].strip() or None
    if report.when == "call" and error is not None:
        result = classify_error(error, "run")
        reason = (result.reason or "").replace(root, "SUITE")
        return Result(result.outcome, result.stage, reason, log_tail=log_tail)
    message = f"{type(error).__name__}: {error}".replace(root, "SUITE") if error else text
    if report.when == "call":  # a strict xfail has no exception
        is_expected = not is_unexpected_pass(message)
        reason = short_message(message) if is_expected else UNEXPECTED_SUCCESS_REASON
        return Result(failure_texts.failure_outcome(message, text), "run", reason)
    stage_message = short_message(f"In {report.when}: {message}")
    outcome = failure_texts.error_outcome(message, text, is_setup=True)
    return Result(outcome, "load", stage_message, log_tail=log_tail)


def _skip_reason(longrepr: Any, root: str) -> str:
    skip_text = str(longrepr[2] if isinstance(longrepr, tuple) else longrepr or "")
    return (
        skip_text.replace(root, "SUITE").removeprefix(_SKIP_PREFIX) or "The suite states no reason."
    )
