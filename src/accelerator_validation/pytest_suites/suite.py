"""Lists and runs the tests of a vendor's pytest suite, and turns pytest's reports into results."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from accelerator_portal.catalog.wording import count
from accelerator_portal.reports import verdicts
from accelerator_portal.reports.test_ids import parse_pytest_node_id
from accelerator_validation.case import Case, Result, short_message
from accelerator_validation.classify import BrokenTestError, classify_error
from accelerator_validation.context import Context
from accelerator_validation.listing import print_progress
from accelerator_validation.matrix import Matrix
from accelerator_validation.plan import Offer
from accelerator_validation.pytest_suites.session import DEVICE_VARIABLE
from accelerator_validation.pytest_suites.source import node_id_by_identity

if TYPE_CHECKING:
    from accelerator_validation.pytest_suites.session import Session


def offers(matrix: Matrix) -> Iterator[Offer]:
    """Yield the tests that pytest collects, and the modules that it cannot collect."""
    if not matrix.given:
        return
    from accelerator_validation.pytest_suites.session import collect_node_ids

    nodes, broken = collect_node_ids(matrix.given)
    tests = node_id_by_identity(nodes, matrix.given["device"])
    others = len(nodes) - len(tests)
    duplicates_note = f"; {others} are the same tests on other devices" if others else ""
    print_progress(f"pytest collected {count(len(nodes), 'test')}{duplicates_note}")
    for nodeid in broken:
        yield Offer(parse_pytest_node_id(nodeid).name or "collection")
    for name, parameters in tests:
        yield Offer(name, parameters=dict(parameters))


def run(case: Case, context: Context) -> Result:
    """Run a test. Raises BrokenTestError if pytest does not collect it."""
    given = context.matrix.given
    os.environ[DEVICE_VARIABLE] = given["device"]
    context.stage = "import"
    session = _session(given["path"])
    nodes = node_id_by_identity(session.items, given["device"])
    nodeid = nodes.get((case.name, case.parameters))
    if nodeid is None:
        raise BrokenTestError(_missing_test_reason(case, session))
    context.stage = "run"
    kept = session.run(nodeid)
    return result_from_reports(kept.reports, kept.raised, session.root)


@cache
def _session(path: str) -> Session:
    from accelerator_validation.pytest_suites.session import Session

    return Session(path)


def _missing_test_reason(case: Case, session: Session) -> str:
    for nodeid, text in session.recorder.collection_errors.items():
        if (parse_pytest_node_id(nodeid).name or "collection") == case.name:
            return short_message(
                f"pytest cannot collect the test: {text.replace(session.root, 'SUITE')}"
            )
    return "The worker does not collect this test."


EXPECTED_FAILURE_PREFIX = "It is expected to fail:"
UNEXPECTED_SUCCESS_REASON = "It is expected to fail, and it does not."

_LOG_TAIL = 1500
_SKIPPED = "Skipped: "


def result_from_reports(
    reports: Sequence[Any], raised: Mapping[str, BaseException], root: str
) -> Result:
    """Return the result of a test from pytest's reports of its stages.

    `raised` has the exceptions by stage. In the texts of the result, the path `root` is replaced by
    `SUITE`.
    """
    for report in reports:
        if report.failed:
            return _failure_result(report, raised.get(report.when), root)
    for report in reports:
        expected = getattr(report, "wasxfail", None)
        if report.skipped and expected is not None:
            why = expected.replace(root, "SUITE") or "no reason stated"
            return Result("skipped", None, short_message(f"{EXPECTED_FAILURE_PREFIX} {why}"))
        if report.skipped:
            return Result("skipped", None, short_message(_skip_reason(report.longrepr, root)))
        if expected is not None:
            return Result("passed", "run", UNEXPECTED_SUCCESS_REASON)
    return Result("passed", "run")


def _failure_result(report: Any, error: BaseException | None, root: str) -> Result:
    text = str(report.longreprtext).replace(root, "SUITE")
    tail = text[-_LOG_TAIL:].strip() or None
    if report.when == "call" and error is not None:
        found = classify_error(error, "run")
        reason = (found.reason or "").replace(root, "SUITE")
        return Result(found.outcome, found.stage, reason, log_tail=tail)
    message = f"{type(error).__name__}: {error}".replace(root, "SUITE") if error else text
    if report.when == "call":  # a strict xfail has no exception
        outcome = verdicts.failure_outcome(message, text)
        return Result(
            outcome,
            "run",
            UNEXPECTED_SUCCESS_REASON if outcome == "passed" else short_message(message),
        )
    stage_message = short_message(f"In {report.when}: {message}")
    return Result(verdicts.error_outcome(message, text), "load", stage_message, log_tail=tail)


def _skip_reason(longrepr: Any, root: str) -> str:
    skip_text = str(longrepr[2] if isinstance(longrepr, tuple) else longrepr or "")
    return skip_text.replace(root, "SUITE").removeprefix(_SKIPPED) or "The suite states no reason."
