"""`accelerator.yaml`: who and what an accelerator is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field, model_validator

from accelerator_portal.catalog.features import Feature, FeatureId
from accelerator_portal.catalog.fields import (
    Arch,
    Flag,
    GitHubLogin,
    Integration,
    Line,
    Mark,
    Model,
    ModuleName,
    Name,
    Os,
    PackageName,
    Paragraph,
    SourceIds,
    TorchVersion,
    Url,
    fault,
)
from accelerator_portal.catalog.hardware import Hardware
from accelerator_portal.catalog.own_suite import OwnSuite
from accelerator_portal.catalog.relay_file import RepositoryName
from accelerator_portal.catalog.report_feed import ReportFeed
from accelerator_portal.catalog.sources import Sourced, SourcedFile
from accelerator_portal.catalog.upstream_events import UpstreamEvents


class IntegrationFact(Sourced):
    """Whether PyTorch itself builds and tests the platform."""

    value: Integration
    """`in-tree`: built and tested in PyTorch; `out-of-tree`: a plugin installed on top of it."""
    note: Line | None = None
    """A qualification, shown beside the value."""


class LifecycleFact(Sourced):
    """That a platform is no longer developed."""

    value: Literal["maintenance", "retired"]
    """`maintenance`: fixes only, no new features; `retired`: nothing more is released."""
    note: Line | None = None
    """A qualification."""


class TextFact(Sourced):
    """A single word that a source states."""

    value: Line
    """The value as one types it."""
    note: Line | None = None
    """A qualification, shown beside the value."""


class Package(Sourced):
    """The Python package that brings the platform."""

    name: PackageName
    """Distribution name, `torch` for platforms that PyTorch builds itself."""
    module: ModuleName = Field(alias="import")
    """The module to import, `torch` for platforms that PyTorch builds itself."""
    autoload: Flag | None = None
    """Plugins: whether `import torch` loads it through the entry point group `torch.backends`."""
    autoload_since: TorchVersion | None = None
    """Plugins: the first version of the plugin that autoloads."""
    repository: RepositoryName | None = None
    """Plugins: owner and name on GitHub of the repository that the package is built from.
    Regressions link to its commits between two runs that state them."""
    shared_name: Flag = False
    """Plugins: other vendors have a package of this name. Each of their folders must say so, too,
    and its `note` how to tell the packages apart."""
    note: Line | None = None
    """A qualification, shown beside the value."""

    @model_validator(mode="after")
    def _tells_shared_names_apart(self) -> Package:
        if self.shared_name and not self.note:
            what = "shared_name needs a note on how to tell the packages apart"
            raise fault(what, "add a note that explains it")
        return self


class OperatingSystem(Sourced):
    """A system on which the vendor or PyTorch says that the platform is supported or tested."""

    name: Line
    """Name and version as the source writes it."""
    os: Os
    """The operating system family."""
    arch: Annotated[tuple[Arch, ...], Field(min_length=1)] | None = None
    """Processor architectures; Apple silicon and Windows on Arm are `aarch64`."""
    note: Line | None = None
    """A qualification, shown beside the name."""


class Identify(Sourced):
    """A command that shows which card a machine has."""

    os: Os
    """Where the command runs."""
    command: Line
    """The command as typed."""
    shows: Line
    """What to look for in its output."""


class Link(Model):
    """A document of the vendor or of PyTorch."""

    title: Line
    """What it is."""
    url: Url
    """Where it is."""
    source: SourceIds | None = None
    """Where it is named, if elsewhere."""


class Access(Sourced):
    """A place where the hardware can be rented, or tried for nothing."""

    title: Line
    """Whose offer it is, and what it is called there."""
    url: Url
    """Where it is described."""
    kind: Literal["rent", "free", "apply"]
    """`rent`: for money; `free`: for nothing, with limits that the note names; `apply`: on
    application, the terms are not public."""
    note: Line | None = None
    """A qualification: which hardware, which limits."""


class SupportChannel(Sourced):
    """A place to ask for help."""

    title: Line
    """What it is."""
    url: Url
    """Where it is."""


class Maintainer(Sourced):
    """A person who answers for the platform."""

    name: Line | None = None
    """The person's name."""
    github: GitHubLogin
    """Login on GitHub."""


class UpstreamCi(Sourced):
    """A repository whose CI tests PyTorch's changes on the platform."""

    repository: RepositoryName
    """Owner and name on GitHub, as PyTorch's cross-repository CI relay knows it."""


class Accelerator(SourcedFile):
    """One compute platform; its id is the name of its folder."""

    name: Name
    """Short name, as readers know it."""
    vendor: Line
    """Who makes the hardware."""
    mark: Mark
    """Two letters shown where others show a logo."""
    summary: Annotated[Line, Field(max_length=160)]
    """One plain sentence: what it is, on what hardware."""
    description: Paragraph
    """Two to four plain sentences for the get-started page."""
    integration: IntegrationFact
    """In-tree or out-of-tree."""
    dispatch_key: TextFact
    """PyTorch's dispatch key; not the device string (ROCm's device is `cuda`)."""
    device: TextFact
    """What goes into `torch.device()`."""
    package: Package
    """The Python package that brings it."""
    lifecycle: LifecycleFact | None = None
    """Only for a platform that is no longer developed; the card finder shows it last."""
    operating_systems: tuple[OperatingSystem, ...] = ()
    """Supported or tested systems."""
    identify: tuple[Identify, ...] = ()
    """How to see which card a machine has."""
    hardware: Hardware | None = None
    """Cards and chips, and which builds run on them."""
    features: Mapping[FeatureId, Feature] = Field(default_factory=dict)
    """Parts of PyTorch that a source says work, work partly or do not."""
    access: tuple[Access, ...] = ()
    """Where the hardware can be rented or tried."""
    documentation: tuple[Link, ...] = ()
    """Further reading."""
    support: Annotated[tuple[SupportChannel, ...], Field(min_length=1)]
    """Where to ask."""
    upstream_ci: tuple[UpstreamCi, ...] = ()
    """Repositories that take part in PyTorch's cross-repository CI."""
    upstream_events: UpstreamEvents | None = None
    """Which of PyTorch's changes are tested on it, and how."""
    report_feeds: tuple[ReportFeed, ...] = ()
    """Reports that the nightly job fetches into `results/`."""
    suites: tuple[OwnSuite, ...] = ()
    """The vendor's own test suites: where reports have results of them, pages show these titles."""
    maintainers: tuple[Maintainer, ...] = ()
    """Who answers for it, where a source names them."""

    @model_validator(mode="after")
    def _feeds_have_names_of_their_own(self) -> Accelerator:
        names = [feed.name for feed in self.report_feeds]
        doubled = next((name for name in names if names.count(name) > 1), None)
        if doubled:
            what = f'two entries in report_feeds have the name "{doubled}"'
            raise fault(what, "use a different name for each; it becomes the file name in results/")
        return self

    @model_validator(mode="after")
    def _suites_have_names_of_their_own(self) -> Accelerator:
        names = [suite.name for suite in self.suites]
        doubled = next((name for name in names if names.count(name) > 1), None)
        if doubled:
            raise fault(f'two suites have the name "{doubled}"', "remove one of the two")
        return self
