"""Defines the rows of the install selector: each has the commands for one valid selection."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from accelerator_portal.catalog.files.compatibility_file import Lifecycle
from accelerator_reports.files.fields import DESCRIBED, UNPUBLISHED, Arch, Method, Os
from accelerator_reports.files.sources import Source

PREVIEW = "preview"
NO_VARIANT = "default"

DerivedMethod = Literal["uv-auto", "pyproject", "requirements", "conda", "dockerfile"]
"""Methods of rows that the portal derives from vendors' rows; see `install/derived_formats.py`."""


@dataclass(frozen=True, slots=True)
class Prerequisite:
    """Software to install before the commands run."""

    __pydantic_config__ = DESCRIBED

    name: str
    """Its name."""
    version: str | None = None
    """A version, or a specifier such as `>=580`."""
    url: str | None = None
    """The address of the download page."""


@dataclass(frozen=True, slots=True)
class CheckLine:
    """The command that checks an installation."""

    __pydantic_config__ = DESCRIBED

    command: str
    """The command."""
    prints: str
    """The output that it must print; empty if the output is not known."""


@dataclass(frozen=True, slots=True)
class TextFile:
    """A file that the reader creates before running the commands."""

    __pydantic_config__ = DESCRIBED

    name: str
    """The name of the file."""
    text: str
    """Its content."""


@dataclass(frozen=True, slots=True)
class Container:
    """The image that a Docker command runs, and the options of `docker run`."""

    image: str
    args: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PipCall:
    """One call of pip or uv: its requirements (`packages`), and its indexes.

    If `index` is None, packages come from PyPI.
    """

    packages: tuple[str, ...]
    index: str | None = None
    extra_index: str | None = None
    pre: bool = False
    """Whether prereleases are allowed."""
    backend: str | None = None
    """uv's name for the build of PyTorch, such as `cu130`. If this name is set, `index` is None."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Whether the versions that a command installs exist together, and how this was checked."""

    __pydantic_config__ = DESCRIBED

    kind: Literal["installed", "found", "none", "named", "unchecked"]
    """`installed`: installed and imported. `found`: the versions resolve. `none`: they don't
    resolve. `named`: only a document states the version. `unchecked`: they were not checked."""
    words: str
    """The sentences that readers see."""
    host: Annotated[str, UNPUBLISHED] = ""
    """The host that could not be reached, if the versions were not checked for this reason."""
    brief: Annotated[str, UNPUBLISHED] = ""
    """The sentences without `host`, for tables that name it once; empty without a host."""


@dataclass(frozen=True, slots=True)
class InstallRow:
    """The commands for one valid selection in the install selector."""

    __pydantic_config__ = DESCRIBED

    platform: str
    """The platform's id."""
    variant: str
    """The id of the variant; `default` if the platform has no variants."""
    build: str
    """A release's version, or `preview`."""
    os: Os
    """The operating system."""
    arch: Arch
    """The architecture."""
    method: Method | DerivedMethod
    """The format of the commands."""
    commands: tuple[str, ...]
    """The lines of the commands."""
    option: Annotated[str, UNPUBLISHED]
    """The id of the option in `install.yaml`."""
    pythons: tuple[str, ...] | None = None
    """The Python versions to which the commands apply. None if the version does not matter."""
    prerequisites: tuple[Prerequisite, ...] = ()
    """Software to install before."""
    check: CheckLine | None = None
    """The command that checks the installation."""
    note: str | None = None
    """A sentence that is shown with the commands."""
    stage: Lifecycle | None = None
    """The lifecycle of the version."""
    calls: Annotated[tuple[PipCall, ...], UNPUBLISHED] = ()
    """The calls of pip or uv in the commands, in order, without other steps."""
    findings: tuple[Finding | None, ...] = ()
    """A finding, or None, for each of `pythons`. It has one item if `pythons` is None, and is empty
    until findings are added. In published data, one item applies to all versions."""
    container: Annotated[Container | None, UNPUBLISHED] = None
    """The container that the commands start, if they are one `docker run`."""
    files: tuple[TextFile, ...] = ()
    """Files to create before the commands run."""
    on_request: bool = False
    """Whether the selector offers the row only to readers who select its release."""
    named: Annotated[Source | None, UNPUBLISHED] = None
    """The document that states the version that the commands install, or None."""

    def finding(self, python: str) -> Finding | None:
        """Return the finding for a Python version, or None if there is none."""
        return dict(zip(self.pythons or (), self.findings, strict=False)).get(python)
