"""Models `data/criteria.yaml`: requirements for test results, and limits for pages and rules."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field, model_validator

from accelerator_reports.files.fields import (
    NOT_BOOL,
    Id,
    Line,
    Paragraph,
    StrictModel,
    exactly_one_of,
    validation_error,
)
from accelerator_reports.files.sources import Source, Sourced
from accelerator_reports.suite_names import SuiteKind

LevelRequirement = Literal["tested", "run", "baseline", "maintainers", "command"]
Days = Annotated[int, Field(ge=1, le=3650)]
Hours = Annotated[int, Field(ge=1, le=24 * 365)]


class Standard(StrictModel):
    """The requirement for a kind of test suite."""

    kind: SuiteKind
    """Kind of the test suites."""
    required: Literal["required", "must-pass only", "optional"]
    """Whether a stable install option requires these suites. `must-pass only`: it requires only the
    tests in `tested.must_pass`."""
    meaning: Paragraph
    """What the suites show, in one or two sentences."""


class Operator(StrictModel):
    """An operator whose tests must pass."""

    name: Line
    """Name of the operator's tests in the suite."""
    aten: Line | None = None
    """Name of the ATen operator in the sources, if it differs from `name`, for example `_to_copy`
    for `to`."""


class OperatorGroup(Sourced):
    """A group of operators that must pass, with the common reason."""

    title: Line
    """The purpose of the operators in a few words."""
    why: Paragraph
    """Why the operators are necessary for every platform."""
    operators: Annotated[tuple[Operator, ...], Field(min_length=1)]
    """The operators."""


class MustPass(StrictModel):
    """Operators required for a stable install option. The suite's other tests are optional."""

    suite: Id
    """Id of the suite that tests the operators."""
    parameters: Mapping[Id, Line] = Field(default_factory=dict)
    """Parameter values by name, for example `dtype: float32`. An operator passes if all its tests
    with these values passed, and none was computed on the CPU instead of the device."""
    meaning: Paragraph
    """Who proposes the list, and the rule that selects the operators."""
    groups: Annotated[tuple[OperatorGroup, ...], Field(min_length=1)]
    """The operators, grouped by purpose."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the operators in all groups."""
        return tuple(operator.name for group in self.groups for operator in group.operators)

    @model_validator(mode="after")
    def _check_unique_operators(self) -> MustPass:
        twice = [name for name, times in Counter(self.names).items() if times > 1]
        if twice:
            raise validation_error(
                f"listed twice: {', '.join(twice)}", "list each operator in one group only"
            )
        return self


class RequiredModels(StrictModel):
    """The models of one suite that must have results for the level "tested"."""

    suite: Id
    """Id of the suite."""
    fewest: Annotated[int, Field(ge=1, le=10_000)]
    """The smallest number of different models that passed or failed."""


class ModelRequirement(StrictModel):
    """The results of models that are required for the level "tested"."""

    suites: Annotated[tuple[RequiredModels, ...], Field(min_length=1)]
    """The suites; each of them is required."""
    passed_share: Annotated[float, Field(gt=0, le=1), NOT_BOOL]
    """The smallest share of passed results of a suite, of those that passed or failed."""
    meaning: Paragraph
    """Who proposes these numbers, and why these."""


class Tested(StrictModel):
    """The requirements for the label "tested" of a stable install option."""

    report_days: Days
    """The maximum age of a report in days."""
    same_torch_minor: bool
    """Whether the report must be for the same minor release of PyTorch as the install option."""
    models: ModelRequirement
    """The results of models that are required. No result may be wrong without a known issue."""
    must_pass: MustPass | None = None
    """The operators that must pass."""


class BasicTest(StrictModel):
    """One test of the proposed basic set, which every platform should pass."""

    name: Line
    """Name of the test in the suite, without parameters. All tests with this name must pass."""
    why: Line
    """Why the test is necessary for every platform."""


class BasicGroup(Sourced):
    """The tests of the basic set for one part of a backend, such as memory or copies."""

    title: Line
    """What the tests of this group check, such as memory or copies."""
    suite: Id
    """Id of the suite that contains the tests."""
    tests: Annotated[tuple[BasicTest, ...], Field(min_length=1)]
    """The tests."""


