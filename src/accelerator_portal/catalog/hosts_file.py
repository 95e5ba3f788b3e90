"""`data/hosts.yaml`: the hosts that commands may fetch from, and whose they are."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from accelerator_portal.catalog.fields import Line, Model

HostName = Annotated[str, Field(pattern=r"^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9-]+)+$")]


class Host(Model):
    """A host that commands can use."""

    host: HostName
    """The full host name in lower case."""
    owner: Line
    """The operator of the host."""


class Hosts(Model):
    """The hosts that commands can use."""

    hosts: tuple[Host, ...]
    """The hosts."""
