"""Models the files in `data/` that all platforms share, and `stated-models.yaml`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from fnmatch import fnmatchcase
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, model_validator

from accelerator_reports.files.fields import (
    Arch,
    Count,
    Day,
    FeatureId,
    Flag,
    Id,
    Line,
    Method,
    Name,
    Os,
    PackageName,
    Paragraph,
    PythonVersion,
    StrictModel,
    Url,
    reject_verdict_marks,
    validation_error,
)
from accelerator_reports.files.sources import Source, Sourced, SourcedFile
from accelerator_reports.suite_names import SuiteFile

HostName = Annotated[str, Field(pattern=r"^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9-]+)+$")]


class Host(StrictModel):
    """A host from which commands may download, and who operates it."""

    host: HostName
    """Full host name in lower case, for example `download.pytorch.org`."""
    owner: Line
    """Who operates the host."""


class Hosts(StrictModel):
    """The hosts from which commands may download."""

    hosts: tuple[Host, ...]
    """The hosts."""


class Exemption(StrictModel):
    """Problems of one rule in one file that are accepted for a time."""

    rule: Id
    """Id of the rule, as `accelerator-portal check` prints it."""
    path: Line
    """Path of the file in the repository, for example `accelerators/foo/install.yaml`."""
    says: Annotated[Line, Field(min_length=3)] | None = None
    """Part of the problem's message. Only problems with this text are accepted. Default: all
    problems of the rule in the file are accepted."""
    reason: Line
    """Why the problem is accepted."""
    expires: Day
    """The last day of the exception."""


class Exceptions(StrictModel):
    """Problems that `accelerator-portal check` accepts for a time."""

    exceptions: tuple[Exemption, ...] = ()
    """The exceptions."""


class OwnRun(StrictModel):
    """A platform on which this project runs the suites.

    Only reports of such a platform can have the kind `made-here`.
    """

    accelerator: Id
    """Id of the platform: the name of its folder."""
    by: Line
    """The workflow or machine that runs the suites."""


class OwnRuns(StrictModel):
    """The platforms on which this project runs the suites."""

    platforms: tuple[OwnRun, ...]
    """The platforms."""

    @property
    def ids(self) -> frozenset[str]:
        """The ids of the platforms."""
        return frozenset(run.accelerator for run in self.platforms)


# A name of dots only, such as `..`, would be a folder in an address.
RepositoryName = Annotated[
    str,
    Field(
        pattern=r"^[A-Za-z0-9][A-Za-z0-9-]*/[A-Za-z0-9_.-]*[A-Za-z0-9_-][A-Za-z0-9_.-]*$",
        max_length=140,
    ),
]

RelayDevice = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*$", max_length=60)]
"""The name of a device in PyTorch's relay list. It may have an underscore."""

RelayLevel = Literal["L1", "L2", "L3", "L4"]
"""The relay's levels: from L1, which receives events, to L4, whose results can block a change.

Source: PyTorch's RFC-0050.
"""


RelayEvent = Literal["pull_request", "nightly"]
"""What a repository takes part in: the relay's events of pull requests and pushes, or reports of
nightly runs that it starts itself. Source: pytorch/test-infra#8854."""


class RelayRepository(Sourced):
    """A repository on the allowlist of PyTorch's cross-repository CI relay, or soon to be."""

    repository: RepositoryName
    """Owner and name of the repository on GitHub, for example `acme/torch-acme`."""
    level: RelayLevel | None = None
    """Level of the repository in the allowlist, from `L1`, which receives events, to `L4`, whose
    results can block a change. Without it, the repository is not on the list."""
    requested: RelayLevel | None = None
    """The level that an open pull request asks for."""
    events: Annotated[tuple[RelayEvent, ...], Field(min_length=1)] = ("pull_request", "nightly")
    """What the repository takes part in: `pull_request` (pull requests and pushes) or `nightly`
    (reports of its own nightly runs). Both by default, as in the allowlist."""
    device: RelayDevice | None = None
    """Device name in the label `ciflow/crcr/<device>` of PyTorch's pull requests. Required for
    level `L3`, not allowed for others."""

    @model_validator(mode="after")
    def _check_entry(self) -> RelayRepository:
        if (self.device is not None) != (self.level == "L3"):
            remedy = "name the device for level L3, and for no other level"
            raise validation_error(f"{self.repository} has level {self.level}", remedy)
        if not (self.level or self.requested):
            remedy = "state the level, or the requested level"
            raise validation_error(f"{self.repository} has no level", remedy)
        if len(set(self.events)) < len(self.events):
            raise validation_error(f"{self.repository} has an event twice", "remove one of them")
        return self