class BasicSet(StrictModel):
    """A proposed small set of tests for all platforms. No evidence level requires it."""

    suite: Id
    """Id of the suite that contains most of the tests."""
    meaning: Paragraph
    """Who proposes the set, and the run that checked it."""
    groups: Annotated[tuple[BasicGroup, ...], Field(min_length=1)]
    """The tests, grouped by part."""

    @property
    def tests(self) -> tuple[tuple[str, str], ...]:
        """The tests of all groups, each as the suite's id and the name of the test."""
        return tuple((group.suite, test.name) for group in self.groups for test in group.tests)

    @property
    def files(self) -> tuple[str, ...]:
        """The PyTorch test files that contain the tests of the set, without duplicates.

        Only groups with the same suite as the set (`suite`) are included. A file is given as its
        path below `test/` of a PyTorch checkout, without `.py`: `test/test_torch.py` →
        `test_torch`.
        """
        names = (name for suite, name in self.tests if suite == self.suite)
        containers = (name.partition("::")[0].rpartition(".")[0] for name in names)
        return tuple(dict.fromkeys(container.replace(".", "/") for container in containers))

    @model_validator(mode="after")
    def _check_unique_tests(self) -> BasicSet:
        twice = [name for (_, name), times in Counter(self.tests).items() if times > 1]
        if twice:
            raise validation_error(
                f"listed twice: {', '.join(twice)}", "list each test in one group only"
            )
        return self


Measure = Literal["passed", "right_numbers", "delegated", "size", "time", "memory", "platforms"]


class ReadinessCriterion(StrictModel):
    """A proposed criterion for ExecuTorch backends: a limit for one measured value."""

    id: Id
    """Id of the criterion."""
    title: Line
    """The title in a few words."""
    measure: Measure
    """What is measured. `passed`, `right_numbers`, `delegated`: the share, from 0 to 1, of passed
    tests, correct results and delegated nodes. `size`, `time`, `memory`: the median ratio to
    ExecuTorch's portable kernels. `platforms`: the number of hardware models on which a test
    passed."""
    at_least: float | None = None
    """The smallest value that meets the criterion. Set either this key or `at_most`."""
    at_most: float | None = None
    """The largest value that meets the criterion."""
    weight: Annotated[int, Field(ge=1, le=100)]
    """Points that a backend gets for meeting the criterion."""
    why: Paragraph
    """Why a backend should meet the criterion."""

    _check_one_key = exactly_one_of("at_least", "at_most")

    def is_met(self, figure: float) -> bool:
        """Return whether `figure`, the measured value, meets the criterion."""
        if self.at_least is not None:
            return figure >= self.at_least
        return self.at_most is not None and figure <= self.at_most


class ExecutorchReadiness(StrictModel):
    """Proposed criteria for the general availability of an ExecuTorch backend."""

    meaning: Paragraph
    """Who proposes the criteria, and how the points are counted."""
    fewest_tests: Annotated[int, Field(ge=1)] = 1
    """Minimum number of executed tests of a flow, which is a backend with one recipe. A flow with
    fewer tests is not ready. Default: 1."""
    criteria: Annotated[tuple[ReadinessCriterion, ...], Field(min_length=1)]
    """The criteria."""


class Deadlines(StrictModel):
    """Time limits: an open regression is overdue after `breakage_hours`."""

    breakage_hours: Hours
    """Hours after which an open regression is overdue."""


class Level(StrictModel):
    """A level of evidence. A platform has the first level whose requirements in `asks` it meets."""

    id: Id
    """Id of the level, for example `tested`."""
    title: Line
    """Title that readers see, for example `Baseline only`."""
    meaning: Paragraph
    """What the level means for readers."""
    asks: tuple[LevelRequirement, ...]
    """What a platform needs: the label "tested", a test run, a baseline, named maintainers or an
    install command. A level with an empty list applies to every platform."""


class Criteria(StrictModel):
    """The testing standards. To propose a change, open a pull request for this file."""

    sources: Mapping[Id, Source] = Field(default_factory=dict)
    """The sources of this file, by id."""
    standards: Annotated[tuple[Standard, ...], Field(min_length=1)]
    """The requirement for each kind of test suite."""
    tested: Tested
    """What a stable install option needs for the label "tested"."""
    basic_set: BasicSet | None = None
    """PyTorch tests that every platform should pass (proposal)."""
    executorch_readiness: ExecutorchReadiness | None = None
    """Proposed readiness criteria for ExecuTorch backends."""
    deadlines: Deadlines
    """How long a regression may stay open."""
    most_minors_behind: Annotated[int, Field(gt=0)] | None = None
    """Number of minor releases that a platform can be behind PyTorch without a warning. Default: no
    warning."""
    levels: Annotated[tuple[Level, ...], Field(min_length=1)]
    """The levels of evidence, highest first."""
