"""`data/criteria.yaml`: what testing asks for, and the limits that pages and rules go by."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field, model_validator

from accelerator_portal.catalog.fields import Id, Line, Model, Paragraph, fault
from accelerator_portal.catalog.sources import Source, Sourced
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


class Operator(Model):
    """An operator that must pass."""

    name: Line
    """Its name among the tests of the suite."""
    aten: Line | None = None
    """What the sources call it, where they call it otherwise."""


class OperatorGroup(Sourced):
    """Operators that must pass for one reason."""

    title: Line
    """What they do, in a few words."""
    why: Paragraph
    """Why a platform cannot do without them."""
    operators: Annotated[tuple[Operator, ...], Field(min_length=1)]
    """The operators."""


class MustPass(Model):
    """The operators that a stable option needs; the other tests of their suite are optional."""

    suite: Id
    """The suite that tests them."""
    parameters: Mapping[Id, Line] = Field(default_factory=dict)
    """An operator passes when each of its tests with these parameters passed, and there is one."""
    meaning: Paragraph
    """Whose list it is, and by which rule an operator is on it."""
    groups: Annotated[tuple[OperatorGroup, ...], Field(min_length=1)]
    """The operators, by what they do."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all of them."""
        return tuple(operator.name for group in self.groups for operator in group.operators)

    @model_validator(mode="after")
    def _once_each(self) -> MustPass:
        twice = [name for name, times in Counter(self.names).items() if times > 1]
        if twice:
            raise fault(f"listed twice: {', '.join(twice)}", "list each operator in one group only")
        return self


class Tested(Model):
    """What a report must be for a platform to read "tested"."""

    report_days: Days
    """A report may be so many days old."""
    same_torch_minor: bool
    """Whether it must be about the same minor release of PyTorch."""
    suites: Annotated[tuple[Id, ...], Field(min_length=1)]
    """It must have run one of these."""
    must_pass: MustPass | None = None
    """The operators that must pass."""


class BasicTest(Model):
    """A test that a basic set proposes."""

    name: Line
    """Its name in the suite, without parameters; each of its tests must pass."""
    why: Line
    """Why a platform cannot do without what it tests."""


class BasicGroup(Sourced):
    """Tests of one part of a backend."""

    title: Line
    """The part."""
    suite: Id
    """The suite that the tests are of."""
    tests: Annotated[tuple[BasicTest, ...], Field(min_length=1)]
    """The tests."""


class BasicSet(Model):
    """A small set of tests that every platform is proposed to pass; no level asks for it."""

    suite: Id
    """The suite that most of the tests are of."""
    meaning: Paragraph
    """Whose proposal it is, and what it was checked with."""
    groups: Annotated[tuple[BasicGroup, ...], Field(min_length=1)]
    """The tests, by part."""

    @property
    def tests(self) -> tuple[tuple[str, str], ...]:
        """Suite and name of each test."""
        return tuple((group.suite, test.name) for group in self.groups for test in group.tests)

    @property
    def files(self) -> tuple[str, ...]:
        """The files of a checkout that the tests of the suite stand in, once each."""
        names = (name for suite, name in self.tests if suite == self.suite)
        containers = (name.partition("::")[0].rpartition(".")[0] for name in names)
        return tuple(dict.fromkeys(container.replace(".", "/") for container in containers))

    @model_validator(mode="after")
    def _once_each(self) -> BasicSet:
        twice = [name for (_, name), times in Counter(self.tests).items() if times > 1]
        if twice:
            raise fault(f"listed twice: {', '.join(twice)}", "list each test in one group only")
        return self


Measure = Literal["passed", "right_numbers", "delegated", "size", "time", "memory", "platforms"]


class ReadinessCriterion(Model):
    """One thing that a backend of ExecuTorch is proposed to reach."""

    id: Id
    """Its id."""
    title: Line
    """What it is, in a few words."""
    measure: Measure
    """The figure that it is about."""
    at_least: float | None = None
    """The figure must not be smaller."""
    at_most: float | None = None
    """The figure must not be larger."""
    weight: Annotated[int, Field(ge=1, le=100)]
    """How many points it counts."""
    why: Paragraph
    """Why a backend should reach it."""

    @model_validator(mode="after")
    def _has_one_limit(self) -> ReadinessCriterion:
        if (self.at_least is None) == (self.at_most is None):
            raise fault("exactly one limit is required", "set at_least or at_most")
        return self

    def is_met(self, figure: float) -> bool:
        """Whether a figure is on the right side of the limit."""
        if self.at_least is not None:
            return figure >= self.at_least
        return self.at_most is not None and figure <= self.at_most


class ExecutorchReadiness(Model):
    """What makes a backend of ExecuTorch ready for general availability; a proposal."""

    meaning: Paragraph
    """Whose proposal it is, and how the points are counted."""
    fewest_tests: Annotated[int, Field(ge=1)] = 1
    """A flow with fewer tests that were tried is not ready, whatever they show."""
    criteria: Annotated[tuple[ReadinessCriterion, ...], Field(min_length=1)]
    """The criteria."""


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

    sources: Mapping[Id, Source] = Field(default_factory=dict)
    """Every source that this file names, by id."""
    standards: Annotated[tuple[Standard, ...], Field(min_length=1)]
    """What is asked of each kind of suites."""
    tested: Tested
    """When a stable option reads "tested"."""
    basic_set: BasicSet | None = None
    """Tests of PyTorch that every platform is proposed to pass."""
    executorch_readiness: ExecutorchReadiness | None = None
    """What a backend of ExecuTorch is proposed to reach."""
    deadlines: Deadlines
    """How long what breaks may stay broken."""
    most_minors_behind: Annotated[int, Field(gt=0)] | None = None
    """So many minor releases a platform may be behind PyTorch before somebody is reminded."""
    levels: Annotated[tuple[Level, ...], Field(min_length=1)]
    """The levels, the highest first."""
