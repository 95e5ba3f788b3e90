"""Defines the rows of the install selector: each has the commands for one valid selection."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from accelerator_portal.catalog.files.compatibility_file import Lifecycle
from accelerator_reports.files.fields import Arch, Method, Os
from accelerator_reports.files.sources import Source

PREVIEW = "preview"
NO_VARIANT = "default"

DerivedMethod = Literal["uv-auto", "pyproject", "requirements", "conda", "dockerfile"]
"""Methods of rows that the portal derives from vendors' rows; see `install/derived_formats.py`."""


@dataclass(frozen=True, slots=True)
class Prerequisite:
    """Software to install before the commands run.

    `version` is a version or a specifier such as `>=580`; `url` is the download page.
    """

    name: str
    version: str | None = None
    url: str | None = None


@dataclass(frozen=True, slots=True)
class CheckLine:
    """The command that checks an installation.

    `prints` is the output that it must print; it is empty if the output is not known.
    """

    command: str
    prints: str


@dataclass(frozen=True, slots=True)
class TextFile:
    """A file that the reader creates before running the commands."""

    name: str
    text: str


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

    kind: Literal["installed", "found", "none", "named", "unchecked"]
    """`installed`: installed and imported. `found`: the versions resolve. `none`: they don't
    resolve. `named`: only a document states the version. `unchecked`: they were not checked."""
    words: str
    """The sentences that readers see."""
    host: str = ""
    """The host that could not be reached, if the versions were not checked for this reason."""
    brief: str = ""
    """The sentences without `host`, for tables that name it once; empty without a host."""


@dataclass(frozen=True, slots=True)
class InstallRow:
    """The commands for one valid selection in the install selector.

    The commands apply to each Python version in `pythons`. `pythons` is None if the Python version
    does not matter. `build` is a release's version or `preview`. `variant` is `default` if the
    platform has no variants. `option` is the id of the option in `install.yaml`.
    """

    platform: str
    variant: str
    build: str
    os: Os
    arch: Arch
    method: Method | DerivedMethod
    pythons: tuple[str, ...] | None
    commands: tuple[str, ...]
    prerequisites: tuple[Prerequisite, ...]
    check: CheckLine | None
    note: str | None
    stage: Lifecycle | None
    option: str
    calls: tuple[PipCall, ...] = ()
    """The calls of pip or uv in the commands, in order, without other steps."""
    findings: tuple[Finding | None, ...] = ()
    """A finding, or None, for each of `pythons`. It has one item if `pythons` is None, and is empty
    until findings are added."""
    container: Container | None = None
    """The container that the commands start, if they are one `docker run`."""
    files: tuple[TextFile, ...] = ()
    """Files to create before the commands run."""
    on_request: bool = False
    """Whether the selector offers the row only to readers who select its release."""
    named: Source | None = None
    """The document that states the version that the commands install, or None."""

    def finding(self, python: str) -> Finding | None:
        """Return the finding for a Python version, or None if there is none."""
        return dict(zip(self.pythons or (), self.findings, strict=False)).get(python)
