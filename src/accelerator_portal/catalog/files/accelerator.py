"""Models `accelerator.yaml`: a platform, its hardware and features, and its tests of PyTorch."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, Field, WithJsonSchema, model_validator

from accelerator_portal.catalog.files.shared_files import RepositoryName
from accelerator_reports.files.fields import (
    NOT_BOOL,
    AdditionalPlatformId,
    Arch,
    Day,
    DeviceString,
    DispatchKey,
    FeatureId,
    Flag,
    GitHubLogin,
    Id,
    Integration,
    Line,
    Mark,
    ModuleName,
    Name,
    Os,
    PackageName,
    Paragraph,
    SourceIds,
    Specifier,
    StrictModel,
    Title,
    TorchVersion,
    Url,
    exactly_one_of,
    matches,
    validation_error,
)
from accelerator_reports.files.folders import report_fault
from accelerator_reports.files.sources import Sourced, SourcedFile
from accelerator_reports.suite_names import OwnSuite

# Models `hardware` in `accelerator.yaml`: cards, and the PyTorch builds that run on each card.

InstanceType = Annotated[Line, Field(max_length=60, pattern=r"^[A-Za-z0-9*][A-Za-z0-9_.*-]+$")]

Purpose = Literal["training", "inference", "edge"]
Purposes = Annotated[tuple[Purpose, ...], Field(min_length=1)]


class Instances(Sourced):
    """Instance types of one cloud provider with this hardware."""

    cloud: Annotated[Line, Field(max_length=40)]
    """The cloud provider: `AWS`, `Azure` or `Google Cloud`."""
    types: Annotated[tuple[InstanceType, ...], Field(min_length=1)]
    """Names of instance types. `*` matches any letters, digits and hyphens, as in `g5.*`."""


PeakOf = Literal["memory", "float64", "float32", "bfloat16", "float16"]


class Peak(Sourced):
    """Peak performance of one device as the vendor states it."""

    of: PeakOf
    """What is stated: `memory` for the memory bandwidth, or a data type for the speed of dense
    matrix products."""
    value: Annotated[
        float, Field(gt=0, le=10_000_000, json_schema_extra={"unit": "GB/s or TFLOP/s"}), NOT_BOOL
    ]
    """The stated figure, in GB/s for `memory` and in TFLOP/s for a data type."""


class HardwareModel(StrictModel):
    """A card, chip or cloud instance. All values are stated by the vendor."""

    name: Annotated[Title, Field(max_length=80)]
    """Product name as the vendor writes it, for example `Arc B580`."""
    also: Annotated[tuple[Title, ...], Field(min_length=1)] | None = None
    """Other names of the hardware, such as code names and names that tools print.

    A name with `#` for a digit or `*` for any words is only searched for, never shown.
    """
    instances: Annotated[tuple[Instances, ...], Field(min_length=1)] | None = None
    """Cloud instances with this hardware."""
    memory_gb: (
        Annotated[float, Field(gt=0, le=100_000, json_schema_extra={"unit": "GB"}), NOT_BOOL] | None
    ) = None
    """Memory of one device in gigabytes, as the vendor states it. Omit it for shared memory."""
    memory: Line | None = None
    """Type of memory, for example `HBM3` or `shared with the processor`."""
    power_w: (
        Annotated[float, Field(gt=0, le=100_000, json_schema_extra={"unit": "W"}), NOT_BOOL] | None
    ) = None
    """Highest power of one device in watts, as the vendor states it (board power, TDP)."""
    power: Line | None = None
    """How the vendor defines `power_w`, for example `TDP with air cooling`."""
    peaks: Annotated[tuple[Peak, ...], Field(min_length=1)] | None = None
    """Peak performance as the vendor states it. Measured speeds are shown as a share of it."""
    arch: Arch | None = None
    """The processor architecture of a machine, board or superchip, if there is only one."""
    purpose: Purposes | None = None
    """What the vendor offers the hardware for: training, inference or edge devices."""
    note: Line | None = None
    """A note that is shown to readers."""
    source: SourceIds | None = None
    """Ids of the sources of the values, if they differ from those of the generation."""


Reach = Literal["installs", "loads", "computes"]
"""How far a build gets on a device: it installs, it finds the device, basic operations work."""


class BuildSupport(Sourced):
    """Builds for a hardware generation, and how far they get on it."""

    variants: Annotated[tuple[Id, ...], Field(min_length=1)] | None = None
    """Ids of the variants in `install.yaml` that this is about. Default: all variants."""
    torch: Specifier | None = None
    """PyTorch releases that this is about, as a version specifier such as `>=2.9`. Default: all
    published releases."""
    os: Annotated[tuple[Os, ...], Field(min_length=1)] | None = None
    """Operating systems of the builds. Default: all."""
    arch: Annotated[tuple[Arch, ...], Field(min_length=1)] | None = None
    """Processor architectures of the builds. Default: all."""
    reaches: Reach = "computes"
    """How far the builds get: `installs` if they don't find the device, `loads` if they find it,
    but basic operations fail or give wrong results, `computes` if basic operations work. The portal
    offers only builds that compute. For the other values, say in `note` what fails."""
    inference_only: Flag = False
    """`true` if the builds are supported for inference, but not for training."""
    images: Flag = True
    """`false` if the container images in `install.yaml` are for other hardware."""
    uncertain: Flag = False
    """`true` if sources disagree about whether these builds run on the hardware, or none says it.
    Explain this in `note`."""
    note: Line | None = None
    """Limits of the support, for example whether the vendor supports the hardware officially."""

    @model_validator(mode="after")
    def _check_note_about_doubts(self) -> BuildSupport:
        if self.uncertain and not self.note:
            raise validation_error(
                "uncertain builds have no note", "add a note that says what the sources say"
            )
        if self.reaches != "computes" and not self.note:
            raise validation_error(
                f'builds that reach only "{self.reaches}" have no note', "say in a note what fails"
            )
        return self


class OtherBuilds(Sourced):
    """Builds without an install command in the portal. `faq.md` says how to install them."""

    question: Line
    """The heading of the question in `faq.md` whose answer says how to install the builds."""


class Generation(Sourced):
    """Hardware that is supported by the same builds: a generation, or one chip of it."""

    name: Annotated[Title, Field(max_length=60)]
    """Name of the generation or family, as the vendor writes it, for example `Ada Lovelace`."""
    chip: Annotated[Title, Field(max_length=40)] | None = None
    """The name that builds use for the hardware: compute capability, gfx target or chip name."""
    also: Annotated[tuple[Title, ...], Field(min_length=1)] | None = None
    """Other names of the generation or chip, for example `sm_70`."""
    vendor: Title | None = None
    """The manufacturer, if it isn't the platform's vendor."""
    arch: Arch | None = None
    """The processor architecture of machines with this hardware, if they all have the same one."""
    jetpack: Annotated[Line, Field(pattern=r"^\d+(\.\d+)*$")] | None = None
    """For NVIDIA Jetson modules: the oldest JetPack release that the builds run on, for example
    `6.1`."""
    builds: tuple[BuildSupport, ...]
    """Builds for the hardware. Write `[]` if no published build has code for it."""
    other_builds: OtherBuilds | None = None
    """Builds for the hardware without an install command in the portal."""
    note: Line | None = None
    """A note for readers. If no build runs on the hardware, state why and since when."""
    models: Annotated[tuple[HardwareModel, ...], Field(min_length=1)]
    """Cards, chips or cloud instances of the generation."""

    @model_validator(mode="after")
    def _check_note_without_builds(self) -> Generation:
        if not self.builds and not self.note:
            what = f'no build runs on "{self.name}", and there is no note'
            raise validation_error(what, "add builds, or a note that says why and since when")
        return self


class Hardware(StrictModel):
    """The hardware of one platform, newest generation first."""

    chip: Annotated[Title, Field(max_length=40)] | None = None
    """What the values of `chip` in `generations` are, for example `Compute capability` or `LLVM
    target`."""
    note: Line | None = None
    """A note on the whole list, for example which hardware is not listed."""
    generations: Annotated[tuple[Generation, ...], Field(min_length=1)]
    """The hardware generations."""


# Models `upstream_events` in `accelerator.yaml`: which changes of PyTorch are tested, and how.

UpstreamTrigger = Literal["pull-request", "push", "daily", "weekly"]
Task = Literal["build", "unit", "torchbench", "models"]
AllowedAuthors = Literal["approved", "anyone"]
StartMethod = Literal["runner", "workflow", "dispatch", "redispatch"]

OWN_WORKFLOW = "upstream-run.yml"
"""File name of the portal's workflow that runs tests on runners attached to this repository."""