class Relay(SourcedFile):
    """The allowlist of PyTorch's cross-repository CI relay, as in the sources."""

    repositories: tuple[RelayRepository, ...]
    """The repositories."""


GoalPart = Literal["goal", "axis", "metric", "output"]
Milestone = Literal[1, 2]
CountedItem = Literal["tests", "operators", "models", "recipes", "backends", "dtypes"]


class Goal(Sourced):
    """A goal for ExecuTorch's backend tests, as a source states it."""

    id: Id
    """Id of the goal. It never changes."""
    part: GoalPart = "goal"
    """Type of the goal in ExecuTorch's RFC on backend tests: goal, test axis, metric or output.
    Default: `goal`."""
    milestone: Milestone | None = None
    """Milestone in ExecuTorch's RFC on backend tests, if the RFC names one."""
    title: Line
    """The title in a few words."""
    asked: Paragraph
    """What the source says about the goal."""
    command: Line | None = None
    """Command that tests the goal on a machine without an accelerator."""
    needs: Line | None = None
    """Hardware or vendor software that a test of the goal, or of a part of it, requires."""

    counts: CountedItem | None = None
    """What is counted in the latest published reports to show the progress."""
    metric: Line | None = None
    """Name of the metric whose median in the latest reports shows the progress. Use this key
    instead of `counts`."""

    @model_validator(mode="after")
    def _check_command_or_needs(self) -> Goal:
        if self.command is None and self.needs is None:
            raise validation_error(
                "there is no command and no requirement", "set command, needs or both"
            )
        return self


class ExecutorchGoals(SourcedFile):
    """Goals for ExecuTorch's backend tests, as sources state them."""

    goals: Annotated[tuple[Goal, ...], Field(min_length=1)]
    """The goals."""


ObservedKind = Literal["vendor", "community"]
"""Why a backend has no folder in `accelerators/`. `vendor`: there is no package that everybody can
install and use. `community`: a community develops it, or its authors call it experimental."""


class ObservedBackend(Sourced):
    """A PyTorch backend without a folder in `accelerators/`. It is not in the selector."""

    id: Id
    """The id. It never changes, because links use it."""
    name: Line
    """The name that readers use."""
    search_names: tuple[Line, ...] = ()
    """Names of the hardware and of its software by which readers search in the card finder, in
    addition to `name`. Case is ignored, and a number can follow."""
    maker: Line
    """Who develops the backend."""
    kind: ObservedKind
    """Why the backend has no folder. `vendor`: there is no package that everybody can install and
    use. `community`: a community develops it, or its authors call it experimental."""
    device: Line | None = None
    """Device string for `torch.device()`, if a source states it."""
    package: PackageName | None = None
    """Name of the package to install with pip, if a source names it."""
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
    search_names: tuple[Line, ...] = ()
    """Names of the hardware and of its software by which readers search in the card finder, in
    addition to `name`. Case is ignored, and a number can follow."""
    hardware: Line
    """Hardware that the software runs on, as the source names it."""
    summary: Line
    """One sentence that says how to run a PyTorch model with the software."""
    url: Url
    """The address of further information."""


class OtherBackends(SourcedFile):
    """Backends and runtimes that are not listed as compute platforms."""

    observed: Annotated[tuple[ObservedBackend, ...], Field(min_length=1)]
    """PyTorch backends without a folder in `accelerators/`."""
    runtimes: Annotated[tuple[OtherRuntime, ...], Field(min_length=1)]
    """Other ways to run a PyTorch model on hardware."""


class SameModel(Sourced):
    """A model that has different names in several suites."""

    id: Id
    """Id of the model. It never changes."""
    title: Line
    """Title that readers see, for example `BERT, masked language model`."""
    names: Annotated[tuple[Line, ...], Field(min_length=2)]
    """The tests of the model, each as `suite/name`, for example `torchbench/hf_Bert`."""
    note: Line | None = None
    """How the tests of the model differ."""


