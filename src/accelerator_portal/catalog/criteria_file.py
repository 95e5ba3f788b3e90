"""`data/criteria.yaml`: what testing asks for, and the limits that pages and rules go by."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from accelerator_portal.catalog.fields import Id, Line, Model, Paragraph
from accelerator_portal.catalog.suite_file import SuiteKind

Demand = Literal["tested", "run", "baseline", "maintainers", "command"]
Days = Annotated[int, Field(ge=1, le=3650)]
Hours = Annotated[int, Field(ge=1, le=24 * 365)]


class Standard(Model):
    """What is asked of a kind of suites."""

    kind: SuiteKind
    """The kind."""
    required: Literal["required", "must-pass only", "optional"]
    """Whether a stable option needs it; `must-pass only`: of its tests, those that must pass."""
    meaning: Paragraph
    """What it shows, in a sentence or two."""


class Tested(Model):
    """What a report must be for a platform to read "tested"."""

    report_days: Days
    """A report may be so many days old."""
    same_torch_minor: bool
    """Whether it must be about the same minor release of PyTorch."""
    suites: Annotated[tuple[Id, ...], Field(min_length=1)]
    """It must have run one of these."""
    must_pass: tuple[Line, ...] = ()
    """Operators that must pass where the operator suite was run."""


class Deadlines(Model):
    """Limits in time."""

    breakage_hours: Hours
    """After so many hours an open breakage is overdue."""


class Level(Model):
    """A level of evidence; a platform has the first whose demands it meets."""

    id: Id
    """Its id."""
    title: Line
    """What readers see."""
    meaning: Paragraph
    """What it tells a reader."""
    asks: tuple[Demand, ...]
    """What it asks for; none: it is everybody's."""


class Criteria(Model):
    """The standards; proposals change this file by pull request."""

    standards: Annotated[tuple[Standard, ...], Field(min_length=1)]
    """What is asked of each kind of suites."""
    tested: Tested
    """When a stable option reads "tested"."""
    deadlines: Deadlines
    """How long what breaks may stay broken."""
    levels: Annotated[tuple[Level, ...], Field(min_length=1)]
    """The levels, the highest first."""