# GitHub allows 100 characters. Source: npm @octokit/openapi, `repos/create-dispatch-event`.
EventType = Annotated[
    str,
    matches(
        r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}",
        "use up to 100 letters, digits and . _ -",
        "is not a valid event type",
    ),
]
RunnerLabel = Annotated[
    str,
    matches(
        r"[A-Za-z0-9][A-Za-z0-9._-]{0,59}",
        "use letters, digits and . _ -",
        "is not a valid runner label",
    ),
]
WorkflowName = Annotated[
    str,
    matches(
        r"[a-z0-9][a-z0-9._-]{0,59}\.yml",
        'use its file name, like "foo.yml"',
        "is not the file name of a workflow",
    ),
]


class Dispatch(StrictModel):
    """A repository to which the portal sends an event."""

    repository: RepositoryName
    """Owner and name of the repository on GitHub, for example `acme/torch-acme`."""
    event_type: EventType
    """The event type that the workflow in the repository lists under `on: repository_dispatch:
    types`."""


class UpstreamRun(StrictModel):
    """Where the tests run. Set exactly one key."""

    runner: Annotated[tuple[RunnerLabel, ...], Field(min_length=1, max_length=10)] | None = None
    """Labels of your runner that is attached to the portal's repository. The portal's own workflow
    `upstream-run.yml` runs there."""
    workflow: WorkflowName | None = None
    """File name of your workflow in `.github/workflows/` of the portal's repository, for example
    `acme.yml`."""
    dispatch: Dispatch | None = None
    """Your repository that receives the event and runs the tests. The portal reads the run and the
    report there."""
    redispatch: Dispatch | None = None
    """A repository that forwards the event to a private CI and publishes the report of that CI.
    A missing report is not an error."""

    _check_one_key = exactly_one_of("runner", "workflow", "dispatch", "redispatch")

    @property
    def start_method(self) -> StartMethod:
        """The way to start the tests: the name of the key that is set."""
        if self.runner:
            return "runner"
        return "workflow" if self.workflow else "dispatch" if self.dispatch else "redispatch"

    @property
    def portal_workflow(self) -> str | None:
        """The file name of the workflow that runs the tests in the portal's repository.

        None if the tests run in another repository.
        """
        return OWN_WORKFLOW if self.runner else self.workflow

    @property
    def sent_to(self) -> Dispatch | None:
        """The repository that receives an event to start the tests.

        None if the tests run in the portal's repository.
        """
        return self.dispatch or self.redispatch