class Models(SourcedFile):
    """Models that have different names in different suites."""

    models: tuple[SameModel, ...]
    """The models."""


class ModelFamily(StrictModel):
    """A family of models, and the patterns for the names of its tests in the suites."""

    id: Id
    """Id of the family. It never changes."""
    title: Line
    """Title that readers see, for example `Llama`."""
    other_names: tuple[Line, ...] = ()
    """Names and tasks in other languages, by which readers search for the family."""
    names: Annotated[tuple[Line, ...], Field(min_length=1)]
    """Patterns for test names, each as `suite/name`, for example `*/*llama*`: `*` matches any
    characters, `?` one character, and `[0-9]` a digit. Case is ignored."""

    def has(self, suite: str, name: str) -> bool:
        """Return whether a pattern of the model family matches the test `name` of a suite."""
        return any(matches_test_pattern(pattern, suite, name) for pattern in self.names)


class ModelFamilies(StrictModel):
    """The model families, in the order in which pages list them.

    A family contains only tests of suites of kind `model`. A test can belong to several families.
    """

    families: tuple[ModelFamily, ...]
    """The model families."""


class FeatureTests(StrictModel):
    """Tests that show whether a PyTorch feature works."""

    names: Annotated[tuple[Line, ...], Field(min_length=1)]
    """Patterns for test names, each as `suite/name`, for example `torchbench/*`: `*` matches any
    characters, and `?` one character."""
    parameters: Mapping[Line, Line] = Field(default_factory=dict)
    """Patterns for the values of test parameters, by parameter name, for example `dtype: amp_*`.
    Only tests whose values match are used. Default: all tests in `names`."""

    def has(self, suite: str, name: str, parameters: Mapping[str, object]) -> bool:
        """Return whether a test matches a pattern in `names` and all patterns in `parameters`."""
        return any(matches_test_pattern(pattern, suite, name) for pattern in self.names) and all(
            fnmatchcase(str(parameters.get(key, "")), pattern)
            for key, pattern in self.parameters.items()
        )


class FeatureEvidence(StrictModel):
    """The tests that show whether a feature works, by feature."""

    features: Mapping[FeatureId, tuple[FeatureTests, ...]]
    """The tests of each feature. The feature table shows their newest results."""


def matches_test_pattern(pattern: str, suite: str, name: str) -> bool:
    """Return whether a test matches a pattern `suite/name`, such as `torchbench/hf_*`.

    The case of the name is ignored. In `pattern`, the suite ends at the first slash. Therefore,
    the pattern for a vendor's suite such as `acme/kernels` needs a wildcard: `acme*/test_add`.
    """
    suite_pattern, _, name_pattern = pattern.partition("/")
    return fnmatchcase(suite, suite_pattern) and fnmatchcase(name.lower(), name_pattern.lower())


def model_suites(suites: Mapping[str, SuiteFile]) -> dict[str, SuiteFile]:
    """Return the suites of kind `model`, by id."""
    return {id_: suite for id_, suite in suites.items() if suite.kind == "model"}


class StartingChoice(StrictModel):
    """The default choice for one operating system. It is always a stable build."""

    os: Os
    """The operating system."""
    arch: Arch
    """The processor architecture, unless the browser reports another."""
    python: PythonVersion
    """The Python version."""
    method: Method
    """The install method."""
    platform: Id
    """Id of the compute platform: the name of its folder under `accelerators/`."""


class Conda(StrictModel):
    """Instructions for conda users, because PyTorch no longer publishes conda packages."""

    platforms: Annotated[tuple[Id, ...], Field(min_length=1)]
    """Ids of the platforms that conda-forge builds PyTorch for."""
    machines: Mapping[Os, Annotated[tuple[Arch, ...], Field(min_length=1)]]
    """Processor architectures that the sources name, by operating system."""
    command: Line
    """The command that creates an environment named `pytorch`."""
    note: Line
    """A sentence that is shown with the command. It states the date of the sources."""
    sources: Annotated[tuple[Source, ...], Field(min_length=1)]
    """The sources of the note."""


class SelectorDefaults(StrictModel):
    """The default choice for each operating system. The first entry is for an unknown system."""

    start: Annotated[tuple[StartingChoice, ...], Field(min_length=1)]
    """The default choices."""
    primary: tuple[Id, ...] = ()
    """Ids of the platforms in the selector of pytorch.org. Other platforms are additional platforms
    there."""
    conda: Conda | None = None
    """Instructions for conda users."""


