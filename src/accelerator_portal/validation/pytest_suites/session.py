"""One session of pytest in a worker: the suite is collected once, and tests run one by one.

`pytest.main` runs a session to its end and has no way to run a test later; calling it for each
test would collect the suite each time. So a session is opened as workers of pytest-xdist do it.
"""

from __future__ import annotations

from contextlib import suppress

import pytest
from _pytest.config import _prepareconfig

from accelerator_portal.validation.pytest_suites.arguments import arguments


class Attempt:
    """A plugin of pytest that keeps what it reports of a test, and the exceptions themselves."""

    def __init__(self) -> None:
        self.reports: list[pytest.TestReport] = []
        self.raised: dict[str, BaseException] = {}
        self.uncollected: dict[str, str] = {}

    def clear(self) -> None:
        """Begin with another test."""
        self.reports, self.raised = [], {}

    def pytest_exception_interact(
        self, call: pytest.CallInfo[object], report: pytest.TestReport | pytest.CollectReport
    ) -> None:
        """Keep an exception by the stage that it came in."""
        if isinstance(report, pytest.TestReport) and call.excinfo:
            self.raised.setdefault(report.when, call.excinfo.value)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep the report of a stage, or of a part of a test."""
        self.reports.append(report)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Keep why a module could not be collected."""
        if report.failed:
            self.uncollected[report.nodeid] = report.longreprtext


class Session:
    """A collected suite, of which tests are run by their node ids."""

    def __init__(self, path: str) -> None:
        self.kept = Attempt()
        config = _prepareconfig(arguments(path), [self.kept])
        config._do_configure()
        session = pytest.Session.from_config(config)
        config.hook.pytest_sessionstart(session=session)
        with suppress(session.Failed, session.Interrupted):  # told for each module
            config.hook.pytest_collection(session=session)
        self.root = str(config.rootpath)
        self.items = {item.nodeid: item for item in session.items}

    def run(self, nodeid: str) -> Attempt:
        """Run a test with all its fixtures, which end with it: alone or in any batch the same."""
        self.kept.clear()
        item = self.items[nodeid]
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)
        return self.kept