class UpstreamEvents(Sourced):
    """Which changes of PyTorch start tests on the platform, and where the tests run."""

    events: Annotated[tuple[UpstreamTrigger, ...], Field(min_length=1)]
    """What starts the tests. `pull-request`: opened, changed or labeled pull requests. `push`:
    commits to main. `daily` and `weekly`: scheduled runs for PyTorch's main branch."""
    labels: Annotated[tuple[Line, ...], Field(max_length=20)] = ()
    """Labels of PyTorch's pull requests: only pull requests with one of them start tests. Default:
    any labels or none."""
    authors: AllowedAuthors = "approved"
    """Whose code may run on your machines. `approved`: a pull request from a branch in PyTorch's
    repository or from a repository of its author, who is a member of PyTorch's organization; or a
    commit that a member approved or that a person with rights there just labeled with one of your
    labels. `anyone`: every pull request, also a stranger's that nobody has read. Default:
    `approved`."""
    tasks: Annotated[tuple[Task, ...], Field(min_length=1)]
    """Tasks to run: `build` (PyTorch and the plugin), `unit` (tests), `torchbench`, `models`."""
    run: UpstreamRun
    """Where the tests run."""
    hours: Annotated[int, Field(ge=1, le=72, json_schema_extra={"unit": "hours"})] = 6
    """Hours to wait for a report. After that, the run counts as lost. Default: 6."""
    comments: Literal["always", "new-failures"] = "always"
    """When the comment on a pull request shows the platform's results: `always`, or only if there
    are `new-failures`. Default: `always`."""

    @model_validator(mode="after")
    def _check_labels_event(self) -> UpstreamEvents:
        for key in ("labels", "authors"):
            if key in self.model_fields_set and "pull-request" not in self.events:
                what = f"{key} is only for the event pull-request"
                raise validation_error(what, "add pull-request to events")
        return self

    @model_validator(mode="after")
    def _check_supported_tasks(self) -> UpstreamEvents:
        if self.run.runner and "torchbench" in self.tasks:
            remedy = "remove it, or run it in your own workflow"
            raise validation_error(
                "the portal's workflow does not support the task torchbench", remedy
            )
        return self


