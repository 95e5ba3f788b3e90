"""Models `compatibility.yaml`: which versions of plugin, PyTorch, SDK and Python fit together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from packaging.version import Version
from pydantic import Field

from accelerator_reports.files.fields import (
    Day,
    Id,
    Line,
    Os,
    Paragraph,
    PythonVersion,
    StrictModel,
    TorchVersion,
)
from accelerator_reports.files.sources import Sourced, SourcedFile

PatternPart = Literal["minor", "release"]

_NUMBER_COUNTS: dict[PatternPart, int] = {"minor": 2, "release": 3}


class VersionPattern(Sourced):
    """The rule that the versions of the plugin and of torch begin with the same numbers."""

    same: PatternPart
    """`minor`: the first two numbers match, for example plugin 2.8.1 and torch 2.8.0.
    `release`: the first three numbers match, for example plugin 2.8.0.post2 and torch 2.8.0."""
    since: TorchVersion | None = None
    """The first torch release to which the pattern applies. Default: it applies to all releases."""
    note: Line | None = None
    """A note that is shown to readers."""

    def covers(self, torch: str) -> bool:
        """Return whether the pattern applies to a torch release."""
        return self.since is None or Version(torch) >= Version(self.since)

    def admits(self, plugin: str, torch: str) -> bool:
        """Return whether two versions follow the pattern.

        Also true if the pattern does not apply to the torch release.
        """
        return not self.covers(torch) or self._shared_numbers(plugin) == self._shared_numbers(torch)

    def _shared_numbers(self, version: str) -> tuple[int, ...]:
        count = _NUMBER_COUNTS[self.same]
        return (*Version(version).release, 0, 0, 0)[:count]


class Lifecycle(StrictModel):
    """How long a version is maintained, in the words of the source."""

    status: Line
    """Status in the words of the source, for example `EOL`."""
    until: Day | None = None
    """The date on which `status` ends, as the source expects it."""
    note: Line | None = None
    """A note that is shown to readers."""


class CompatibilityRow(Sourced):
    """Versions that work together, as the source states: a row of the compatibility table."""

    torch: TorchVersion
    """The PyTorch release, for example `2.9.0`."""
    plugin: TorchVersion | None = None
    """For out-of-tree platforms: the version of the plugin."""
    variant: Id | None = None
    """Id of the variant in `install.yaml` to which the row applies."""
    os: Annotated[tuple[Os, ...], Field(min_length=1)] | None = None
    """The operating systems to which the row applies. Default: all of the platform."""
    python: Annotated[tuple[PythonVersion, ...], Field(min_length=1)] | None = None
    """Supported Python versions, for example `["3.10", "3.11"]`."""
    needs: Mapping[Line, Line] = Field(default_factory=dict)
    """Other software that must be installed: its name with a version or version specifier, for
    example `CANN: 9.1.0`."""
    includes: Mapping[Line, Line] = Field(default_factory=dict)
    """Software that the package includes: its name with the version."""
    lifecycle: Lifecycle | None = None
    """How long the version is maintained."""
    note: Line | None = None
    """A note that is shown in the table, for example that two sources disagree."""

    def applies_to(self, systems: tuple[Os, ...] | None) -> bool:
        """Return whether the row applies to one of the operating systems `systems`.

        None means all operating systems.
        """
        return not systems or not self.os or not set(systems).isdisjoint(self.os)


class Compatibility(SourcedFile):
    """The compatibility table of one platform, newest versions first."""

    components: Paragraph | None = None
    """Text that explains each component that a column of the table shows."""
    version_pattern: VersionPattern | None = None
    """The vendor's rule for version numbers, if a document states one. Rows that break the rule
    are errors."""
    rows: tuple[CompatibilityRow, ...]
    """The rows of the table."""
