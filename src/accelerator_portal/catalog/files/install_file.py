"""Models `install.yaml`: a platform's install options, each with its steps in structured form."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, get_args

from packaging.specifiers import SpecifierSet
from packaging.version import Version
from pydantic import Field, model_validator

from accelerator_portal.catalog.files.install_steps import Step
from accelerator_portal.catalog.files.releases_file import BuildKind
from accelerator_reports.files.fields import (
    Arch,
    Channel,
    Flag,
    Id,
    Line,
    Method,
    Os,
    PythonVersion,
    StrictModel,
    Title,
    TorchVersions,
    Url,
    validation_error,
)
from accelerator_reports.files.sources import Sourced, SourcedFile
from accelerator_reports.install_check import Check

_RELEASE_SOURCE_KEYS = (*get_args(BuildKind), "compatibility")


class Requirement(Sourced):
    """Software that must be installed before the commands run."""

    name: Title
    """Name of the driver, SDK or tool, for example `CANN`."""
    version: Line | None = None
    """The version, or a version specifier such as `>=580.65.06`."""
    os: Annotated[tuple[Os, ...], Field(min_length=1)] | None = None
    """The operating systems to which the requirement applies. Default: all."""
    url: Url | None = None
    """Address of the download page."""


class Variant(StrictModel):
    """One of several builds of a platform, such as CUDA 13.0."""

    id: Id
    """Id of the build, as in the wheel index, for example `cu130`. It never changes, because links
    use it."""
    name: Title
    """Title that readers see, for example `CUDA 13.0`."""
    version: Line | None = None
    """SDK version of the build, for example `13.0`. It replaces `{variant_version}` in the
    steps."""
    requires: tuple[Requirement, ...] = ()
    """Software that the variant requires on the machine."""


class Option(Sourced):
    """One install option. It covers all combinations of its values.

    Set at most one of `wheels`, `images`, `archives` and `compatibility`. This key selects the
    torch releases, and `torch` can limit the selection. Without these keys, `torch` selects the
    releases.
    """

    id: Id
    """Id of the option. It is unique in the file and never changes, because links use it."""
    channel: Channel = "stable"
    """`stable` for releases or `preview` for nightly builds. Default: `stable`."""
    wheels: Line | None = None
    """Pattern for variants, for example `cu*`: the option has the releases for which
    `data/releases.yaml` lists wheels of a matching variant."""
    images: Line | None = None
    """Pattern for variants, as in `wheels`, for the Docker images that `data/releases.yaml`
    lists."""
    archives: Line | None = None
    """Pattern for variants, as in `wheels`, for the LibTorch archives that `data/releases.yaml`
    lists."""
    compatibility: Flag = False
    """Whether the option has the torch releases of `compatibility.yaml`. Each release gets its
    newest plugin version that has stated requirements. If no version has them, it gets its newest
    plugin version."""
    torch: TorchVersions | None = None
    """PyTorch releases of the option: a list such as `["2.9.0"]`, or a version specifier such as
    `>=2.8` for releases in `data/releases.yaml`."""
    methods: Annotated[tuple[Method, ...], Field(min_length=1)]
    """Install methods that the option offers, for example `pip` and `docker`."""
    os: Annotated[tuple[Os, ...], Field(min_length=1)] | None = None
    """Operating systems. With the key `wheels`, `images` or `archives`, only builds for these
    operating systems are used. Without these keys, this key is required."""
    arch: Annotated[tuple[Arch, ...], Field(min_length=1)] | None = None
    """Processor architectures, as in `os`."""
    python: Annotated[tuple[PythonVersion, ...], Field(min_length=1)] | None = None
    """Python versions to which the option is limited."""
    variants: Annotated[tuple[Id, ...], Field(min_length=1)] | None = None
    """Ids of the variants to which the option is limited."""
    requires: tuple[Requirement, ...] = ()
    """Software that the option requires on the machine."""
    steps: Annotated[tuple[Step, ...], Field(min_length=1)]
    """The install steps in order."""
    check: Id | None = None
    """Id of the check in `checks` that tests this installation."""
    note: Line | None = None
    """One sentence that is shown below the commands."""
    on_request: Flag = False
    """Whether the selector prefers other stable options. It then uses this option only if no other
    matches, for example after the reader selects its PyTorch release."""

    @model_validator(mode="after")
    def _check_one_release_source(self) -> Option:
        used_keys = [name for name in _RELEASE_SOURCE_KEYS if getattr(self, name)]
        if len(used_keys) > 1:
            raise validation_error(
                f"{used_keys[0]} and {used_keys[1]} cannot be combined", "remove one of the two"
            )
        if not (used_keys or self.torch):
            what = "the option has no torch releases"
            raise validation_error(what, "add wheels, images, archives, compatibility or torch")
        if not self.published and not (self.os and self.arch):
            raise validation_error(
                "the option has no operating systems or architectures", "add os and arch"
            )
        return self

    @property
    def published(self) -> tuple[BuildKind, str] | None:
        """The kind of builds that the option installs, and the pattern for their variants.

        For example, `wheels: cu*` → `("wheels", "cu*")`. None if the option sets none of the keys
        `wheels`, `images` and `archives`.
        """
        kinds: tuple[BuildKind, ...] = get_args(BuildKind)
        return next(((kind, glob) for kind in kinds if (glob := getattr(self, kind))), None)

    def admits(self, version: str) -> bool:
        """Return whether the option's `torch` includes a release. True if `torch` is not set."""
        if self.torch is None:
            return True
        if isinstance(self.torch, str):
            return SpecifierSet(self.torch).contains(Version(version))
        return version in self.torch


class Install(SourcedFile):
    """The install options of one platform."""

    variants: tuple[Variant, ...] = ()
    """The builds of the platform, newest first. Omit it if there is only one build."""
    requires: tuple[Requirement, ...] = ()
    """Software that all options require on the machine."""
    checks: Mapping[Id, Check] = Field(default_factory=dict)
    """The checks of the installation, by id."""
    options: tuple[Option, ...]
    """The install options."""
