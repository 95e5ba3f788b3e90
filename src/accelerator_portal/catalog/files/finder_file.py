"""Models `data/finder.yaml`: the words that the card finder recognizes besides names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field

from accelerator_reports.files.fields import Line, Os, StrictModel
from accelerator_reports.files.sources import Source

Words = Annotated[tuple[Line, ...], Field(min_length=1)]


class TypedChoice(StrictModel):
    """Words in a card search that select values of the install selector, or that are ignored."""

    words: Words
    """The words, in lowercase. A space in them matches a space, a hyphen, an underscore or
    nothing."""
    os: Os | None = None
    """The operating system that the words select."""
    system: Line | None = None
    """A system that PyTorch has no wheels for, such as `FreeBSD`."""
    page: Line | None = None
    """The address of the page that says why there are no wheels, from the root of the site."""
    arch: Line | None = None
    """The processor architecture that the typed words select. PyTorch may have no builds for it."""
    method: Line | None = None
    """The install method that the words select."""
    build: Literal["preview"] | None = None
    """`preview` if the words select nightly builds."""
    release: bool = False
    """Whether a version number after the words is a PyTorch release."""
    python: bool = False
    """Whether a version number after the words is a Python version."""
    requirement: Line | None = None
    """The requirement of install options to which a version number after the words applies, such as
    `macOS`."""
    version: Line | None = None
    """The version of the requirement that the words name, such as `12` for macOS Monterey."""
    kept: bool = False
    """Whether the words stay in the text that is searched, because they are also part of product
    names, such as `MacBook Pro`."""


class PciVendor(StrictModel):
    """Cards of one vendor with their PCI IDs."""

    vendor: Line
    """The PCI ID of the vendor: four hexadecimal digits."""
    maker: Line
    """The vendor's name."""
    names: Mapping[Line, tuple[Line, ...]]
    """The PCI IDs of each card, by the card's name."""


class PciNames(StrictModel):
    """Names of cards by PCI ID: tools print the ID if they do not know the name."""

    source: Source
    """The list that the names are from."""
    vendors: tuple[PciVendor, ...]
    """The vendors."""


class HostedNotebook(StrictModel):
    """A service that runs notebooks on its own machines, which have PyTorch installed."""

    name: Line
    """The name that readers use."""
    words: Words
    """Names of the service in a card search."""
    hardware: Words
    """Names of the listed hardware that a notebook can use, the usual one first."""
    page: Line
    """The address of the answer about PyTorch in notebooks, from the root of the site."""
    sources: tuple[Source, ...]
    """The documents that name the hardware."""


class FinderWords(StrictModel):
    """The words that the card finder recognizes besides names.

    They are in lowercase, except in `systems` and `pci`.
    """

    choices: tuple[TypedChoice, ...] = ()
    """Words that select a value or that the card finder ignores."""
    notebooks: tuple[HostedNotebook, ...] = ()
    """Services whose name alone says which hardware it may be."""
    phrases: tuple[Line, ...] = ()
    """Names of several words that count as one word, for example `macbook pro`."""
    ignored: tuple[Line, ...] = ()
    """Words that add nothing to the name of a product, for example `gpu`."""
    forms: tuple[Line, ...] = ()
    """Words for memory, slots and revisions, for example `pcie`. A number at the end also
    matches, as in `pcie4`."""
    units: tuple[Line, ...] = ()
    """Units that follow a number, for example `gb`."""
    computers: tuple[Line, ...] = ()
    """Names of computers that contain the hardware, for example `thinkpad`; `#` stands for a digit.
    The card finder ignores such a name and the words for its model, for example `x1` or `gen9`."""
    foreign: tuple[Line, ...] = ()
    """Words of products that no build of PyTorch runs on, although their chips are listed, for
    example `ipad`."""
    labels: tuple[Line, ...] = ()
    """Labels that tools print before a name, for example `model name`."""
    systems: Mapping[Os, Words] = {}
    """For each operating system, texts that only tools of this system print. Case matters."""
    pci: PciNames | None = None
    """Names of cards by PCI ID."""
