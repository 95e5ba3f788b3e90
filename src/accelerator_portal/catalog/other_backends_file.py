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
    """A PyTorch backend that has no folder, and why; it is not in the selector."""

    id: Id
    """Its id; never changes, links lead to it."""
    name: Line
    """What readers call it."""
    maker: Line
    """Who develops it."""
    kind: ObservedKind
    """Why it has no folder."""
    device: Line | None = None
    """Its device string, where a source states it."""
    package: PackageName | None = None
    """Its package, where a source names it."""
    url: Url | None = None
    """Where to read more; absent where its source is all that there is."""
    summary: Line
    """One sentence: what it is, and how far it is."""


class OtherRuntime(Sourced):
    """Software that runs PyTorch models on hardware without being a torch device."""

    id: Id
    """Its id; never changes, links lead to it."""
    name: Line
    """What readers call it."""
    hardware: Line
    """The hardware that its source names."""
    summary: Line
    """One sentence: what to do with a PyTorch model to run it there."""
    url: Url
    """Where to read more."""


class OtherBackends(SourcedFile):
    """What readers ask for and do not find among the compute platforms."""

    observed: Annotated[tuple[ObservedBackend, ...], Field(min_length=1)]
    """Backends under observation."""
    runtimes: Annotated[tuple[OtherRuntime, ...], Field(min_length=1)]
    """Other ways to run a PyTorch model on hardware."""
