"""Describes the common test report format in pydantic models, which validate test reports."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    AwareDatetime,
    BeforeValidator,
    Field,
    StringConstraints,
    model_validator,
)

from accelerator_reports.files.fields import (
    StrictModel,
    Url,
    reject_hidden_characters,
    reject_verdict_marks,
    validation_error,
)
from accelerator_reports.files.text_file import is_plain
from accelerator_reports.outcomes import Outcome, ReportKind, RunLevel, Stage, TriggerKind
from accelerator_reports.shortened_text import MAX_TEXT_LENGTH
from accelerator_reports.suite_names import (
    LONGEST_SUITE_NAME,
    SUITE_NAME_PATTERN,
    SuiteKind,
    validate_suite_name_length,
)

# Describes shards: if several machines share a run, each machine runs one shard of its tests.
#
# The positions of a shard's tests can be converted to text and back. A position is a number
# in the run's plan, the list of all tests of the run.

MAX_SHARDS = 1000

# Python refuses to read a number of more than 4,300 digits.
_RANGE = r"[1-9][0-9]{0,8}(?:-[1-9][0-9]{0,8})?"
_RANGES_PATTERN = rf"^{_RANGE}(?: {_RANGE})*$"

Digest = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
Positions = Annotated[str, StringConstraints(pattern=_RANGES_PATTERN, max_length=2_000_000)]
ResumeCommand = Annotated[str, StringConstraints(min_length=1, max_length=4000)]


class Shard(StrictModel):
    """The part of a plan (the list of a run's tests) that one machine ran."""

    index: Annotated[int, Field(ge=1, le=MAX_SHARDS)]
    """Number of this shard, from 1."""
    count: Annotated[int, Field(ge=1, le=MAX_SHARDS)]
    """Number of all shards of the run."""
    planned: Annotated[int, Field(ge=1)]
    """Number of tests in all shards together."""
    positions: Positions
    """Positions of the shard's tests in the plan of the whole run, counted from 1: numbers and
    ranges, for example `1-3 7`."""
    plan: Digest
    """SHA-256 of the plan: tests, settings and known issues. All shards of a run have the same
    value."""
    times: Digest | None = None
    """SHA-256 of the recorded test durations by which the tests were divided into shards. Absent
    without recorded durations."""
    unfinished: Annotated[int, Field(ge=0)] = 0
    """Number of the shard's tests without a result, because the run was interrupted or stopped."""
    resume: ResumeCommand
    """The command that resumes an interrupted run of this shard."""

    @model_validator(mode="after")
    def _check_index_within_count(self) -> Shard:
        if self.index > self.count:
            what = f"there is no shard {self.index} of {self.count}"
            raise validation_error(what, "correct index or count")
        return self

    @property
    def name(self) -> str:
        """The shard as a value of the option `--shard`: `2/4` is the second of four shards."""
        return f"{self.index}/{self.count}"


def positions_text(positions: Iterable[int]) -> str:
    """Return ascending positions as ranges: 1, 2, 3 and 7 become `1-3 7`."""
    ranges: list[tuple[int, int]] = []
    for position in positions:
        if ranges and ranges[-1][1] == position - 1:
            ranges[-1] = (ranges[-1][0], position)
        else:
            ranges.append((position, position))
    return " ".join(str(a) if a == b else f"{a}-{b}" for a, b in ranges)


def positions_of(text: str, limit: int) -> Iterator[int]:
    """Yield the positions in a text: `1-3 7` gives 1, 2, 3 and 7.

    Ranges are cut off at `limit`, because a hostile file could name an endless range.
    """
    for part in text.split():
        first, _, last = part.partition("-")
        yield from range(int(first), min(int(last or first), limit) + 1)


SCHEMA_VERSION = 1

# As in `catalog.fields`, but matched by pydantic's own engine: a report has 100,000 of them.
Slug = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+(?:[-_.][a-z0-9]+)*$", max_length=60)]
SuiteName = Annotated[
    str, StringConstraints(pattern=SUITE_NAME_PATTERN, max_length=LONGEST_SUITE_NAME)
]


def _validate_name(value: str) -> str:
    if is_plain(value):  # as almost all: a report has 100,000 of them
        return value
    return reject_verdict_marks(reject_hidden_characters(value))


Text = Annotated[str, StringConstraints(min_length=1, max_length=MAX_TEXT_LENGTH)]
# Texts that people copy or compare contain no invisible characters, and names contain no signs that
# look like verdicts. Texts of a failure are unchanged, because a program wrote them.
ReportText = Annotated[
    str,
    StringConstraints(min_length=1, max_length=200),
    AfterValidator(_validate_name),
]
VisibleText = Annotated[Text, AfterValidator(reject_hidden_characters)]
Commit = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{7,40}$")]
# A name of only dots, such as `..`, would be a folder in a URL.
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
# The name of a member of PyTorch's HardwareClassification. PyTorch may add others.
HwClassification = Annotated[str, StringConstraints(pattern=r"^[A-Z][A-Z0-9_]*$", max_length=40)]
# Lists have `fail_fast`: pydantic would remember a fault for each of a million wrong items.
OperatorNames = Annotated[tuple[OperatorName, ...], Field(max_length=10_000, fail_fast=True)]
Finite = Annotated[float, Field(allow_inf_nan=False)]


def _visible_scalar(value: Any) -> Any:  # noqa: ANN401 - of a parameter
    return _validate_name(value) if isinstance(value, str) else value


Scalar = Annotated[
    Annotated[str, StringConstraints(max_length=400)] | bool | int | Finite,
    AfterValidator(_visible_scalar),
]


EARLIEST_TIME = dt.datetime(2016, 1, 1, tzinfo=dt.timezone.utc)
"""The earliest time that a report can state: PyTorch was first released in September 2016. Earlier
times are those of a clock that was not set, or numbers in a wrong unit."""


def _reject_number(value: object) -> object:
    """Return the value unchanged. Raises PydanticCustomError for a number, also one in a text.

    Pydantic would read it as the seconds or milliseconds since 1970.
    """
    is_text = isinstance(value, str) and re.match(r"\d{4}-", value)
    if not (is_text or isinstance(value, dt.datetime)):
        raise validation_error(
            "expected a time with its time zone", "use a format like 2026-11-21T08:00:00Z"
        )
    return value


def _utc(value: dt.datetime) -> dt.datetime:
    if value.year < EARLIEST_TIME.year:
        what = f"the time {value.date()} is before {EARLIEST_TIME:%Y}, when PyTorch did not exist"
        raise validation_error(what, "correct the time")
    try:
        return value.astimezone(dt.timezone.utc)
    except OverflowError:
        raise ValueError("the time is out of range") from None


Moment = Annotated[AwareDatetime, BeforeValidator(_reject_number), AfterValidator(_utc)]


class Trigger(StrictModel):
    """The event that started the run."""

    kind: TriggerKind
    """Kind of the event. It is `unknown` if the imported file doesn't state it."""
    repository: RepositoryPath | None = None
    """The upstream repository that was tested, as `owner/name`, for example `pytorch/pytorch`."""
    commit: Commit | None = None
    """Commit of the repository that was tested: 7 to 40 hexadecimal digits."""
    pull_request: Annotated[int, Field(gt=0)] | None = None
    """Number of the pull request that was tested."""


class Component(StrictModel):
    """A software component of the environment."""

    name: ReportText
    """Name of the component, for example `CANN`."""
    version: ReportText | None = None
    """Version as the component prints it."""
    commit: Commit | None = None
    """Commit from which the component was built: 7 to 40 hexadecimal digits."""


class Environment(StrictModel):
    """The environment of the run. Omit keys whose values are unknown."""

    torch: ReportText | None = None
    """The PyTorch version as `torch.__version__` prints it."""
    torch_commit: Commit | None = None
    """Commit from which PyTorch was built: 7 to 40 hexadecimal digits."""
    plugin: Component | None = None
    """The plugin, if the platform is out-of-tree."""
    sdk: Component | None = None
    """The vendor's software stack, for example CANN or ROCm."""
    backend: Component | None = None
    """The ExecuTorch backend and its version, or the version of ExecuTorch."""
    driver: ReportText | None = None
    """Version of the device's driver."""
    os: ReportText | None = None
    """Operating system with its version, for example `Ubuntu 24.04`."""
    arch: ReportText | None = None
    """Processor architecture, for example `x86_64`."""
    python: ReportText | None = None
    """Version of Python."""
    hardware: ReportText | None = None
    """The device model as the vendor's tool prints it."""
    hardware_count: Annotated[int, Field(gt=0)] | None = None
    """The number of devices."""
    packages: Mapping[ReportText, ReportText] = Field(default_factory=dict, max_length=1000)
    """Versions of further packages, by package name, for example `{"numpy": "2.3.1"}`."""
    locks: Mapping[ReportText, Digest] = Field(default_factory=dict, max_length=20)
    """SHA-256 of the lock files from which the packages were installed, by file name."""


def environment_facts(environment: Environment) -> Mapping[str, object]:
    """Return the known facts of an environment, by name.

    The name of a fact is the field's name in words (`torch commit`), or `package numpy` for a
    package, or `lock requirements.lock` for a lock file. The value of a component joins its name,
    version and commit.
    """
    facts: dict[str, object] = {}
    for name, value in environment:
        if isinstance(value, Component):
            facts[name] = " ".join(filter(None, (value.name, value.version, value.commit)))
        elif name not in {"packages", "locks"} and value is not None:
            facts[name.replace("_", " ")] = value
    facts |= {f"package {name}": value for name, value in environment.packages.items()}
    return facts | {f"lock {name}": digest for name, digest in environment.locks.items()}


def different_facts(
    here: Mapping[str, object], there: Mapping[str, object]
) -> Iterator[tuple[str, object, object]]:
    """Yield the name, the value in `here` and the value in `there` of each fact that differs.

    The facts are sorted by name. A value is None if the fact is missing on that side.
    """
    for name in sorted(here.keys() | there.keys()):
        value, other_value = here.get(name), there.get(name)
        if value != other_value:
            yield name, value, other_value


class Origin(StrictModel):
    """The file that a report was imported from."""

    repository: RepositoryPath
    """The repository of the file, as `owner/name`."""
    commit: Commit
    """The commit at which the file was read: 7 to 40 hexadecimal digits."""
    path: ReportText
    """Path of the file in the repository."""


OPERATORS_ON_CPU = "operators-on-cpu"
"""Name of the metric for the number of ATen operators that a test ran on the CPU, not the
device."""


class KernelCounts(StrictModel):
    """Numbers of ATen operator overloads, by the kernel that PyTorch calls on the device."""

    own: Annotated[int, Field(ge=0)]
    """Number of overloads with a kernel that the backend registered. Such a kernel can still
    compute on the CPU."""
    composite: Annotated[int, Field(ge=0)]
    """Number of overloads that PyTorch composes from other operators for every backend."""
    fallback: Annotated[int, Field(ge=0)]
    """Number of overloads that use the backend's fallback, usually on the CPU."""
    missing: Annotated[int, Field(ge=0)]
    """Number of overloads without a kernel. They raise an error."""


class OperatorCoverage(StrictModel):
    """ATen operators that were dispatched on the device in passed tests of a suite.

    An operator is a name in torch's namespace `aten` without its overload; `add_` counts as
    `add`. Operators that PyTorch always composes from other operators are not counted: they
    never reach a device. An operator is covered if a test passed that ran it on the device.
    """

    covered: OperatorNames
    """The names of the covered operators."""
    registered: Annotated[int, Field(gt=0)]
    """The number of ATen operators in the PyTorch build of this run."""
    core: Annotated[int, Field(ge=0)]
    """The number of operators with the tag `core` in torch."""
    core_missing: OperatorNames = ()
    """The core operators that are not covered."""
    computed_on_cpu: OperatorNames = ()
    """Operators that PyTorch's CPU fallback computed instead of the device."""
    kernels: KernelCounts | None = None
    """For each kind of kernel that PyTorch calls on the device, the number of operator
    overloads."""

    @model_validator(mode="after")
    def _parts_are_not_more_than_the_whole(self) -> OperatorCoverage:
        if len(self.covered) > self.registered:
            raise validation_error(
                "more operators are covered than exist", "correct covered or registered"
            )
        if len(self.core_missing) > self.core:
            raise validation_error(
                "more core operators are missing than exist", "correct core_missing"
            )
        return self

    @property
    def core_covered(self) -> int:
        """The number of covered operators that have the tag `core` in torch."""
        return self.core - len(self.core_missing)


class Suite(StrictModel):
    """A test suite. Its number of planned tests shows how many tests did not run."""

    name: Annotated[SuiteName, AfterValidator(validate_suite_name_length)]
    """Name of the suite as in `data/suites/`. A vendor's suite has a name like `acme/kernels`."""
    kind: SuiteKind
    """What the suite tests."""
    planned: Annotated[int, Field(ge=0)] | None = None
    """The number of planned tests. Absent if it is unknown."""
    level: RunLevel | None = None
    """How much of each test was tried, if `accelerator-portal validate` ran a suite with levels."""
    operators: OperatorCoverage | None = None
    """The operators that the suite covered, if `accelerator-portal validate` recorded them."""
    command: VisibleText | None = None
    """The command that ran the suite."""


class Tolerance(StrictModel):
    """The allowed difference from the reference: `atol + rtol * |reference|`."""

    rtol: Annotated[float, Field(ge=0)]
    """The allowed difference, as a share of the reference."""
    atol: Annotated[float, Field(ge=0)]
    """The allowed absolute difference, in addition to `rtol`."""


class Metric(StrictModel):
    """A value that a test measured, or the median of repeated measurements with its interval."""

    value: Finite
    """The measured value, in the unit of `unit`."""
    unit: ReportText
    """The unit, for example `ms`. It is `1` for a number without a unit."""
    interval: tuple[Finite, Finite] | None = None
    """Lower and upper limit of the 95% confidence interval of the median, in the same unit."""
    repeats: Annotated[int, Field(gt=0)] | None = None
    """The number of repeated measurements. `value` is their median."""

    @model_validator(mode="after")
    def _lies_in_its_interval(self) -> Metric:
        if self.interval and not self.interval[0] <= self.value <= self.interval[1]:
            raise validation_error(
                "the value is outside its interval", "correct the value or the interval"
            )
        return self


class KnownIssue(StrictModel):
    """The issue that explains why the outcome was expected."""

    url: Url
    """The address of the issue about the outcome."""


class Evidence(StrictModel):
    """A link to evidence of the outcome."""

    label: ReportText
    """The kind of evidence: log, trace or artifact."""
    url: Url
    """The address of the evidence."""


class TestEntry(StrictModel):
    """One test. Suite, name and parameters identify it. Hardware is never part of the identity."""

    __test__ = False  # to pytest it looks like a class of tests

    suite: SuiteName
    """Name of the test's suite, as in `suites`."""
    name: ReportText
    """Name of the model, operator or test."""
    parameters: Mapping[Slug, Scalar] = Field(default_factory=dict, max_length=40)
    """Parameters of the test, such as `mode`, `dtype`, `compiler`, `shapes` or `recipe`, for
    example `{"dtype": "float32"}`."""
    hw_classification: HwClassification | None = None
    """The hardware for which PyTorch wrote the test, for example `ACCELERATOR`. PyTorch's own
    tests state it since PyTorch 2.14, see `torch.testing._internal.common_utils`."""
    outcome: Outcome
    """The outcome of the test."""
    stage: Stage | None = None
    """The last stage that the test reached."""
    raw_status: ReportText | None = None
    """The status in the file from which the test was imported, for example `xfail`."""
    duration_s: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = None
    """Duration of the test in seconds."""
    reason: Text | None = None
    """The error message of a failed test, or why the test was skipped."""
    inputs: VisibleText | None = None
    """What the test ran on, for example `input_ids int64[1, 512]`."""
    tolerance: Tolerance | None = None
    """The allowed difference from the reference. In suites of models, `atol` is a share of the
    largest number of the reference, and in training, `rtol` is a share of a gradient's norm."""
    log_tail: Text | None = None
    """The last lines of the test's output."""
    known_issue: KnownIssue | None = None
    """The issue that explains why the outcome was expected."""
    metrics: Mapping[Slug, Metric] = Field(default_factory=dict, max_length=200)
    """Values that the test measured, by name."""
    evidence: Annotated[tuple[Evidence, ...], Field(max_length=40, fail_fast=True)] = ()
    """Links to logs and other evidence."""
    command: VisibleText | None = None
    """The command that repeats this test."""


_ALL_FIELDS = set(TestEntry.model_fields)


def compact_test(fields: object) -> TestEntry:
    """Return a test with these fields. Raises pydantic's ValidationError if they are invalid.

    pydantic keeps a set with the names of the stated fields for each object. Nothing asks for it,
    and those of 100,000 tests take 70 MB, so these tests share one set.
    """
    test = TestEntry.model_validate(fields)
    object.__setattr__(test, "__pydantic_fields_set__", _ALL_FIELDS)
    return test


class Report(StrictModel):
    """A run of test suites on one accelerator, or a baseline."""

    schema_version: Literal[1]
    """The version of this format."""
    accelerator: Slug
    """Id of the accelerator: the name of its folder, for example `ascend`."""
    kind: ReportKind
    """`made-here`: this project ran the tests. `self-reported`: the vendor or another project ran
    them. `baseline`: results that a project's CI expects. A baseline doesn't count as a run."""
    trigger: Trigger
    """What started the run."""
    started: Moment | None = None
    """Start time with its time zone, for example `2026-11-21T08:00:00Z`. For a baseline, the time
    of its commit, if known."""
    finished: Moment | None = None
    """End time with its time zone."""
    environment: Environment = Environment()
    """The environment of the run."""
    origins: Annotated[tuple[Origin, ...], Field(max_length=1000, fail_fast=True)] = ()
    """The files from which the report was imported."""
    run_url: Url | None = None
    """The address of the run in the CI that made the report."""
    note: VisibleText | None = None
    """A remark that readers need to interpret the report."""
    shard: Shard | None = None
    """Which part of the tests the report contains, if a run was split over several machines."""
    suites: Annotated[tuple[Suite, ...], Field(min_length=1)]
    """The test suites of the run or baseline."""
    tests: tuple[TestEntry, ...]
    """The tests with their outcomes."""
