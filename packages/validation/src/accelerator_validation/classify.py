"""Turns the exception of a failed test into an outcome, such as `out-of-memory`, with a reason."""

from __future__ import annotations

from accelerator_reports.failure_texts import is_unexpected_pass, outcome_of_text
from accelerator_reports.missing_operators import missing_operator
from accelerator_reports.outcomes import Outcome, Stage
from accelerator_validation.case import Result, short_message
from accelerator_validation.executorch.backend import UnavailableError

# Outcomes that a text must not set: the exception was raised by a test in this process.
_OUTCOMES_NOT_FROM_TEXT = frozenset({"crashed", "test-broken"})

UNEXPECTED_SUCCESS_REASON = "It is an unexpected pass: the test must fail, and it does not."

# The maximum number of causes of an error; further ones are ignored.
_MOST_CAUSES = 3


class MismatchError(Exception):
    """Raised if a device's result differs from the reference; the message says where."""


class CheckFailedError(Exception):
    """Raised if a check fails, but not because of a wrong number; the message says why."""


class BrokenTestError(Exception):
    """Raised if the test cannot work: its reference fails or a requirement is missing."""


class UncheckedError(Exception):
    """Raised if the test ran but its result cannot be checked; the message says why."""


class SkippedError(Exception):
    """Raised if the test does not apply to this device, machine or torch; the message says why."""


_FIXED_OUTCOMES: tuple[tuple[type[Exception], Outcome], ...] = (
    (MismatchError, "wrong-result"),
    (CheckFailedError, "failed"),
    (BrokenTestError, "test-broken"),
    (UncheckedError, "executed"),
    (SkippedError, "skipped"),
    (UnavailableError, "skipped"),
)


def classify_error(error: BaseException, stage: Stage, *, reference: bool = False) -> Result:
    """Return the result of a test that raised `error` in the stage `stage`.

    The first rule that applies determines the outcome:

    1. UnavailableError and the exceptions of this module have a fixed outcome, such as `skipped`
       for SkippedError.
    2. If `reference` is true, the reference computation failed, which does not use the device. The
       outcome is `test-broken`.
    3. The outcome follows from the class and the text of the exception, such as `out-of-memory`. If
       they show no known cause, the outcome is `failed`.
    """
    text = describe_error(error)
    for error_class, outcome in _FIXED_OUTCOMES:
        if isinstance(error, error_class):
            failed_stage: Stage = "compare" if outcome == "wrong-result" else stage
            return Result(outcome, failed_stage, short_message(str(error)))
    if reference:
        return Result(
            "test-broken", stage, short_message(f"The reference computation failed. {text}")
        )
    if isinstance(error, SystemExit):
        return Result(
            "failed", stage, short_message(f"The test ended the Python interpreter. {text}")
        )
    text_outcome = outcome_of_text(text)
    # Each backend has an exception class of this name, or says it in words.
    class_names = {error_class.__name__ for error_class in type(error).__mro__}
    if class_names & {"OutOfMemoryError", "MemoryError"} or text_outcome == "out-of-memory":
        return Result("out-of-memory", stage, short_message(text))
    if operator := missing_operator(text):
        return Result(
            "unsupported-operator", stage, short_message(f"{operator} is missing. {text}")
        )
    if text_outcome is None or text_outcome in _OUTCOMES_NOT_FROM_TEXT:
        text_outcome = "failed"
    reason = UNEXPECTED_SUCCESS_REASON if is_unexpected_pass(text) else short_message(text)
    return Result(text_outcome, stage, reason)


def describe_error(error: BaseException) -> str:
    """Return the class name and text of an error and of up to three `__cause__` exceptions."""
    descriptions = [f"{type(error).__name__}: {error}"]
    while error.__cause__ is not None and len(descriptions) <= _MOST_CAUSES:
        error = error.__cause__
        descriptions.append(f"{type(error).__name__}: {error}")
    return " Cause: ".join(descriptions)
