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
    Os,
    Paragraph,
    PythonVersion,
    TorchVersion,
)
from accelerator_portal.catalog.sources import Sourced, SourcedFile
from accelerator_portal.catalog.version_pattern import VersionPattern


class Lifecycle(Model):
    """How long a version is maintained, in the words of the source."""

    status: Line
    """The status in the words of the source."""
    until: Day | None = None
    """The date on which this status ends."""
    note: Line | None = None
    """A remark."""


class CompatibilityRow(Sourced):
    """Versions that work together according to the source."""

    torch: TorchVersion
    """The PyTorch release."""
    plugin: TorchVersion | None = None
    """The plugin's version, for out-of-tree platforms."""
    variant: Id | None = None
    """Id of the variant in `install.yaml` to which the row applies."""
    os: Annotated[tuple[Os, ...], Field(min_length=1)] | None = None
    """The operating systems to which the row applies. Default: all of the platform."""
    python: Annotated[tuple[PythonVersion, ...], Field(min_length=1)] | None = None
    """Python versions."""
    needs: Mapping[Line, Line] = Field(default_factory=dict)
    """Other software that must be installed: name and version or version specifier."""
    includes: Mapping[Line, Line] = Field(default_factory=dict)
    """Software that the package includes: name and version."""
    lifecycle: Lifecycle | None = None
    """How long the version is maintained."""
    note: Line | None = None
    """A remark, for example on conflicting sources."""


class Compatibility(SourcedFile):
    """Compatible versions of one platform, newest first."""

    components: Paragraph | None = None
    """Explanations of the columns."""
    version_pattern: VersionPattern | None = None
    """The vendor's rule for version numbers, if a document states one. Rows that break the rule
    are errors."""
    rows: tuple[CompatibilityRow, ...]
    """The rows of the table."""
