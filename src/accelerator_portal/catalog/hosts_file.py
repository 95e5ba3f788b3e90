"""`data/hosts.yaml`: the hosts that commands may fetch from, and whose they are."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from accelerator_portal.catalog.fields import Line, Model

HostName = Annotated[str, Field(pattern=r"^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9-]+)+$")]


class Host(Model):
    """A host."""

    host: HostName
    """Its full name, in lower case."""
    owner: Line
    """Who runs it."""


class Hosts(Model):
    """Every host that commands may name."""

    hosts: tuple[Host, ...]
    """The hosts."""
