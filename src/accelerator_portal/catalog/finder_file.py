"""`data/finder.yaml`: what readers type and tools print beside the name of hardware."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field

from accelerator_portal.catalog.fields import Line, Model, Os

Words = Annotated[tuple[Line, ...], Field(min_length=1)]


class TypedChoice(Model):
    """Words that select a value of the install selector. A version number can follow them."""

    words: Words
    """The words, in lowercase. A space stands for a space, a hyphen or nothing."""
    os: Os | None = None
    """The operating system."""
    arch: Line | None = None
    """The processor architecture, also one that PyTorch has no builds for."""
    method: Line | None = None
    """How to install."""
    build: Literal["preview"] | None = None
    """Nightly builds."""
    release: bool = False
    """Whether the version is a PyTorch release."""
    requirement: Line | None = None
    """The requirement of install options that the version belongs to, such as `macOS`."""


class FinderWords(Model):
    """What the card finder knows of words that are no names. All words are in lowercase."""

    choices: tuple[TypedChoice, ...] = ()
    """Words that select a value or that are left out."""
    phrases: tuple[Line, ...] = ()
    """Names of several words that are read as one word."""
    ignored: tuple[Line, ...] = ()
    """Words that add nothing to the name of a product."""
    forms: tuple[Line, ...] = ()
    """Memory, slots and revisions, which a number can follow."""
    units: tuple[Line, ...] = ()
    """Units that stand behind a number."""
    foreign: tuple[Line, ...] = ()
    """Words of products that no build of PyTorch runs on, although their chips are listed."""
    labels: tuple[Line, ...] = ()
    """What tools print before a name."""
    systems: Mapping[Os, Words] = {}
    """Texts that only tools of one operating system print."""
