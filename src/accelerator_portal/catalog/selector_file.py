"""`data/selector.yaml`: what the install selector shows first, and what pytorch.org's own has."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from accelerator_portal.catalog.fields import Arch, Id, Line, Method, Model, Os, PythonVersion
from accelerator_portal.catalog.sources import Source


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
