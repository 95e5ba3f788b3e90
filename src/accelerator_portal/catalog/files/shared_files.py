"""Defines the models of the small files in `data/`: hosts, exceptions, goals and others."""

from __future__ import annotations

from collections.abc import Mapping
from fnmatch import fnmatchcase
from typing import Annotated, Literal

from pydantic import Field, model_validator

from accelerator_portal.catalog.fields import (
    Arch,
    Day,
    FeatureId,
    Id,
    Line,
    Method,
    Model,
    Os,
    PackageName,
    Paragraph,
    PythonVersion,
    Url,
    fault,
)
from accelerator_portal.catalog.files.sources import Source, Sourced, SourcedFile
from accelerator_portal.catalog.files.suite_file import SuiteFile

HostName = Annotated[str, Field(pattern=r"^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9-]+)+$")]


class Host(Model):
    """A host that commands can use."""

    host: HostName
    """The full host name in lower case."""
    owner: Line
    """The operator of the host."""


class Hosts(Model):
    """The hosts that commands can use."""

    hosts: tuple[Host, ...]
    """The hosts."""


class Exemption(Model):
    """Problems of one rule in one file that are accepted for a time."""

    rule: Id
    """Id of the rule, as `accelerator-portal check` prints it."""
    path: Line
    """Path of the file in the repository, for example `accelerators/foo/install.yaml`."""
    says: Annotated[Line, Field(min_length=3)] | None = None
    """A part of the message. Default: all problems of the rule in the file."""
    reason: Line
    """Why the problem is accepted."""
    expires: Day
    """The last day of the exception."""


class Exceptions(Model):
    """All exceptions."""

    exceptions: tuple[Exemption, ...] = ()
    """The exceptions."""


class OwnRun(Model):
    """A platform whose reports can have the kind `made-here`."""

    accelerator: Id
    """The id of the platform."""
    by: Line
    """The workflow or machine that runs the suites."""


class OwnRuns(Model):
    """The platforms on which this project runs the suites."""

    platforms: tuple[OwnRun, ...]
    """The platforms."""

    @property
    def ids(self) -> frozenset[str]:
        """The ids of the platforms."""
        return frozenset(run.accelerator for run in self.platforms)


# A name of points alone would be a folder of an address.
RepositoryName = Annotated[
    str,
    Field(
        pattern=r"^[A-Za-z0-9][A-Za-z0-9-]*/[A-Za-z0-9_.-]*[A-Za-z0-9_-][A-Za-z0-9_.-]*$",
        max_length=140,
    ),
]

RelayDevice = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*$", max_length=60)]
"""A device as PyTorch's list writes it. The name may have an underscore."""

RelayLevel = Literal["L1", "L2", "L3", "L4"]
"""From L1, which receives events, to L4, whose results can block a change (RFC-0050)."""


class RelayRepository(Sourced):
    """A repository on the relay's list."""

    repository: RepositoryName
    """Owner and name on GitHub."""
    level: RelayLevel
    """The repository's level in PyTorch's cross-repository CI relay, from L1 to L4."""
    device: RelayDevice | None = None
    """The device name in the label `ciflow/crcr/<device>`. The list has one only for L3."""

    @model_validator(mode="after")
    def _device_is_of_level_three(self) -> RelayRepository:
        if (self.device is not None) != (self.level == "L3"):
            remedy = "name the device for level L3, and for no other level"
            raise fault(f"{self.repository} has level {self.level}", remedy)
        return self


class Relay(SourcedFile):
    """The list of PyTorch's cross-repository CI relay, as in the source."""

    repositories: tuple[RelayRepository, ...]
    """The repositories."""


GoalPart = Literal["goal", "axis", "metric", "output"]
Milestone = Literal[1, 2]
Counted = Literal["tests", "operators", "models", "recipes", "backends", "dtypes"]


