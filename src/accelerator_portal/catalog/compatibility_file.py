"""`compatibility.yaml`: which versions of plugin, PyTorch, SDK and Python fit together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from pydantic import Field

from accelerator_portal.catalog.fields import (
    Day,
    Id,
    Line,
    Model,
    Paragraph,
    PythonVersion,
    TorchVersion,
)
from accelerator_portal.catalog.sources import Sourced, SourcedFile
from accelerator_portal.catalog.version_pattern import VersionPattern


class Lifecycle(Model):
    """How long a version is cared for, in the source's words."""

    status: Line
    """The state, as the source names it."""
    until: Day | None = None
    """The day on which that state ends."""
    note: Line | None = None
    """A qualification."""


class CompatibilityRow(Sourced):
    """Versions that fit together according to the row's source."""

    torch: TorchVersion
    """The PyTorch release."""
    plugin: TorchVersion | None = None
    """The plugin's version, for out-of-tree platforms."""
    variant: Id | None = None
    """Id of the variant in `install.yaml` that the row is about."""
    python: Annotated[tuple[PythonVersion, ...], Field(min_length=1)] | None = None
    """Python versions."""
    needs: Mapping[Line, Line] = Field(default_factory=dict)
    """What must be on the machine beside the package: name to version or specifier."""
    includes: Mapping[Line, Line] = Field(default_factory=dict)
    """What the package brings: name to version."""
    lifecycle: Lifecycle | None = None
    """How long the version is cared for."""
    note: Line | None = None
    """A qualification, or the conflict between sources."""


class Compatibility(SourcedFile):
    """The version rows of one platform, newest first."""

    components: Paragraph | None = None
    """Words that explain the columns."""
    version_pattern: VersionPattern | None = None
    """The vendor's own rule for version numbers, where a document states one. Rows that break it
    are errors."""
    rows: tuple[CompatibilityRow, ...]
    """The rows."""
