"""Identifies a test to run (`Case`), and holds the result of one attempt at the test (`Result`).

Results are converted to records of the journal, and back.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import Any

from accelerator_reports.outcomes import Outcome, Stage
from accelerator_reports.repetition import seed_of
from accelerator_reports.shortened_text import shortened_text
from accelerator_reports.test_keys import Identity, parse_key

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