class Goal(Sourced):
    """A goal for backend tests, as a source states it."""

    id: Id
    """The id. It never changes."""
    part: GoalPart = "goal"
    """The type in the RFC: goal, test axis, metric or output."""
    milestone: Milestone | None = None
    """The milestone in the RFC, if the RFC names one."""
    title: Line
    """The title in a few words."""
    asked: Paragraph
    """What the source says about the goal."""
    command: Line | None = None
    """The command that shows the goal on a machine without an accelerator."""
    needs: Line | None = None
    """The hardware or vendor software that a test of the goal, or of a part, requires."""

    counts: Counted | None = None
    """The count in the latest published reports that shows the progress."""
    metric: Line | None = None
    """Instead of `counts`: the metric whose median shows the progress."""

    @model_validator(mode="after")
    def _somewhere(self) -> Goal:
        if self.command is None and self.needs is None:
            raise fault("there is no command and no requirement", "set command, needs or both")
        return self


class ExecutorchGoals(SourcedFile):
    """Goals that the sources state."""

    goals: Annotated[tuple[Goal, ...], Field(min_length=1)]
    """The goals."""


ObservedKind = Literal["vendor", "community"]
"""`vendor`: a vendor's backend, without a package that everybody can install and use.
`community`: a community's backend, or a backend that its authors call experimental."""


class ObservedBackend(Sourced):
    """A PyTorch backend without a folder, and the reason. It is not in the selector."""

    id: Id
    """The id. It never changes, because links use it."""
    name: Line
    """The name that readers use."""
    maker: Line
    """The developer of the backend."""
    kind: ObservedKind
    """Why the backend has no folder."""
    device: Line | None = None
    """The device string, if a source states it."""
    package: PackageName | None = None
    """The package, if a source names it."""
    url: Url | None = None
    """The address of further information, if it differs from the source."""
    summary: Line
    """One sentence that describes the backend and its status."""


class OtherRuntime(Sourced):
    """Software that runs PyTorch models on hardware but doesn't provide a torch device."""

    id: Id
    """The id. It never changes, because links use it."""
    name: Line
    """The name that readers use."""
    hardware: Line
    """The hardware that the source names."""
    summary: Line
    """One sentence that says how to run a PyTorch model with the software."""
    url: Url
    """The address of further information."""


class OtherBackends(SourcedFile):
    """Backends and runtimes that are not listed as compute platforms."""

    observed: Annotated[tuple[ObservedBackend, ...], Field(min_length=1)]
    """PyTorch backends without a folder."""
    runtimes: Annotated[tuple[OtherRuntime, ...], Field(min_length=1)]
    """Other ways to run a PyTorch model on hardware."""


class ModelFamily(Model):
    """A family of models, and the names of its tests in the suites."""

    id: Id
    """The id. It never changes."""
    title: Line
    """Title that readers see, for example `Acme kernel tests`."""
    names: Annotated[tuple[Line, ...], Field(min_length=1)]
    """Patterns `suite/name` of tests, for example `*/*llama*`: `*` matches any characters, `?`
    one character, and `[0-9]` a digit. Case is ignored."""

    def has(self, suite: str, name: str) -> bool:
        """Return whether a test with this name belongs to the family."""
        return any(name_matches(pattern, suite, name) for pattern in self.names)


class ModelFamilies(Model):
    """The model families, in the order in which pages list them.

    They contain tests of suites of kind `model` only. A test can belong to several families.
    """

    families: tuple[ModelFamily, ...]
    """The model families."""


class FeatureTests(Model):
    """Tests that show whether a feature works."""

    names: Annotated[tuple[Line, ...], Field(min_length=1)]
    """Patterns `suite/name` of tests, as in `model-families.yaml`."""
    parameters: Mapping[Line, Line] = Field(default_factory=dict)
    """Selects tests by parameters, each with a pattern for its value: `dtype: amp_*`."""

    def has(self, suite: str, name: str, parameters: Mapping[str, object]) -> bool:
        """Say whether a test shows the feature."""
        return any(name_matches(pattern, suite, name) for pattern in self.names) and all(
            fnmatchcase(str(parameters.get(key, "")), pattern)
            for key, pattern in self.parameters.items()
        )


