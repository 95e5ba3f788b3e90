"""Models the versions in `compatibility.yaml` of a platform and in `data/releases.yaml`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Annotated, Literal

from packaging.specifiers import SpecifierSet
from packaging.version import Version
from pydantic import Field

from accelerator_reports.files.fields import (
    Arch,
    Day,
    Id,
    Line,
    Os,
    PackageName,
    Paragraph,
    PlatformTag,
    PythonVersion,
    SourceIds,
    Specifier,
    StrictModel,
    TorchVersion,
    Url,
)
from accelerator_reports.files.sources import Sourced, SourcedFile

PatternPart = Literal["minor", "release"]

_NUMBER_COUNTS: dict[PatternPart, int] = {"minor": 2, "release": 3}


class VersionPattern(Sourced):
    """The rule that the versions of the plugin and of torch begin with the same numbers."""

    same: PatternPart
    """`minor`: the first two numbers match, for example plugin 2.8.1 and torch 2.8.0.
    `release`: the first three numbers match, for example plugin 2.8.0.post2 and torch 2.8.0."""
    since: TorchVersion | None = None
    """The first torch release to which the pattern applies. Default: it applies to all releases."""
    note: Line | None = None
    """A note that is shown to readers."""

    def covers(self, torch: str) -> bool:
        """Return whether the pattern applies to a torch release."""
        return self.since is None or Version(torch) >= Version(self.since)

    def admits(self, plugin: str, torch: str) -> bool:
        """Return whether two versions follow the pattern.

        Also true if the pattern does not apply to the torch release.
        """
        return not self.covers(torch) or self._shared_numbers(plugin) == self._shared_numbers(torch)

    def _shared_numbers(self, version: str) -> tuple[int, ...]:
        count = _NUMBER_COUNTS[self.same]
        return (*Version(version).release, 0, 0, 0)[:count]


class Lifecycle(StrictModel):
    """How long a version is maintained, in the words of the source."""

    status: Line
    """Status in the words of the source, for example `EOL`."""
    until: Day | None = None
    """The date on which `status` ends, as the source expects it."""
    note: Line | None = None
    """A note that is shown to readers."""


class CompatibilityRow(Sourced):
    """Versions that work together, as the source states: a row of the compatibility table."""

    torch: TorchVersion
    """The PyTorch release, for example `2.9.0`."""
    plugin: TorchVersion | None = None
    """For out-of-tree platforms: the version of the plugin."""
    variant: Id | None = None
    """Id of the variant in `install.yaml` to which the row applies."""
    os: Annotated[tuple[Os, ...], Field(min_length=1)] | None = None
    """The operating systems to which the row applies. Default: all of the platform."""
    python: Annotated[tuple[PythonVersion, ...], Field(min_length=1)] | None = None
    """Supported Python versions, for example `["3.10", "3.11"]`."""
    needs: Mapping[Line, Line] = Field(default_factory=dict)
    """Other software that must be installed: its name with a version or version specifier, for
    example `CANN: 9.1.0`."""
    includes: Mapping[Line, Line] = Field(default_factory=dict)
    """Software that the package includes: its name with the version."""
    lifecycle: Lifecycle | None = None
    """How long the version is maintained."""
    note: Line | None = None
    """A note that is shown in the table, for example that two sources disagree."""

    def applies_to(self, systems: tuple[Os, ...] | None) -> bool:
        """Return whether the row applies to one of the operating systems `systems`.

        None means all operating systems.
        """
        return not systems or not self.os or not set(systems).isdisjoint(self.os)


class Compatibility(SourcedFile):
    """The compatibility table of one platform, newest versions first."""

    components: Paragraph | None = None
    """Text that explains each component that a column of the table shows."""
    version_pattern: VersionPattern | None = None
    """The vendor's rule for version numbers, if a document states one. Rows that break the rule
    are errors."""
    rows: tuple[CompatibilityRow, ...]
    """The rows of the table."""


# Models `data/releases.yaml`: every PyTorch release, with its wheels, images and archives.

PYTORCH_INDEX = "https://download.pytorch.org/whl"

Pythons = Annotated[tuple[PythonVersion, ...], Field(min_length=1)]


BuildKind = Literal["wheels", "images", "archives"]
"""The kinds of builds that PyTorch publishes; each is a key of `Release`."""


class Build(StrictModel):
    """Builds of one variant for one operating system, published by PyTorch."""

    variant: Id
    """Name of the variant in the wheel index: `cpu`, `cu130`, `rocm7.2`, `xpu`."""
    os: Os
    """The operating system."""
    arch: Annotated[tuple[Arch, ...], Field(min_length=1)]
    """Processor architectures of the builds."""
    source: SourceIds | None = None
    """Id or list of ids of the sources, if they differ from those of the release."""


class Wheel(Build):
    """Wheels of one variant for one operating system, on PyPI or in PyTorch's own index."""

    on: Literal["pypi"] | None = None
    """`pypi` if the wheels are on PyPI, so that a plain `pip install` finds them. Default: they are
    in PyTorch's own index."""
    python: Pythons | None = None
    """Python versions of the wheels, if they are fewer than those of the release."""
    tags: Annotated[tuple[PlatformTag, ...], Field(min_length=1)] | None = None
    """Platform tags of the wheels (PEP 425): the C library or macOS version that they need, for
    example `manylinux_2_28_x86_64`."""
    size_mb: Mapping[Arch, Annotated[int, Field(ge=1)]] = Field(default_factory=dict)
    """Download size of the largest wheel in MB (1,000,000 bytes), by architecture."""