# GitHub would read other characters as a path, a wildcard or another option.
GitHubName = Annotated[
    str,
    matches(
        r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}",
        "use letters, digits and . _ -",
        "is not a valid GitHub name",
    ),
]


class ReleaseAsset(StrictModel):
    """A file in a repository's latest release."""

    repository: RepositoryName
    """Owner and name of the repository on GitHub, for example `acme/torch-acme`."""
    asset: GitHubName
    """Name of the file in the release, for example `report.json`."""


class WorkflowArtifact(StrictModel):
    """An artifact of a workflow that contains `report.json`.

    The artifact is read from the latest successful run that has it. Runs for pull requests don't
    count.
    """

    repository: RepositoryName
    """Owner and name of the repository on GitHub, for example `acme/torch-acme`."""
    workflow: GitHubName
    """The workflow's file name, for example `nightly.yml`."""
    artifact: GitHubName
    """Name of the artifact, for example `report`."""
    branch: GitHubName = "main"
    """The branch on which the workflow ran. Default: `main`."""


def _validate_feed_name(name: str) -> str:
    if fault := report_fault(f"{name}.json"):
        what, remedy = fault
        raise validation_error(f"{name}.json: {what}", remedy)
    return name


class ReportFeed(Sourced):
    """The location of the platform's latest test report in the common test report format."""

    name: Annotated[Id, AfterValidator(_validate_feed_name)]
    """File name of the report in `results/`, without `.json`. It never changes."""
    url: Url | None = None
    """The https address of the report. Redirects to another host are not followed."""
    sha256: Url | None = None
    """With `url`: address of a file with the report's SHA-256, as `sha256sum` writes it. A report
    with another checksum is refused."""
    release: ReleaseAsset | None = None
    """A file of a GitHub release. Use this key instead of `url`."""
    artifact: WorkflowArtifact | None = None
    """An artifact of a GitHub workflow. Use this key instead of `url`."""

    _check_one_key = exactly_one_of("url", "release", "artifact")

    @model_validator(mode="after")
    def _check_checksum(self) -> ReportFeed:
        if self.sha256 is not None and self.url is None:
            raise validation_error(
                "sha256 is allowed only with url", "remove it; GitHub provides its own checksum"
            )
        return self


def _yes_or_no(value: object) -> object:
    """Return `yes` for True and `no` for False, because YAML reads a bare `yes` as true.

    Return other values unchanged.
    """
    return {True: "yes", False: "no"}.get(value, value) if isinstance(value, bool) else value


FeatureSupport = Annotated[
    Literal["yes", "partly", "no"],
    BeforeValidator(_yes_or_no),
    WithJsonSchema({"anyOf": [{"enum": ["yes", "partly", "no"]}, {"type": "boolean"}]}),
]


class Feature(Sourced):
    """Whether a part of PyTorch works (`yes`, `partly` or `no`), as a source states it."""

    works: FeatureSupport
    """`yes`, `partly` (not everything, or only on some devices or systems) or `no`."""
    part: Annotated[Title, Field(max_length=14)] | None = None
    """Which part works, or what limits it, in one or two words that `note` confirms, for example
    `matmul`, `inference` or `Linux`. At most 14 characters. Only if `works` is `partly`."""
    note: Line | None = None
    """What works and what doesn't, for example `forward only`. Required if `works` is `partly`."""

    @model_validator(mode="after")
    def _check_note_if_partly(self) -> Feature:
        if self.works == "partly" and not self.note:
            raise validation_error(
                '"partly" has no note that says which part works',
                "add a note with the source's words",
            )
        return self

    @model_validator(mode="after")
    def _check_part_only_if_partly(self) -> Feature:
        if self.works != "partly" and self.part is not None:
            raise validation_error(
                f'part is only for "partly", but works is "{self.works}"',
                "remove part, or change works",
            )
        return self


class AdditionalPlatformEntry(Sourced):
    """The entry of the platform on pytorch.org's Additional Platforms page."""

    id: AdditionalPlatformId
    """Id of the entry: the name of its file in the folder `_additional_platforms/` of pytorch.org's
    repository, without `.json`, for example `ascend_npu`."""


