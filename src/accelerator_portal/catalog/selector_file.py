"""`data/selector.yaml`: what the install selector shows first, and what pytorch.org's own has."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from accelerator_portal.catalog.fields import Arch, Id, Method, Model, Os, PythonVersion


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


class SelectorDefaults(Model):
    """One starting choice per operating system; the first stands where the system is unknown."""

    start: Annotated[tuple[StartingChoice, ...], Field(min_length=1)]
    """The choices."""
    primary: tuple[Id, ...] = ()
    """Platforms that pytorch.org's own selector offers; the others are additional there."""