class Preview(Sourced):
    """Nightly builds of PyTorch."""

    version: TorchVersion | None = None
    """Version of the upcoming release, if a source states it."""
    python: Pythons
    """Supported Python versions, for example `["3.10", "3.11"]`."""
    wheels: tuple[Wheel, ...]
    """The wheels."""

    def builds(self, kind: BuildKind) -> tuple[Build, ...]:
        """Return the builds of one kind; nightly builds have only wheels."""
        return self.wheels if kind == "wheels" else ()


class Release(Sourced):
    """One PyTorch release."""

    version: TorchVersion
    """Version of the release, for example `2.9.0`."""
    date: Day
    """The release date."""
    python: Pythons
    """Supported Python versions. The suffix `t` means a free-threaded build, as in `3.13t`."""
    torchvision: TorchVersion | None = None
    """The torchvision release that requires exactly this PyTorch release."""
    wheels: tuple[Wheel, ...]
    """The wheels."""
    images: tuple[Build, ...] = ()
    """The Docker images of pytorch/pytorch."""
    archives: tuple[Build, ...] = ()
    """The LibTorch archives."""
    note: Line | None = None
    """A remark for readers, such as facts that couldn't be confirmed."""

    def builds(self, kind: BuildKind) -> tuple[Build, ...]:
        """Return the builds of one kind."""
        return {"wheels": self.wheels, "images": self.images, "archives": self.archives}[kind]


class Companion(Sourced):
    """A release of a package that is installed next to torch."""

    package: PackageName
    """Name of the package: `torchaudio`, `torchao`, `torchtext` or `triton`. torchvision is a key
    of the release."""
    version: TorchVersion
    """The version of the package."""
    torch: Specifier
    """PyTorch releases that this version supports, as a version specifier: `==2.10.0` or
    `>=2.11`."""


class Ended(Sourced):
    """A kind of machine for which newer PyTorch releases have no wheels."""

    version: TorchVersion
    """The last PyTorch release with wheels for the machine."""
    platforms: Annotated[tuple[Id, ...], Field(min_length=1)]
    """Ids of the platforms whose builds run on the machine, for example `cpu`."""
    os: Os
    """The operating system."""
    arch: Arch
    """The architecture."""
    python: PythonVersion
    """The newest Python version of the wheels."""
    packages: Annotated[tuple[Line, ...], Field(min_length=1)]
    """Packages to install with pip, each with its version, for example `torch==2.2.2`."""
    checks: Mapping[Id, Line] = Field(default_factory=dict)
    """Python code that checks the installation, by platform. Default: it prints torch's version."""


class Mirror(Sourced):
    """A copy of a package index, which its operator documents."""

    id: Id
    """Id in the address of the selector, for example `tuna`."""
    name: Line
    """Name that readers see: the operator and its short name."""
    index: Literal["pypi", "pytorch"]
    """The index that is copied: `pypi`, or `pytorch` for `https://download.pytorch.org/whl`."""
    url: Url
    """Address of the copy. For `pypi`, the value of `--index-url`; for `pytorch`, what replaces the
    address of the index."""

    @property
    def copied(self) -> str:
        """The address of the index that the mirror copies.

        In commands for the mirror, `url` replaces this address. The address is empty for a mirror
        of PyPI, because commands do not contain the address of PyPI.
        """
        return PYTORCH_INDEX if self.index == "pytorch" else ""


class Releases(SourcedFile):
    """All PyTorch releases since 2.4, and the nightly builds."""

    preview: Preview
    """The nightly builds."""
    releases: Annotated[tuple[Release, ...], Field(min_length=1)]
    """The releases, newest first."""
    companions: tuple[Companion, ...] = ()
    """Packages that are installed next to torch, with the torch releases that each version
    supports."""
    ended: tuple[Ended, ...] = ()
    """Kinds of machines whose last wheels are of a release before the oldest one in `releases`."""
    mirrors: tuple[Mirror, ...] = ()
    """Mirrors that readers can select instead of an index. By default, no mirror is selected."""

    @cached_property
    def newest(self) -> Release:
        """The release with the highest version."""
        return max(self.releases, key=lambda release: Version(release.version))

    @cached_property
    def by_version(self) -> dict[str, Release]:
        """The releases by version."""
        return {release.version: release for release in self.releases}

    def companions_of(self, torch: str) -> dict[str, tuple[str, ...]]:
        """Return the companion versions that support a torch release, by package name.

        A companion is a package that is installed next to torch, such as torchaudio. Versions are
        sorted newest first. Each package in `companions` is a key, and its tuple is empty if no
        version supports the release. `torchvision` is a key only if the release names a torchvision
        version.
        """
        release = self.by_version.get(torch)
        versions_by_package: dict[str, tuple[str, ...]] = {}
        if release and release.torchvision:
            versions_by_package["torchvision"] = (release.torchvision,)
        for companion in sorted(self.companions, key=lambda c: Version(c.version), reverse=True):
            matching_versions = (
                (companion.version,) if Version(torch) in SpecifierSet(companion.torch) else ()
            )
            versions_by_package[companion.package] = (
                versions_by_package.get(companion.package, ()) + matching_versions
            )
        return versions_by_package
