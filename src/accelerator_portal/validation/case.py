"""One test as it is planned, and what came of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from hashlib import blake2b
from typing import Any

from accelerator_portal.reports.identity import Identity, Parameters, parse_key
from accelerator_portal.reports.outcomes import Outcome, Stage
from accelerator_portal.reports.texts import shortened

MAX_REASON = 400
"""Characters; a report of thousands of tests stays readable, the whole text is in the journal."""


@dataclass(frozen=True)
class Case:
    """A test of a plan: suite, name and parameters are its identity, hardware is no part of it."""

    suite: str
    name: str
    parameters: Parameters = ()

    @cached_property
    def id(self) -> str:
        """The key that this test has in every report."""
        return Identity(self.suite, self.name, self.parameters).key

    @cached_property
    def seed(self) -> int:
        """Start of its random numbers: the same alone, in any batch and on any device."""
        return (
            int.from_bytes(blake2b(self.id.encode(), digest_size=4).digest(), "big") & 0x7FFF_FFFF
        )

    def __getitem__(self, parameter: str) -> str:
        """Return the value of a parameter; raises KeyError."""
        return dict(self.parameters)[parameter]


def case_of(key: str) -> Case:
    """Return the test that has this key; raises UnreadableKeyError."""
    found = parse_key(key)
    return Case(found.suite, found.name, found.parameters)


Spread = tuple[float, float, int]
"""The interval that holds a median with a confidence of 95%, and the number of repeats."""


@dataclass(frozen=True, slots=True)
class Observation:
    """Which ATen operators a computation dispatched, and which of all of them the CPU computed."""

    operators: tuple[str, ...] = ()
    computed_on_cpu: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Result:
    """What came of one attempt at a test; `metrics` are (value, unit) by name.

    `operators` are the ATen operators whose numbers it found right; of all that took part,
    `computed_on_cpu` are those that PyTorch computed on the CPU instead of the device.
    """

    outcome: Outcome
    stage: Stage | None = None
    reason: str | None = None
    seconds: float | None = None
    metrics: Mapping[str, tuple[float, str]] = field(default_factory=dict)
    log_tail: str | None = None
    attempts: int = 1
    operators: tuple[str, ...] = ()
    computed_on_cpu: tuple[str, ...] = ()
    spreads: Mapping[str, Spread] = field(default_factory=dict)
    """Of metrics that are medians of repeats."""

    def record(self) -> dict[str, Any]:
        """Return it as plain data for a line of the journal; what is not known is left out."""
        return {name: value for name, value in asdict(self).items() if value not in (None, {}, ())}


def result_of(record: Mapping[str, Any]) -> Result:
    """Return a result from what `record` made of it."""
    metrics = {name: (value, unit) for name, (value, unit) in record.get("metrics", {}).items()}
    names = {name: tuple(record.get(name, ())) for name in ("operators", "computed_on_cpu")}
    spreads = {name: tuple(spread) for name, spread in record.get("spreads", {}).items()}
    return Result(**{**record, "metrics": metrics, "spreads": spreads, **names})


def with_lost_observation(verdict: Result, why: str, log_tail: str | None = None) -> Result:
    """Return a verdict, which stands, with the reason why its operators are not known."""
    lost = f"The operators of this test could not be recorded: {why}"
    reason = brief(f"{verdict.reason or ''} {lost}".strip())
    return replace(verdict, reason=reason, log_tail=log_tail)


def brief(text: str, limit: int = MAX_REASON) -> str:
    """Return a message short enough for a report: its beginning and its end."""
    return shortened(text, limit) or "The error has no message."
