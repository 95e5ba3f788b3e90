"""Defines the metrics of the nightly updates: duration, network traffic and failures."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AwareDatetime, Field

from accelerator_reports.files.fields import Count, StrictModel


class NetworkMetrics(StrictModel):
    """The amount of network traffic. Traffic of other programs, such as uv, is not included."""

    requests: Count = 0
    """The number of HTTP requests."""
    bytes: Annotated[int, Field(ge=0)] = 0
    """The number of bytes of the response bodies."""
    retries: Count = 0
    """The number of requests that repeated a failed request."""
    refusals: Count = 0
    """The number of responses that refused a request: status 401, 403 or 429, or GitHub's rate
    limit."""


class StepMetrics(NetworkMetrics):
    """The metrics of a step of a nightly run."""

    name: str
    """Name of the step."""
    seconds: Annotated[float, Field(ge=0)]
    """The duration in seconds."""
    failed: bool = False
    """Whether the step failed."""


class NightMetrics(StrictModel):
    """The metrics of a run of the nightly update."""

    schema_version: Literal[1] = 1
    """The version of this format."""
    started: AwareDatetime
    """The start time, in UTC."""
    seconds: Annotated[float, Field(ge=0)]
    """The duration in seconds."""
    published: bool
    """Whether the site was built, because something had changed."""
    steps: tuple[StepMetrics, ...]
    """The steps in their order."""
    feeds: dict[str, Count]
    """The number of report feeds by result: `new`, `unchanged`, `refused` and `unreachable`."""
    quarantined: tuple[str, ...]
    """Ids of the platforms whose folders have errors."""
    overdue: Count = 0
    """The number of regressions that are open for longer than the deadline."""

    @property
    def start(self) -> str:
        """The start in UTC, to the minute: `2026-11-21 03:00`."""
        return f"{self.started.astimezone(dt.timezone.utc):%Y-%m-%d %H:%M}"

    @property
    def failed_steps(self) -> tuple[str, ...]:
        """The names of the steps that failed."""
        return tuple(step.name for step in self.steps if step.failed)

    @property
    def network(self) -> NetworkMetrics:
        """The network traffic of all steps together."""
        names = NetworkMetrics.model_fields
        sums = {name: sum(getattr(step, name) for step in self.steps) for name in names}
        return NetworkMetrics(**sums)


class Operations(StrictModel):
    """The metrics of the last nightly runs."""

    nights: tuple[NightMetrics, ...]
    """The nightly runs, newest first. Empty if the build had no archive of their metrics."""


def read_nights(file: str) -> tuple[NightMetrics, ...]:
    """Return the metrics of the nightly runs in a JSON file; empty if `file` is an empty text.

    The file has the format of `Operations`, but the runs can be in any order. Raises OSError if the
    file cannot be read, and pydantic's ValidationError if the file is invalid.
    """
    return Operations.model_validate_json(Path(file).read_bytes()).nights if file else ()