# Models `data/finder.yaml`: the words that the card finder recognizes besides names.

Words = Annotated[tuple[Line, ...], Field(min_length=1)]


class TypedChoice(StrictModel):
    """Words in a card search that select values of the install selector, or that are ignored."""

    words: Words
    """The words, in lowercase. A space in them matches a space, a hyphen, an underscore or
    nothing."""
    os: Os | None = None
    """The operating system that the words select."""
    system: Line | None = None
    """A system that PyTorch has no wheels for, such as `FreeBSD`."""
    page: Line | None = None
    """The address of the page that says why there are no wheels, from the root of the site."""
    arch: Line | None = None
    """The processor architecture that the typed words select. PyTorch may have no builds for it."""
    method: Line | None = None
    """The install method that the words select."""
    build: Literal["preview"] | None = None
    """`preview` if the words select nightly builds."""
    release: bool = False
    """Whether a version number after the words is a PyTorch release."""
    python: bool = False
    """Whether a version number after the words is a Python version."""
    requirement: Line | None = None
    """The requirement of install options to which a version number after the words applies, such as
    `macOS`."""
    version: Line | None = None
    """The version of the requirement that the words name, such as `12` for macOS Monterey."""
    kept: bool = False
    """Whether the words stay in the text that is searched, because they are also part of product
    names, such as `MacBook Pro`."""


class PciVendor(StrictModel):
    """Cards of one vendor with their PCI IDs."""

    vendor: Line
    """The PCI ID of the vendor: four hexadecimal digits."""
    maker: Line
    """The vendor's name."""
    names: Mapping[Line, tuple[Line, ...]]
    """The PCI IDs of each card, by the card's name."""


class PciNames(StrictModel):
    """Names of cards by PCI ID: tools print the ID if they do not know the name."""

    source: Source
    """The list that the names are from."""
    vendors: tuple[PciVendor, ...]
    """The vendors."""


class HostedNotebook(StrictModel):
    """A service that runs notebooks on its own machines, which have PyTorch installed."""

    name: Line
    """The name that readers use."""
    words: Words
    """Names of the service in a card search."""
    hardware: Words
    """Names of the listed hardware that a notebook can use, the usual one first."""
    page: Line
    """The address of the answer about PyTorch in notebooks, from the root of the site."""
    sources: tuple[Source, ...]
    """The documents that name the hardware."""


class FinderWords(StrictModel):
    """The words that the card finder recognizes besides names.

    They are in lowercase, except in `systems` and `pci`.
    """

    choices: tuple[TypedChoice, ...] = ()
    """Words that select a value or that the card finder ignores."""
    notebooks: tuple[HostedNotebook, ...] = ()
    """Services whose name alone says which hardware it may be."""
    phrases: tuple[Line, ...] = ()
    """Names of several words that count as one word, for example `macbook pro`."""
    ignored: tuple[Line, ...] = ()
    """Words that add nothing to the name of a product, for example `gpu`."""
    forms: tuple[Line, ...] = ()
    """Words for memory, slots and revisions, for example `pcie`. A number at the end also
    matches, as in `pcie4`."""
    units: tuple[Line, ...] = ()
    """Units that follow a number, for example `gb`."""
    computers: tuple[Line, ...] = ()
    """Names of computers that contain the hardware, for example `thinkpad`; `#` stands for a digit.
    The card finder ignores such a name and the words for its model, for example `x1` or `gen9`."""
    foreign: tuple[Line, ...] = ()
    """Words of products that no build of PyTorch runs on, although their chips are listed, for
    example `ipad`."""
    labels: tuple[Line, ...] = ()
    """Labels that tools print before a name, for example `model name`."""
    systems: Mapping[Os, Words] = {}
    """For each operating system, texts that only tools of this system print. Case matters."""
    pci: PciNames | None = None
    """Names of cards by PCI ID."""


# Models `stated-models.yaml`: models that a platform runs according to documents, not to tests.

GITHUB_FILE_AT_COMMIT = re.compile(
    r"https://github\.com/(?P<repository>[^/]+/[^/]+)/blob/(?P<commit>[0-9a-f]{40})/(?P<path>.+)"
)
"""Pattern for the address of a file on GitHub at a commit."""

