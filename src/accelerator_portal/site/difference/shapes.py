"""A difference between two built sites, as data."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from accelerator_portal.catalog.fields import Count, Model
from accelerator_portal.reports.outcomes import Outcome
from accelerator_portal.results.standing import Basis

ItemChange = Literal["added", "gone", "changed"]

# So many entries a list and characters a text are kept; what is beyond is counted, or cut.
MOST_ENTRIES = 500
MOST_CHARACTERS = 300
MOST_PLACES = 12


def change_of(before: object, after: object) -> ItemChange:
    """Return what happened to a thing; None: it was not there, or is no more."""
    if before is None:
        return "added"
    return "gone" if after is None else "changed"


class Item(Model):
    """One thing that is new, gone or different."""

    change: ItemChange
    """What happened to it."""
    name: str
    """What it is: `hardware: Hopper`, `torch 2.14.0, plugin 2.14.0`, `Guide: Install`."""
    before: str | None = None
    """What it said before, cut where it is long; absent where that is not shown."""
    after: str | None = None
    """What it says now, likewise."""


class CommandChange(Model):
    """Commands that are new, gone or different, for all choices of which the same holds."""

    change: ItemChange
    """What happened to them."""
    commands: Count = 1
    """How many commands are different in the same way; `before` and `after` are the first."""
    choices: Count
    """For how many choices of build, system, architecture, Python, method and variant."""
    where: tuple[str, ...]
    """These choices in words, as few as hold them all."""
    where_left_out: Count = 0
    """How many more words there would be."""
    before: tuple[str, ...] = ()
    """The commands before, one a line; empty where they stay the same."""
    after: tuple[str, ...] = ()
    """The commands now, likewise."""
    beside: tuple[Item, ...] = ()
    """What is said beside them: what must be there first, the check, the note, the lifecycle."""


class Move(Model):
    """A test of which something else is said now, in as many settings as went the same way."""

    basis: Basis
    """Whether runs say so, or what a project expects of them."""
    suite: str
    """Name of the suite."""
    name: str
    """Name of the test."""
    before: Outcome
    """What was said before."""
    after: Outcome
    """What is said now."""
    settings: Count
    """How many of the test's settings went this way."""


class PlatformDifference(Model):
    """What is different about one platform."""

    id: str
    """Id of the platform."""
    name: str
    """Its name."""
    change: ItemChange
    """Whether it is new, gone or different."""
    commands: tuple[CommandChange, ...] = ()
    """Install commands."""
    versions: tuple[Item, ...] = ()
    """Version rows."""
    facts: tuple[Item, ...] = ()
    """Everything else that is stated: hardware, features, maintainers, sources."""
    texts: tuple[Item, ...] = ()
    """Sections of the guide, and questions; their words are not repeated here."""
    reports: tuple[Item, ...] = ()
    """Test reports."""
    moves: tuple[Move, ...] = ()
    """Results that moved, failures first."""
    evidence: tuple[Item, ...] = ()
    """The level of evidence and what it follows from."""
    left_out: dict[str, Count] = Field(default_factory=dict)
    """How many further entries of each list are not here, by the list's name."""


class PagesDifference(Model):
    """Pages by address, relative to the site's root."""

    added: tuple[str, ...] = ()
    """New pages."""
    gone: tuple[str, ...] = ()
    """Pages that are no more."""
    changed: tuple[str, ...] = ()
    """Pages whose own part, without menus, is different."""
    left_out: dict[str, Count] = Field(default_factory=dict)
    """How many further addresses of each list are not here, by the list's name."""

    @property
    def nothing(self) -> bool:
        """Whether all pages are the same."""
        return not (self.added or self.gone or self.changed)


class Difference(Model):
    """What readers of a site will see differently."""

    schema_version: Literal[1] = 1
    """The version of this format."""
    shared: tuple[Item, ...] = ()
    """What belongs to no platform: PyTorch's releases."""
    platforms: tuple[PlatformDifference, ...] = ()
    """The platforms about which something is different."""
    pages: PagesDifference | None = None
    """The pages; absent where only data were compared."""

    @property
    def nothing(self) -> bool:
        """Whether no reader will see a difference."""
        return not (self.shared or self.platforms) and (self.pages is None or self.pages.nothing)
