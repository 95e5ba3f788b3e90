"""Lists and runs the tests of a vendor's pytest suite, and turns pytest's reports into results."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from accelerator_reports import failure_outcomes
from accelerator_reports.failure_texts import is_unexpected_pass
from accelerator_reports.files.wording import count
from accelerator_reports.test_ids import parse_pytest_node_id
from accelerator_reports.test_keys import Parameters
from accelerator_validation.case import Case, Result, short_message
from accelerator_validation.classify import (
    UNEXPECTED_SUCCESS_REASON,
    BrokenTestError,
    classify_error,
)
from accelerator_validation.listing import print_progress
from accelerator_validation.matrix import Matrix
from accelerator_validation.plan import Offer
from accelerator_validation.pytest_suites.session import DEVICE_VARIABLE
from accelerator_validation.pytest_suites.source import node_id_by_identity
from accelerator_validation.suite_interface import Context

if TYPE_CHECKING:
    from accelerator_validation.pytest_suites.session import Session

EXPECTED_FAILURE_PREFIX = "It is expected to fail:"
NOT_STRICT_REASON = "It is an unexpected pass: the test is marked xfail, but not strict."

_LOG_TAIL_CHARS = 1500
_SKIP_PREFIX = "Skipped: "


def offers(matrix: Matrix) -> Iterator[Offer]:
    """Yield the tests that pytest collects, and a test for each module that it cannot collect."""
    if not matrix.given:
        return
    from accelerator_validation.pytest_suites.session import collect_node_ids

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
    from accelerator_validation.pytest_suites.session import Session

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
        return Result(failure_outcomes.failure_outcome(message, text), "run", reason)
    stage_message = short_message(f"In {report.when}: {message}")
    outcome = failure_outcomes.error_outcome(message, text, is_setup=True)
    return Result(outcome, "load", stage_message, log_tail=log_tail)


def _skip_reason(longrepr: Any, root: str) -> str:
    skip_text = str(longrepr[2] if isinstance(longrepr, tuple) else longrepr or "")
    return (
        skip_text.replace(root, "SUITE").removeprefix(_SKIP_PREFIX) or "The suite states no reason."
    )