class IntegrationFact(Sourced):
    """Whether PyTorch itself builds and tests the platform, or a plugin adds it."""

    value: Integration
    """`in-tree`: built and tested in PyTorch. `out-of-tree`: a plugin for PyTorch."""
    note: Line | None = None
    """A note that is shown next to the value."""


class LifecycleFact(Sourced):
    """The state of a platform that is no longer developed: `maintenance` or `retired`."""

    value: Literal["maintenance", "retired"]
    """`maintenance`: fixes only, no new features. `retired`: no further releases."""
    note: Line | None = None
    """A note that is shown to readers."""


class DispatchKeyFact(Sourced):
    """The platform's dispatch key in PyTorch, with its source."""

    value: DispatchKey
    """The key as it is written in PyTorch's code, for example `PrivateUse1`."""
    note: Line | None = None
    """A note that is shown next to the value."""


class DeviceFact(Sourced):
    """The platform's device string, with its source."""

    value: DeviceString
    """The device type for `torch.device()`, for example `npu`."""
    note: Line | None = None
    """A note that is shown next to the value."""


class Package(Sourced):
    """The Python package that provides the platform."""

    name: PackageName
    """Name to install with pip, for example `torch-npu`. It is `torch` for platforms that PyTorch
    builds itself."""
    module: ModuleName = Field(alias="import")
    """Name to import in Python, for example `torch_npu`. It is `torch` for platforms that PyTorch
    builds itself."""
    autoload: Flag | None = None
    """For plugins: whether `import torch` loads the plugin, through the entry point
    `torch.backends`."""
    autoload_since: TorchVersion | None = None
    """For plugins: the first plugin version that `import torch` loads, for example `2.5.1`."""
    repository: RepositoryName | None = None
    """For plugins: owner and name of the package's GitHub repository. Regressions link to the
    commits between two runs, if both runs state their commit."""
    shared_name: Flag = False
    """For plugins: whether other vendors have a package with this name. Each of their folders must
    set the key, and its `note` must say how to distinguish the packages."""
    note: Line | None = None
    """A note that is shown next to the value."""

    @model_validator(mode="after")
    def _check_shared_name_note(self) -> Package:
        if self.shared_name and not self.note:
            what = "shared_name needs a note on how to distinguish the packages"
            raise validation_error(what, "add a note that explains it")
        return self


class OperatingSystem(Sourced):
    """An operating system that the vendor or PyTorch lists as supported or tested."""

    name: Title
    """Name and version as in the source, for example `Ubuntu 22.04`."""
    os: Os
    """The operating system family."""
    arch: Annotated[tuple[Arch, ...], Field(min_length=1)] | None = None
    """Processor architectures. Apple silicon and Windows on Arm are `aarch64`."""
    question: Line | None = None
    """For a system on which the builds may not find the hardware, according to a source: the
    heading of the question in `faq.md` that says what to do. The card finder then links to the
    question, not to an install command."""
    note: Line | None = None
    """A note that is shown next to the name."""


class Identify(Sourced):
    """A command that shows which card a machine has. `shows` describes its output."""

    os: Os
    """The operating system on which the command runs."""
    command: Line
    """The command to type, for example `nvidia-smi -L`."""
    shows: Line
    """What the output looks like, and which part of it names the card."""


class Link(StrictModel):
    """A document of the vendor or of PyTorch."""

    title: Title
    """The title of the document."""
    url: Url
    """Address of the document."""
    source: SourceIds | None = None
    """Id of the source that names the document. Omit it if the document itself was read."""


class Access(Sourced):
    """A place where the hardware can be rented or tried for free."""

    title: Title
    """Name of the provider and of the offer, for example `Google Colab, TPU runtime`."""
    url: Url
    """Address of the page that describes the offer."""
    kind: Literal["rent", "free", "apply"]
    """`rent`: paid. `free`: free of charge, with the limits in `note`. `apply`: on application,
    with terms that are not public."""
    note: Line | None = None
    """Limits of the offer, such as the hardware or the quota."""


class SupportChannel(Sourced):
    """A place to ask for help."""

    title: Title
    """Name of the support channel, for example `Issues on GitHub`."""
    url: Url
    """Address of the support channel."""


class Maintainer(Sourced):
    """A person who maintains the platform."""

    name: Title | None = None
    """The person's name."""
    github: GitHubLogin
    """GitHub user name."""