class FeatureEvidence(Model):
    """The tests that show whether a feature works, by feature."""

    features: Mapping[FeatureId, tuple[FeatureTests, ...]]
    """The tests of each feature. The feature table shows their newest results."""


def name_matches(pattern: str, suite: str, name: str) -> bool:
    """Return whether a test matches a pattern `suite/name`; the name may contain slashes."""
    own_suite, _, own_name = pattern.partition("/")
    return fnmatchcase(suite, own_suite) and fnmatchcase(name.lower(), own_name.lower())


def model_suites(suites: Mapping[str, SuiteFile]) -> dict[str, SuiteFile]:
    """Return the suites that test models."""
    return {id_: suite for id_, suite in suites.items() if suite.kind == "model"}


class StartingChoice(Model):
    """The default choice for one operating system. The build is stable."""

    os: Os
    """The operating system."""
    arch: Arch
    """The architecture, unless the browser reports another."""
    python: PythonVersion
    """The Python version."""
    method: Method
    """How to install."""
    platform: Id
    """The compute platform, a folder under `accelerators/`."""


class Conda(Model):
    """Instructions for conda users, because PyTorch no longer publishes conda packages."""

    platforms: Annotated[tuple[Id, ...], Field(min_length=1)]
    """Platforms that conda-forge builds PyTorch for."""
    os: Annotated[tuple[Os, ...], Field(min_length=1)]
    """Operating systems that the sources name."""
    command: Line
    """The command that creates an environment named `pytorch`."""
    note: Line
    """A sentence that is shown with the command, with the date of the sources."""
    sources: Annotated[tuple[Source, ...], Field(min_length=1)]
    """The sources of the note."""


class SelectorDefaults(Model):
    """The default choice for each operating system. The first is used if the system is unknown."""

    start: Annotated[tuple[StartingChoice, ...], Field(min_length=1)]
    """The default choices."""
    primary: tuple[Id, ...] = ()
    """Platforms in the selector of pytorch.org. Other platforms are additional platforms there."""
    conda: Conda | None = None
    """Instructions for conda users."""


Words = Annotated[tuple[Line, ...], Field(min_length=1)]


class TypedChoice(Model):
    """Words that select a value of the install selector. A version number can follow them."""

    words: Words
    """The words, in lowercase. A space stands for a space, a hyphen or nothing."""
    os: Os | None = None
    """The operating system."""
    arch: Line | None = None
    """The processor architecture, also one that PyTorch has no builds for."""
    method: Line | None = None
    """How to install."""
    build: Literal["preview"] | None = None
    """Nightly builds."""
    release: bool = False
    """Whether the version is a PyTorch release."""
    requirement: Line | None = None
    """The requirement of install options that the version belongs to, such as `macOS`."""
    kept: bool = False
    """Whether the words are also part of names, such as `MacBook Pro`."""


class FinderWords(Model):
    """The words that the card finder recognizes besides names. All words are in lowercase."""

    choices: tuple[TypedChoice, ...] = ()
    """Words that select a value or that are left out."""
    phrases: tuple[Line, ...] = ()
    """Names of several words that are read as one word."""
    ignored: tuple[Line, ...] = ()
    """Words that add nothing to the name of a product."""
    forms: tuple[Line, ...] = ()
    """Memory, slots and revisions, which a number can follow."""
    units: tuple[Line, ...] = ()
    """Units that stand behind a number."""
    computers: tuple[Line, ...] = ()
    """Computers that contain the hardware. A model of at most two digits can follow."""
    foreign: tuple[Line, ...] = ()
    """Words of products that no build of PyTorch runs on, although their chips are listed."""
    labels: tuple[Line, ...] = ()
    """What tools print before a name."""
    systems: Mapping[Os, Words] = {}
    """Texts that only tools of one operating system print."""
