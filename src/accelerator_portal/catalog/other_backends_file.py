"""`data/other-backends.yaml`: backends without a folder, and what runs models without a device."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from accelerator_portal.catalog.fields import Id, Line, PackageName, Url
from accelerator_portal.catalog.sources import Sourced, SourcedFile

ObservedKind = Literal["vendor", "community"]
"""`vendor`: a vendor's, without a package that everybody can install and use; `community`: a
community's, or one that its authors call experimental."""


class ObservedBackend(Sourced):
    """A PyTorch backend without a folder, and the reason. It is not in the selector."""

    id: Id
    """The id. It never changes, because links use it."""
    name: Line
    """The name that readers use."""
    maker: Line
    """The developer of the backend."""
    kind: ObservedKind
    """Why the backend has no folder."""
    device: Line | None = None
    """The device string, if a source states it."""
    package: PackageName | None = None
    """The package, if a source names it."""
    url: Url | None = None
    """The address of further information, if it differs from the source."""
    summary: Line
    """One sentence that describes the backend and its status."""


class OtherRuntime(Sourced):
    """Software that runs PyTorch models on hardware but doesn't provide a torch device."""

    id: Id
    """The id. It never changes, because links use it."""
    name: Line
    """The name that readers use."""
    hardware: Line
    """The hardware that the source names."""
    summary: Line
    """One sentence that says how to run a PyTorch model with it."""
    url: Url
    """The address of further information."""


class OtherBackends(SourcedFile):
    """Backends and runtimes that are not listed as compute platforms."""

    observed: Annotated[tuple[ObservedBackend, ...], Field(min_length=1)]
    """PyTorch backends without a folder."""
    runtimes: Annotated[tuple[OtherRuntime, ...], Field(min_length=1)]
    """Other ways to run a PyTorch model on hardware."""
