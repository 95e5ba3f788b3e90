"""The common test report format, version 1: one run of test suites on one accelerator."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import AfterValidator, AwareDatetime, Field, StringConstraints, model_validator

from accelerator_portal.catalog.fields import Model, Url, fault, visible
from accelerator_portal.catalog.own_suite import LONGEST_SUITE_NAME, SUITE_NAME, with_short_word
from accelerator_portal.catalog.suite_file import SuiteKind
from accelerator_portal.reports.outcomes import Kind, Outcome, Stage, TriggerKind
from accelerator_portal.reports.shard import Shard
from accelerator_portal.reports.texts import LONGEST

SCHEMA_VERSION = 1

# As in `catalog.fields`, but matched by pydantic's own engine: a report has 100,000 of them.
Slug = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+(?:[-_.][a-z0-9]+)*$", max_length=60)]
SuiteName = Annotated[str, StringConstraints(pattern=SUITE_NAME, max_length=LONGEST_SUITE_NAME)]
Text = Annotated[str, StringConstraints(min_length=1, max_length=LONGEST)]
Short = Annotated[str, StringConstraints(min_length=1, max_length=200)]
Visible = Annotated[Short, AfterValidator(visible)]
Commit = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{7,40}$")]
# A name of points alone would be a folder of an address.
RepositoryPath = Annotated[
    str,
    StringConstraints(
        pattern=r"^[A-Za-z0-9_.-]*[A-Za-z0-9_-][A-Za-z0-9_.-]*/[A-Za-z0-9_.-]*[A-Za-z0-9_-][A-Za-z0-9_.-]*$",
        max_length=200,
    ),
]
OperatorName = Annotated[
    str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$", max_length=100)
]
# Lists have `fail_fast`: pydantic would remember a fault for each of a million wrong items.
OperatorNames = Annotated[tuple[OperatorName, ...], Field(max_length=10_000, fail_fast=True)]
Finite = Annotated[float, Field(allow_inf_nan=False)]
Scalar = Annotated[str, StringConstraints(max_length=400)] | bool | int | Finite


def _utc(value: dt.datetime) -> dt.datetime:
    try:
        return value.astimezone(dt.timezone.utc)
    except OverflowError:
        raise ValueError("the time is out of range") from None


Moment = Annotated[AwareDatetime, AfterValidator(_utc)]


class Trigger(Model):
    """What the run was made for."""

    kind: TriggerKind
    """The occasion; `unknown` where what the report was made of does not say it."""
    repository: RepositoryPath | None = None
    """The upstream repository that was tested."""
    commit: Commit | None = None
    """Its commit."""
    pull_request: Annotated[int, Field(gt=0)] | None = None
    """Number of the pull request."""


class Component(Model):
    """A piece of software of the environment."""

    name: Visible
    """Its name."""
    version: Visible | None = None
    """Its version, as it prints it."""
    commit: Commit | None = None
    """The commit that it was built from."""


class Environment(Model):
    """Where the run took place; what is not known is absent."""

    torch: Visible | None = None
    """PyTorch's version, as it prints it."""
    torch_commit: Commit | None = None
    """The commit that it was built from."""
    plugin: Component | None = None
    """The plugin of an out-of-tree platform."""
    sdk: Component | None = None
    """The vendor's software stack."""
    backend: Component | None = None
    """The backend of ExecuTorch that was tested; its version, or that of ExecuTorch."""
    driver: Visible | None = None
    """Version of the driver."""
    os: Visible | None = None
    """Operating system with its version."""
    arch: Visible | None = None
    """Processor architecture."""
    python: Visible | None = None
    """Version of Python."""
    hardware: Visible | None = None
    """The model of the device, as its tool prints it."""
    hardware_count: Annotated[int, Field(gt=0)] | None = None
    """How many of them."""
    packages: Mapping[Visible, Visible] = Field(default_factory=dict, max_length=1000)
    """Versions of further packages."""


class Origin(Model):
    """The file that a report was imported from."""

    repository: RepositoryPath
    """The repository."""
    commit: Commit
    """The commit at which it was read."""
    path: Short
    """Its path in the repository."""


OPERATORS_ON_CPU = "operators-on-cpu"
"""Metric of a test: how many ATen operators PyTorch computed on the CPU instead of the device."""


class KernelCounts(Model):
    """Overloads of ATen operators by what PyTorch's dispatcher calls for them on the device."""

    own: Annotated[int, Field(ge=0)]
    """Kernels that the backend registered; one of them may still compute on the CPU."""
    composite: Annotated[int, Field(ge=0)]
    """Those that PyTorch computes out of other operators, for every backend."""
    fallback: Annotated[int, Field(ge=0)]
    """Those that the fallback of the backend takes, usually to the CPU."""
    missing: Annotated[int, Field(ge=0)]
    """Those that end in an error."""


