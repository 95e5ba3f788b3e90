"""Runs one of PyTorch's tests through unittest, and returns its result."""

from __future__ import annotations

import traceback
import unittest
from collections.abc import Callable
from types import TracebackType

from accelerator_portal.reports.outcomes import Stage
from accelerator_portal.validation.case import Result, brief
from accelerator_portal.validation.classify import verdict

SKIPS = "PyTorch skips this test:"
EXPECTS = "PyTorch expects it to fail:"
WORKS = "PyTorch expects it to fail, and it does not."

_LOG_TAIL = 1500

Error = tuple[type[BaseException], BaseException, TracebackType]
OptionalError = Error | tuple[None, None, None]


class _Recorder(unittest.TestResult):
    """Keeps the exceptions themselves, which unittest turns into texts; names are unittest's."""

    def __init__(self) -> None:
        super().__init__()
        self.raised: list[BaseException] = []
        self.expected: list[BaseException] = []

    def addError(self, test: unittest.TestCase, err: OptionalError) -> None:  # noqa: N802
        self._keep(self.raised, err)
        super().addError(test, err)

    def addFailure(self, test: unittest.TestCase, err: OptionalError) -> None:  # noqa: N802
        self._keep(self.raised, err)
        super().addFailure(test, err)

    def addSubTest(  # noqa: N802
        self, test: unittest.TestCase, subtest: unittest.TestCase, err: OptionalError | None
    ) -> None:
        if err:
            self._keep(self.raised, err)
        super().addSubTest(test, subtest, err)

    def addExpectedFailure(self, test: unittest.TestCase, err: OptionalError) -> None:  # noqa: N802
        self._keep(self.expected, err)
        super().addExpectedFailure(test, err)

    @staticmethod
    def _keep(errors: list[BaseException], error: OptionalError) -> None:
        if error[1] is not None:
            errors.append(error[1])


def run_test(kind: Callable[[str], unittest.TestCase], method: str, hidden: str) -> Result:
    """Run a method of a class of tests, with the set-up of its class.

    `hidden` is a folder of this machine, whose path is replaced in the result.
    """
    recorder = _Recorder()
    unittest.TestSuite([kind(method)]).run(recorder)
    if recorder.raised:
        return of_error(recorder.raised[0], "run", hidden)
    if recorder.expected:
        said = f"{type(recorder.expected[0]).__name__}: {recorder.expected[0]}"
        return Result("skipped", "run", brief(f"{EXPECTS} {said}"))
    if recorder.skipped:
        return Result("skipped", None, brief(f"{SKIPS} {recorder.skipped[0][1]}"))
    return Result("passed", "run", WORKS if recorder.unexpectedSuccesses else None)


def of_error(error: BaseException, stage: Stage, hidden: str) -> Result:
    """Return what an exception of a test means, with the end of its traceback."""
    if isinstance(error, unittest.SkipTest):
        return Result("skipped", None, brief(f"{SKIPS} {error}"))
    found = verdict(error, stage)
    lacks = _missing_package(error)
    outcome = "test-broken" if lacks else found.outcome
    reason = f"The test requires {lacks}, which is not installed." if lacks else found.reason or ""
    text = "".join(traceback.format_exception(error)).replace(hidden, "CHECKOUT")
    tail = text[-_LOG_TAIL:].strip()
    return Result(outcome, found.stage, reason.replace(hidden, "CHECKOUT"), log_tail=tail or None)


def _missing_package(error: BaseException | None) -> str | None:
    """Return the package whose import has failed, if that is the cause of an error."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        if isinstance(error, ModuleNotFoundError) and error.name:
            return error.name.partition(".")[0]
        error = error.__cause__
    return None
