"""A rule of a vendor for its version numbers, such as "minor of plugin = minor of torch"."""

from __future__ import annotations

from typing import Literal

from packaging.version import Version

from accelerator_portal.catalog.fields import Line, TorchVersion
from accelerator_portal.catalog.sources import Sourced

PatternPart = Literal["minor", "release"]

_NUMBERS: dict[PatternPart, int] = {"minor": 2, "release": 3}


class VersionPattern(Sourced):
    """The numbers of the plugin version that must match the torch version."""

    same: PatternPart
    """`minor`: the first two numbers match, for example plugin 2.8.1 and torch 2.8.0.
    `release`: the first three numbers match, for example plugin 2.8.0.post2 and torch 2.8.0."""
    since: TorchVersion | None = None
    """The first torch release to which the pattern applies. Default: all rows."""
    note: Line | None = None
    """A note that is shown to readers."""

    def covers(self, torch: str) -> bool:
        """Return whether the pattern makes a statement about a torch release."""
        return self.since is None or Version(torch) >= Version(self.since)

    def admits(self, plugin: str, torch: str) -> bool:
        """Return whether two versions follow the pattern."""
        return not self.covers(torch) or self._part(plugin) == self._part(torch)

    def _part(self, version: str) -> tuple[int, ...]:
        count = _NUMBERS[self.same]
        return (*Version(version).release, 0, 0, 0)[:count]