class UpstreamCi(Sourced):
    """A repository whose CI tests changes of PyTorch on the platform."""

    repository: RepositoryName
    """Owner and name on GitHub, as in the allowlist of PyTorch's cross-repository CI relay, for
    example `acme/torch-acme`."""


class Accelerator(SourcedFile):
    """One compute platform. Its id is the name of its folder."""

    name: Name
    """Short name of the platform, for example `Ascend NPU`."""
    vendor: Title
    """Manufacturer of the hardware, for example `Huawei`."""
    vendor_names: tuple[Title, ...] = ()
    """Other names of the manufacturer (also in another script) and of its products. Readers type
    them into the card finder."""
    mark: Mark
    """Two letters or digits that are shown instead of a logo, for example `AS`."""
    summary: Annotated[Line, Field(max_length=160)]
    """One sentence that says what the platform is and which hardware it supports."""
    description: Paragraph
    """Description of the platform in two to four sentences, for the home page."""
    integration: IntegrationFact
    """Whether PyTorch itself builds the platform (`in-tree`) or a plugin adds it
    (`out-of-tree`)."""
    dispatch_key: DispatchKeyFact
    """PyTorch's dispatch key for the platform, for example `PrivateUse1`. It is not the device
    string."""
    device: DeviceFact
    """The device string for `torch.device()`, for example `npu`."""
    package: Package
    """The platform's Python package."""
    error_names: tuple[Line, ...] = ()
    """Names that identify error messages of the platform, such as names of its libraries: `hccl`
    finds `libhccl.so` and `HCCL error`. If a name has capital letters, case matters."""
    lifecycle: LifecycleFact | None = None
    """Omit this key while the platform is developed. The card finder shows platforms with this key
    last."""
    operating_systems: tuple[OperatingSystem, ...] = ()
    """Operating systems that are supported or tested."""
    identify: tuple[Identify, ...] = ()
    """Commands that show which card a machine has."""
    hardware: Hardware | None = None
    """Cards and chips, and the builds of PyTorch that run on them."""
    features: Mapping[FeatureId, Feature] = Field(default_factory=dict)
    """PyTorch features that work, work partly or don't work, with sources."""
    features_searched: Day | None = None
    """The day on which somebody last searched the public sources for every feature. For a feature
    without an entry, pages then say that no source was found."""
    access: tuple[Access, ...] = ()
    """Places where the hardware can be rented or tried for free."""
    documentation: tuple[Link, ...] = ()
    """Documents for further reading."""
    support: Annotated[tuple[SupportChannel, ...], Field(min_length=1)]
    """Where to ask for help."""
    own_sites: tuple[Line, ...] = ()
    """Other websites whose documents count as documents of the vendor: an owner on a code host,
    such as `github.com/example-labs`, or a domain, such as `example.com`. Use lowercase. Omit sites
    in `documentation` and `support`."""
    additional_platform: AdditionalPlatformEntry | None = None
    """The platform's entry on pytorch.org's Additional Platforms page, if there is one."""
    upstream_ci: tuple[UpstreamCi, ...] = ()
    """Repositories on the allowlist of PyTorch's cross-repository CI relay that test the
    platform."""
    upstream_events: UpstreamEvents | None = None
    """Which changes of PyTorch start tests on the platform, and where the tests run."""
    report_feeds: tuple[ReportFeed, ...] = ()
    """Places from which the nightly job fetches the platform's newest reports into `results/`."""
    suites: tuple[OwnSuite, ...] = ()
    """The vendor's own test suites. Pages show their titles next to results."""
    maintainers: tuple[Maintainer, ...] = ()
    """People who maintain the platform, as a source names them."""

    @model_validator(mode="after")
    def _check_unique_feed_names(self) -> Accelerator:
        names = [feed.name for feed in self.report_feeds]
        duplicate = next((name for name in names if names.count(name) > 1), None)
        if duplicate:
            what = f'two entries in report_feeds have the name "{duplicate}"'
            raise validation_error(
                what, "use a different name for each; it becomes the file name in results/"
            )
        return self

    @model_validator(mode="after")
    def _check_unique_suite_names(self) -> Accelerator:
        names = [name for suite in self.suites for name in (suite.name, *suite.aliases)]
        duplicate = next((name for name in names if names.count(name) > 1), None)
        if duplicate:
            what = f'"{duplicate}" is the name or an alias of two suites, or of one suite twice'
            raise validation_error(what, "remove one of the two")
        return self
