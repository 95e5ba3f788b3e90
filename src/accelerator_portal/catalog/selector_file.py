"""`data/selector.yaml`: what the install selector shows first, and what pytorch.org's own has."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from accelerator_portal.catalog.fields import Arch, Id, Line, Method, Model, Os, PythonVersion
from accelerator_portal.catalog.sources import Source


class StartingChoice(Model):
    """The choice shown to a reader on one operating system; the build is stable."""

    os: Os
    """The operating system."""
    arch: Arch
    """The architecture, until the browser tells another."""
    python: PythonVersion
    """The Python version."""
    method: Method
    """How to install."""
    platform: Id
    """The compute platform, a folder under `accelerators/`."""


class Conda(Model):
    """What conda users are told: PyTorch's own channel ended, and conda-forge has packages."""

    platforms: Annotated[tuple[Id, ...], Field(min_length=1)]
    """Platforms that conda-forge builds PyTorch for."""
    os: Annotated[tuple[Os, ...], Field(min_length=1)]
    """Operating systems that the sources name."""
    command: Line
    """The command that creates an environment named `pytorch`."""
    note: Line
    """A sentence shown with the command, with the day on which the sources were read."""
    sources: Annotated[tuple[Source, ...], Field(min_length=1)]
    """Where the note comes from."""


class SelectorDefaults(Model):
    """One starting choice per operating system; the first stands where the system is unknown."""

    start: Annotated[tuple[StartingChoice, ...], Field(min_length=1)]
    """The choices."""
    primary: tuple[Id, ...] = ()
    """Platforms that pytorch.org's own selector offers; the others are additional there."""
    conda: Conda | None = None
    """What conda users are told."""
