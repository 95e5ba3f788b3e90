"""`data/relay.yaml`: which repositories PyTorch's cross-repository CI relay knows, and how far."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from accelerator_portal.catalog.fields import fault
from accelerator_portal.catalog.sources import Sourced, SourcedFile

# A name of points alone would be a folder of an address.
RepositoryName = Annotated[
    str,
    Field(
        pattern=r"^[A-Za-z0-9][A-Za-z0-9-]*/[A-Za-z0-9_.-]*[A-Za-z0-9_-][A-Za-z0-9_.-]*$",
        max_length=140,
    ),
]

RelayDevice = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*$", max_length=60)]
"""A device as PyTorch's list spells it, which may have an underscore."""

RelayLevel = Literal["L1", "L2", "L3", "L4"]
"""From L1, told of changes, to L4, whose result can hold a change up (RFC-0050)."""


class RelayRepository(Sourced):
    """A repository on the relay's list."""

    repository: RepositoryName
    """Owner and name on GitHub."""
    level: RelayLevel
    """The relay level of the repository."""
    device: RelayDevice | None = None
    """The device name in the label `ciflow/crcr/<device>`. The list has it only for L3."""

    @model_validator(mode="after")
    def _device_is_of_level_three(self) -> RelayRepository:
        if (self.device is not None) != (self.level == "L3"):
            remedy = "name the device for L3, and for no other level"
            raise fault(f"{self.repository} has level {self.level}", remedy)
        return self


class Relay(SourcedFile):
    """The list of PyTorch's cross-repository CI relay, as in the source."""

    repositories: tuple[RelayRepository, ...]
    """The repositories."""