class OperatorCoverage(Model):
    """ATen operators that passed tests of a suite dispatched on the device, of all there are.

    An operator is a name in torch's namespace `aten` without its overload, `add_` counted with
    `add`, less those that PyTorch always computes out of others: they never reach a device. One is
    covered when a sample that dispatched it gave the numbers of the reference.
    """

    covered: OperatorNames
    """Their names."""
    registered: Annotated[int, Field(gt=0)]
    """How many there are in the torch of this run."""
    core: Annotated[int, Field(ge=0)]
    """How many of them torch tags as core: what every backend is to have."""
    core_missing: OperatorNames = ()
    """The core ones that are not covered."""
    computed_on_cpu: Annotated[
        tuple[OperatorName, ...], Field(max_length=10_000, fail_fast=True)
    ] = ()
    """Those that PyTorch's CPU fallback was seen to compute, instead of the device."""
    kernels: KernelCounts | None = None
    """Whose kernels PyTorch would call on the device, for all operators."""

    @model_validator(mode="after")
    def _parts_are_not_more_than_the_whole(self) -> OperatorCoverage:
        if len(self.covered) > self.registered:
            raise fault(
                "more operators are covered than there are", "correct covered or registered"
            )
        if len(self.core_missing) > self.core:
            raise fault("more core operators are missing than there are", "correct core_missing")
        return self

    @property
    def core_covered(self) -> int:
        """How many core operators are covered."""
        return self.core - len(self.core_missing)


class Suite(Model):
    """A suite and what it planned, so that what did not run can be seen."""

    name: Annotated[SuiteName, AfterValidator(with_short_word)]
    """Name of the suite, as `data/suites/` has it; of a vendor's own, `acme/kernels`."""
    kind: SuiteKind
    """What it tests."""
    planned: Annotated[int, Field(ge=0)] | None = None
    """How many tests it planned; absent where nobody wrote it down."""
    operators: OperatorCoverage | None = None
    """The operators that it covered, where the harness noted them."""
    command: Text | None = None
    """The command that ran it."""


class Metric(Model):
    """A figure that a test measured."""

    value: Finite
    """The figure."""
    unit: Short
    """Its unit; `1` for a plain number."""
    interval: tuple[Finite, Finite] | None = None
    """Of a median of repeats: the interval in which it lies with a confidence of 95%."""
    repeats: Annotated[int, Field(gt=0)] | None = None
    """How many repeats it is the median of."""

    @model_validator(mode="after")
    def _lies_in_its_interval(self) -> Metric:
        if self.interval and not self.interval[0] <= self.value <= self.interval[1]:
            raise fault("the value is outside its interval", "correct the value or the interval")
        return self


class KnownIssue(Model):
    """Why an outcome was expected."""

    url: Url
    """Where it is followed up."""


class Evidence(Model):
    """Where the outcome can be seen."""

    label: Short
    """What it is: log, trace, artifact."""
    url: Url
    """Where it is."""


class TestEntry(Model):
    """One test; suite, name and parameters are its identity. Hardware is never part of it."""

    __test__ = False  # to pytest it looks like a class of tests

    suite: SuiteName
    """Name of the suite."""
    name: Visible
    """Name of the model, operator or test."""
    parameters: Mapping[Slug, Scalar] = Field(default_factory=dict, max_length=40)
    """`mode`, `dtype`, `compiler`, `shapes`, `recipe` and the like."""
    outcome: Outcome
    """What happened."""
    stage: Stage | None = None
    """How far it got."""
    raw_status: Short | None = None
    """The status in the format that it came from."""
    duration_s: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = None
    """Seconds that it took."""
    reason: Text | None = None
    """The message of a failure, or why it was skipped."""
    log_tail: Text | None = None
    """The last lines of its log."""
    known_issue: KnownIssue | None = None
    """Why this was expected."""
    metrics: Mapping[Slug, Metric] = Field(default_factory=dict, max_length=200)
    """Figures."""
    evidence: Annotated[tuple[Evidence, ...], Field(max_length=40, fail_fast=True)] = ()
    """Where more can be seen."""
    command: Text | None = None
    """The command that repeats this test."""


class Report(Model):
    """One run of test suites on one accelerator, or what a project expects of one."""

    schema_version: Literal[1]
    """The version of this format."""
    accelerator: Slug
    """Id of the accelerator, the name of its folder."""
    kind: Kind
    """`made-here`: by this project's harness; `self-reported`: by the vendor or a project;
    `baseline`: what a project expects of its CI, which is no run."""
    trigger: Trigger
    """What the run was made for."""
    started: Moment | None = None
    """When it began; of a baseline, when it was committed, where that is known."""
    finished: Moment | None = None
    """When it ended."""
    environment: Environment = Environment()
    """Where it took place."""
    origins: Annotated[tuple[Origin, ...], Field(max_length=1000, fail_fast=True)] = ()
    """The files that it was imported from."""
    note: Text | None = None
    """What a reader must know to read it rightly."""
    shard: Shard | None = None
    """Which part of a plan it holds, if the plan was split over several machines."""
    suites: Annotated[tuple[Suite, ...], Field(min_length=1)]
    """The suites."""
    tests: tuple[TestEntry, ...]
    """The tests."""
