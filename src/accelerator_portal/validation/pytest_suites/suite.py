"""A vendor's pytest suite, as the harness runs it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

from accelerator_portal.catalog.wording import count
from accelerator_portal.reports.test_ids import identified_node
from accelerator_portal.validation.case import Case, Result, brief
from accelerator_portal.validation.classify import BrokenTestError
from accelerator_portal.validation.context import Context
from accelerator_portal.validation.matrix import Matrix
from accelerator_portal.validation.plan import Offer
from accelerator_portal.validation.progress import progress
from accelerator_portal.validation.pytest_suites.arguments import DEVICE_VARIABLE
from accelerator_portal.validation.pytest_suites.names import by_identity
from accelerator_portal.validation.pytest_suites.outcomes import result_of_reports

if TYPE_CHECKING:
    from accelerator_portal.validation.pytest_suites.session import Session


def offers(matrix: Matrix) -> Iterator[Offer]:
    """Yield the tests that pytest collects, and the modules that it cannot collect."""
    if not matrix.given:
        return
    from accelerator_portal.validation.pytest_suites.collecting import collected_nodes

    found = collected_nodes(matrix.given)
    tests = by_identity(found.tests, matrix.given["device"])
    others = len(found.tests) - len(tests)
    beside = f"; {others} are the same tests on other devices" if others else ""
    progress(f"pytest collected {count(len(found.tests), 'test')}{beside}")
    for nodeid in found.broken:
        yield Offer(identified_node(nodeid).name or "collection")
    for name, parameters in tests:
        yield Offer(name, parameters=dict(parameters))


def run(case: Case, context: Context) -> Result:
    """Run a test, or say why its module cannot be collected."""
    given = context.matrix.given
    os.environ[DEVICE_VARIABLE] = given["device"]
    context.stage = "import"
    session = _session(given["path"])
    nodes = by_identity(session.items, given["device"])
    nodeid = nodes.get((case.name, case.parameters))
    if nodeid is None:
        raise BrokenTestError(_why_missing(case, session))
    context.stage = "run"
    kept = session.run(nodeid)
    return result_of_reports(kept.reports, kept.raised, session.root)


@cache
def _session(path: str) -> Session:
    from accelerator_portal.validation.pytest_suites.session import Session

    return Session(path)


def _why_missing(case: Case, session: Session) -> str:
    for nodeid, text in session.kept.uncollected.items():
        if (identified_node(nodeid).name or "collection") == case.name:
            return brief(f"pytest cannot collect the test: {text.replace(session.root, 'SUITE')}")
    return "The worker does not collect this test."
