"""Defines pydantic models of the JSON that lists the differences between two built sites."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from accelerator_portal.results.history import ResultKind
from accelerator_reports.files.fields import Count, StrictModel
from accelerator_reports.outcomes import Outcome

ItemChange = Literal["added", "gone", "changed"]

# Limits on lists and texts: further entries are only counted, longer texts are cut.
MOST_ENTRIES = 500
MOST_CHARACTERS = 300
MOST_PLACES = 12


def change_kind(before: object, after: object) -> ItemChange:
    """Return `added`, `gone` or `changed` for two values; None stands for an absent value."""
    if before is None:
        return "added"
    return "gone" if after is None else "changed"


class Item(StrictModel):
    """A fact, text, report or number that is new, removed or changed."""

    change: ItemChange
    """The kind of change."""
    name: str
    """The name of the item, for example `hardware: Hopper` or `Guide: Install`."""
    before: str | None = None
    """The text before, shortened if long. Absent if the item is new or its text isn't shown."""
    after: str | None = None
    """The text now, in the same form."""


class CommandChange(StrictModel):
    """Commands that are new, removed or changed in the same way for one or more selections."""

    change: ItemChange
    """The kind of change."""
    commands: Count = 1
    """The number of commands that changed in the same way. `before` and `after` show the first."""
    choices: Count
    """The number of selections with this change. A selection has one build, system, architecture,
    Python, method and variant."""
    where: tuple[str, ...]
    """Short descriptions of the selections with this change."""
    where_left_out: Count = 0
    """The number of descriptions that `where` leaves out."""
    before: tuple[str, ...] = ()
    """The lines of the commands before. Empty if the commands are new or didn't change."""
    after: tuple[str, ...] = ()
    """The lines of the commands now. Empty if the commands are removed or didn't change."""
    beside: tuple[Item, ...] = ()
    """Changes next to the commands: requirements, check, note and lifecycle."""


class Move(StrictModel):
    """A test whose result changed in the same way in one or more settings."""

    basis: ResultKind
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
    """The number of settings (combinations of the test's parameters) with this change."""


class PlatformDifference(StrictModel):
    """The differences of one platform."""

    id: str
    """Id of the platform."""
    name: str
    """Name of the platform."""
    change: ItemChange
    """Whether the platform is new, removed or changed."""
    commands: tuple[CommandChange, ...] = ()
    """Changed install commands."""
    versions: tuple[Item, ...] = ()
    """Changed version rows."""
    facts: tuple[Item, ...] = ()
    """Other changed facts: hardware, features, maintainers and sources."""
    texts: tuple[Item, ...] = ()
    """Changed sections of the guide and changed questions, without their text."""
    reports: tuple[Item, ...] = ()
    """Test reports that were added, removed or replaced, and the numbers of new and removed
    tests."""
    moves: tuple[Move, ...] = ()
    """Changed test results, failures first."""
    evidence: tuple[Item, ...] = ()
    """Changes of the quality data, such as the level of evidence, and of the size of histories."""
    left_out: dict[str, Count] = Field(default_factory=dict)
    """The number of entries that each list leaves out, by the name of the list."""


class PagesDifference(StrictModel):
    """Changed pages, as addresses relative to the site's root."""

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


class Difference(StrictModel):
    """The differences between two built sites that readers see."""

    schema_version: Literal[1] = 1
    """The version of this format."""
    shared: tuple[Item, ...] = ()
    """Differences in shared data: PyTorch's releases."""
    platforms: tuple[PlatformDifference, ...] = ()
    """The platforms with differences."""
    pages: PagesDifference | None = None
    """Changed pages. Absent if only data were compared."""

    @property
    def nothing(self) -> bool:
        """Whether readers will see no difference."""
        return not (self.shared or self.platforms) and (self.pages is None or self.pages.nothing)
