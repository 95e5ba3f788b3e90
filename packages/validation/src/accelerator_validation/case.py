"""A test case that a suite offers, how cases are selected, and the outcome of an error.

Results are converted to records of the journal, and back.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import Any

from accelerator_reports.failure_texts import is_unexpected_pass, outcome_of_text
from accelerator_reports.outcomes import UNSETTLED, Outcome, Stage
from accelerator_reports.report import Report
from accelerator_reports.report_views import missing_operator, seed_of
from accelerator_reports.shortened_text import shortened_text
from accelerator_reports.test_ids import Identity, identity_of, parse_key
from accelerator_validation.executorch.backend import UnavailableError

MAX_REASON = 400
"""The usual maximum number of characters in the reason of a result. It keeps reports of thousands
of tests readable."""

MAX_INPUTS = 200
"""The maximum number of characters about what a test ran on."""


@dataclass(frozen=True)
class Case(Identity):
    """A test to run, identified by its suite, name and parameters, but not by the hardware."""

    @cached_property
    def id(self) -> str:
        """The key of this test, the same in every report: `suite/name?parameter=value`."""
        return self.key

    @cached_property
    def seed(self) -> int:
        """The seed of the test's random numbers, which is the same in every run."""
        return seed_of(self.id)

    def __getitem__(self, parameter: str) -> str:
        """Return the value of a parameter. Raises KeyError if the test has no such parameter."""
        return dict(self.parameters)[parameter]


def case_from_key(key: str) -> Case:
    """Return the test with this key: `suite/name?parameter=value`.

    Raises UnreadableKeyError if the key is invalid.
    """
    identity = parse_key(key)
    return Case(identity.suite, identity.name, identity.parameters)


Spread = tuple[float, float, int]
"""The 95% confidence interval of a median, and the number of repeats: `(low, high, repeats)`."""


@dataclass(frozen=True, slots=True)
class ObservedOperators:
    """The ATen operators of a computation on a device.

    `operators` has the dispatched operators. `computed_on_cpu` has the operators that PyTorch
    computed on the CPU instead of the device.
    """

    operators: tuple[str, ...] = ()
    computed_on_cpu: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Result:
    """The result of one attempt at a test."""

    outcome: Outcome
    stage: Stage | None = None
    """The last stage that the test reached; `run` if its process died or was killed."""
    reason: str | None = None
    """The error message of a failure, the reason for skipping the test, or a note."""
    seconds: float | None = None
    """The duration of the attempt in seconds."""
    metrics: Mapping[str, tuple[float, str]] = field(default_factory=dict)
    """The value and the unit of each metric, by metric name: `{"latency": (1.5, "ms")}`."""
    inputs: str | None = None
    """What the test ran on, for example `input_ids int64[1, 512]`."""
    tolerance: tuple[float, float] | None = None
    """The allowed difference from the reference: `rtol` and `atol`."""
    log_tail: str | None = None
    """The end of the test's output."""
    attempts: int = 1
    """Which attempt at the test this is: 1 for the first."""
    operators: tuple[str, ...] = ()
    """The ATen operators in the test's computation, if its result was correct."""
    computed_on_cpu: tuple[str, ...] = ()
    """The ATen operators that PyTorch computed on the CPU instead of the device."""
    spreads: Mapping[str, Spread] = field(default_factory=dict)
    """The spreads of the metrics that are medians of repeats, by metric name."""

    def record(self) -> dict[str, Any]:
        """Return the result as a dict for the journal, without fields that are None or empty."""
        return {name: value for name, value in asdict(self).items() if value not in (None, {}, ())}


def result_from_record(record: Mapping[str, Any]) -> Result:
    """Return the result that `Result.record` converted to the dict `record`."""
    metrics = {name: (value, unit) for name, (value, unit) in record.get("metrics", {}).items()}
    tuple_fields = {name: tuple(record.get(name, ())) for name in ("operators", "computed_on_cpu")}
    spreads = {name: tuple(spread) for name, spread in record.get("spreads", {}).items()}
    tolerance = tuple(record["tolerance"]) if "tolerance" in record else None
    fields = {"metrics": metrics, "spreads": spreads, "tolerance": tolerance, **tuple_fields}
    return Result(**{**record, **fields})


def with_note(result: Result, note: str) -> Result:
    """Return a copy of a result with a sentence added to its reason."""
    return replace(result, reason=f"{result.reason or ''} {note}".strip())


def with_recording_failure(verdict: Result, cause: str, log_tail: str | None = None) -> Result:
    """Return a copy of `verdict` with a note that the test's operators could not be recorded.

    The note contains `cause`. `log_tail` is the log tail of the copy.
    """
    note = f"The operators of this test could not be recorded: {cause}"
    reason = short_message(f"{verdict.reason or ''} {note}".strip())
    return replace(verdict, reason=reason, log_tail=log_tail)


def short_message(text: str, limit: int = MAX_REASON) -> str:
    """Return a message shortened in the middle to at most `limit` characters.

    For an empty message, return "The error has no message."
    """
    return shortened_text(text, limit) or "The error has no message."


# Selects the tests to run: by a `-k` expression, or those that failed in an earlier report.

NameTest = Callable[[str], bool]

_TOKEN = re.compile(r"\s*(?:([()])|([^\s()]+))")


class ExpressionError(ValueError):
    """Raised if a `-k` expression is invalid; the message says why."""


def parse_expression(text: str) -> NameTest:
    """Return a function that tells whether a test id matches the expression `text`.

    An expression has words, `and`, `or`, `not` and parentheses. As in pytest's `-k`, a word matches
    any part of the id, in upper or lower case. Unlike in pytest's `-k`, a word can be
    `dtype=float32`. Raises ExpressionError if `text` is invalid.
    """
    parser = _Parser([a or b for a, b in _TOKEN.findall(text)])
    matches = parser.parse_or()
    if parser.left:
        raise ExpressionError(f'"{parser.left[0]}" is not valid at this position')
    return matches


class _Parser:
    """Parses the tokens of a `-k` expression; `left` are the tokens that remain to be parsed."""

    def __init__(self, tokens: list[str]) -> None:
        self.left = tokens

    def parse_or(self) -> NameTest:
        parts = [self.parse_and()]
        while self._skip_token("or"):
            parts.append(self.parse_and())
        return lambda key: any(part(key) for part in parts)

    def parse_and(self) -> NameTest:
        parts = [self.parse_not()]
        while self._skip_token("and"):
            parts.append(self.parse_not())
        return lambda key: all(part(key) for part in parts)

    def parse_not(self) -> NameTest:
        if self._skip_token("not"):
            inner = self.parse_not()
            return lambda key: not inner(key)
        if self._skip_token("("):
            inner = self.parse_or()
            if not self._skip_token(")"):
                raise ExpressionError('missing ")"')
            return inner
        if not self.left or self.left[0] in {"and", "or", ")"}:
            raise ExpressionError("missing word")
        word = self.left.pop(0).lower()
        return lambda key: word in key.lower()

    def _skip_token(self, token: str) -> bool:
        is_next = bool(self.left) and self.left[0] == token
        if is_next:
            del self.left[0]
        return is_next


def failed_keys(report: Report) -> frozenset[str]:
    """Return the keys of a report's tests that failed, ended with an error, or did not run."""
    return frozenset(identity_of(t).key for t in report.tests if t.outcome in UNSETTLED)


# Turns the exception of a failed test into an outcome, such as `out-of-memory`, with a reason.

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