LIST_ITEM = "list item"
"""The value of `ModelList.name` if a document lists models as items of a list, not in a table."""

StatedPurpose = Literal["training", "inference"]

# A check mark next to a model would look like a test result.
_UnmarkedText = Annotated[Paragraph, AfterValidator(reject_verdict_marks)]


class StatedModel(StrictModel):
    """A model in the list of a document, in the document's words."""

    name: Annotated[Line, AfterValidator(reject_verdict_marks)]
    """Name of the model or model family, with `(Deprecated)` if another column says so."""
    examples: _UnmarkedText | None = None
    """Examples of the model that the document names."""
    details: _UnmarkedText | None = None
    """What the model runs with according to the document: an engine, data types or devices."""
    purpose: tuple[StatedPurpose, ...] = ()
    """The purpose that the document states for this model. Default: `purpose` of the list."""


class ModelList(Sourced):
    """A list of models in a document: how to read its tables or lists, and their content.

    `accelerator-portal stated-models` writes `rows`, `left_out` and `models`.
    """

    by: Name
    """Publisher of the document, for example `Enflame`."""
    software: Line
    """The software with which the document says that the models run, for example `vLLM-GCU`."""
    headings: Annotated[tuple[Line, ...], Field(min_length=1)]
    """Headings of the document. The tables or lists below them are read."""
    purpose: tuple[StatedPurpose, ...] = ()
    """The purpose that the document states for all models of the list. Omit it if the document
    states no purpose."""
    purpose_from: Mapping[StatedPurpose, Line] = Field(default_factory=dict)
    """Where the document states a purpose: the title of a section or of a column, by purpose, for
    example `training: Training`. A model has the purpose if it is in the section, or if its cell in
    the column is not empty."""
    except_headings: Mapping[Line, Line] = Field(default_factory=dict)
    """Headings whose tables are not read, each with the reason."""
    name: Line
    """Title of the column that contains the name of the model. `list item`: the models are the
    items of lists, not rows of tables. An item that contains another list is not read."""
    examples: Line | None = None
    """Title of the column that contains examples of the model."""
    details: tuple[Line, ...] = ()
    """Titles of the columns that say what the model runs with, such as data types. If a cell
    contains only a mark that means support, the title of its column is used."""
    supported: tuple[Line, ...] = ()
    """Titles of the columns with marks that say whether the model is supported. One such mark is
    enough. Default: every row counts as supported."""
    marks: Mapping[str, Flag] = Field(default_factory=dict)
    """Each text that the columns in `supported` contain, and whether it means support, for example
    `Planned: false`. Any other text is an error."""
    except_rows: Mapping[Line, Line] = Field(default_factory=dict)
    """Texts, each with a reason. A row that contains the text in any column is left out."""
    rows: Count = 0
    """Number of rows in the tables."""
    left_out: Mapping[Line, Count] = Field(default_factory=dict)
    """Number of rows that were left out, by reason."""
    models: tuple[StatedModel, ...] = ()
    """The models. Rows that differ only in details count as one model."""

    @property
    def taken(self) -> int:
        """The number of rows that state a supported model: `rows` minus `left_out`."""
        return self.rows - sum(self.left_out.values())

    @model_validator(mode="after")
    def _check_marks_and_columns(self) -> ModelList:
        if bool(self.marks) != bool(self.supported):
            raise validation_error(
                "supported needs marks, and marks need supported", "set both or neither"
            )
        return self


class StatedModels(SourcedFile):
    """Lists of models that run on one platform, according to documents."""

    lists: Annotated[tuple[ModelList, ...], Field(min_length=1)]
    """The lists. Each has a source of its own: a file on GitHub at a commit."""

    @model_validator(mode="after")
    def _check_list_sources(self) -> StatedModels:
        source_ids = [model_list.source for model_list in self.lists]
        for ids in source_ids:
            url = self.sources[ids[0]].url if len(ids) == 1 and ids[0] in self.sources else None
            if url is None or not GITHUB_FILE_AT_COMMIT.fullmatch(url):
                remedy = "name one source whose url is a file on GitHub at a full commit"
                raise validation_error(
                    f'the source of the list, "{", ".join(ids)}", is no such file', remedy
                )
        if len(set(source_ids)) != len(source_ids):
            raise validation_error("two lists have the same source", "put them into one list")
        return self
