"""Defines the difference between two built sites."""

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
    """Return the kind of change; None means that the value is absent."""
    if before is None:
        return "added"
    return "gone" if after is None else "changed"


class Item(Model):
    """One item that is new, removed or changed."""

    change: ItemChange
    """The kind of change."""
    name: str
    """The name of the item, for example `hardware: Hopper` or `Guide: Install`."""
    before: str | None = None
    """The text before, shortened if it is long. Absent if it isn't shown."""
    after: str | None = None
    """The text now, in the same form."""


class CommandChange(Model):
    """Commands that are new, removed or changed in the same way for several choices."""

    change: ItemChange
    """The kind of change."""
    commands: Count = 1
    """The number of commands that changed in the same way. `before` and `after` show the first."""
    choices: Count
    """The number of choices of build, system, architecture, Python, method and variant."""
    where: tuple[str, ...]
    """A short description of these choices."""
    where_left_out: Count = 0
    """The number of words that the description leaves out."""
    before: tuple[str, ...] = ()
    """The commands before, one per line. Empty if they didn't change."""
    after: tuple[str, ...] = ()
    """The commands now, in the same form."""
    beside: tuple[Item, ...] = ()
    """Changes next to the commands: requirements, check, note and lifecycle."""


class Move(Model):
    """A test whose result changed in the same way in one or more settings."""

    basis: Basis
    """Whether runs or baselines contain the result."""
    suite: str
    """Name of the suite."""
    name: str
    """Name of the test."""
    before: Outcome
    """The result before."""
    after: Outcome
    """The result now."""
    settings: Count
    """The number of settings of the test with this change."""


class PlatformDifference(Model):
    """The differences of one platform."""

    id: str
    """Id of the platform."""
    name: str
    """Its name."""
    change: ItemChange
    """Whether the platform is new, removed or changed."""
    commands: tuple[CommandChange, ...] = ()
    """Install commands."""
    versions: tuple[Item, ...] = ()
    """Version rows."""
    facts: tuple[Item, ...] = ()
    """All other facts: hardware, features, maintainers and sources."""
    texts: tuple[Item, ...] = ()
    """Changed sections of the guide and changed questions, without their text."""
    reports: tuple[Item, ...] = ()
    """Test reports."""
    moves: tuple[Move, ...] = ()
    """Changed results, failures first."""
    evidence: tuple[Item, ...] = ()
    """The level of evidence and the reasons for it."""
    left_out: dict[str, Count] = Field(default_factory=dict)
    """The number of entries that each list leaves out, by the name of the list."""


class PagesDifference(Model):
    """Pages by address, relative to the site's root."""

    added: tuple[str, ...] = ()
    """New pages."""
    gone: tuple[str, ...] = ()
    """Removed pages."""
    changed: tuple[str, ...] = ()
    """Pages whose content changed; menus are ignored."""
    left_out: dict[str, Count] = Field(default_factory=dict)
    """The number of addresses that each list leaves out, by the name of the list."""

    @property
    def nothing(self) -> bool:
        """Whether all pages are the same."""
        return not (self.added or self.gone or self.changed)


class Difference(Model):
    """The differences between two built sites that readers see."""

    schema_version: Literal[1] = 1
    """The version of this format."""
    shared: tuple[Item, ...] = ()
    """Differences in shared data: PyTorch's releases."""
    platforms: tuple[PlatformDifference, ...] = ()
    """The platforms with differences."""
    pages: PagesDifference | None = None
    """The pages. Absent if only data were compared."""

    @property
    def nothing(self) -> bool:
        """Whether readers will see no difference."""
        return not (self.shared or self.platforms) and (self.pages is None or self.pages.nothing)
