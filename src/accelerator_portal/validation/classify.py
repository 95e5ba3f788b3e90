"""From an exception to an outcome: what the device lacks, what is wrong, and whose fault it is."""

from __future__ import annotations

from accelerator_portal.reports.failure_texts import outcome_of_text
from accelerator_portal.reports.missing_operators import missing_operator
from accelerator_portal.reports.outcomes import Outcome, Stage
from accelerator_portal.validation.case import Result, brief
from accelerator_portal.validation.executorch.backend import NotHereError

# What a text cannot be when it comes from an exception of a test that ran in this process.
_NOT_FROM_TEXT = frozenset({"passed", "crashed", "test-broken", None})


# Beneath an error; more is not read.
_MOST_CAUSES = 3


class MismatchError(Exception):
    """The device's result differs from the reference; the message says where and by how much."""


class CheckFailedError(Exception):
    """What a check asks for is not so, and no number is wrong; the message says what was found."""


class BrokenTestError(Exception):
    """The test cannot work here: its reference fails, or what it needs is not installed."""


class UncheckedError(Exception):
    """The test ran, and nothing can be said of its result; the message says why."""


class SkippedError(Exception):
    """The test has nothing to try on this device; the message says why."""


_OWN: tuple[tuple[type[Exception], Outcome], ...] = (
    (MismatchError, "wrong-result"),
    (CheckFailedError, "failed"),
    (BrokenTestError, "test-broken"),
    (UncheckedError, "executed"),
    (SkippedError, "skipped"),
    (NotHereError, "skipped"),
)


def verdict(error: BaseException, stage: Stage, *, reference: bool = False) -> Result:
    """Say what an exception means that came in a stage; `reference`: not on the device.

    A missing operator is told apart from a model that says NotImplementedError of itself: only the
    first names an operator. Whatever stops the reference says nothing of the device.
    """
    text = words_of(error)
    for kind, outcome in _OWN:
        if isinstance(error, kind):
            place: Stage = "compare" if outcome == "wrong-result" else stage
            return Result(outcome, place, brief(str(error)))
    if reference:
        return Result("test-broken", stage, brief(f"The reference computation failed. {text}"))
    if isinstance(error, SystemExit):
        return Result("failed", stage, brief(f"The test ended the Python interpreter. {text}"))
    return _of_product(error, text, stage)


def words_of(error: BaseException) -> str:
    """Return the words of an error and of its causes: a plugin's own stands beneath torch's."""
    words = [f"{type(error).__name__}: {error}"]
    while error.__cause__ is not None and len(words) <= _MOST_CAUSES:
        error = error.__cause__
        words.append(f"{type(error).__name__}: {error}")
    return " Cause: ".join(words)


def _of_product(error: BaseException, text: str, stage: Stage) -> Result:
    if out_of_memory(error, text):
        return Result("out-of-memory", stage, brief(text))
    if operator := missing_operator(text):
        return Result("unsupported-operator", stage, brief(f"{operator} is missing. {text}"))
    said = outcome_of_text(text)
    if said in _NOT_FROM_TEXT or said is None:
        return Result("failed", stage, brief(text))
    return Result(said, stage, brief(text))


def out_of_memory(error: BaseException, text: str) -> bool:
    """Whether memory was short: every backend has a class of that name, or says so in words."""
    names = {kind.__name__ for kind in type(error).__mro__}
    if names & {"OutOfMemoryError", "MemoryError"}:
        return True
    return outcome_of_text(text) == "out-of-memory"
