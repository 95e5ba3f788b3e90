"""What the sender keeps between its runs: plans that wait, what was sent, which plans it read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field, NonNegativeInt

from accelerator_portal.automation.upstream.change import Change, Delivery
from accelerator_portal.automation.upstream.planning import PlannedPlatform
from accelerator_portal.catalog.fields import Id, Model
from accelerator_portal.reports.report import Moment


class SentChange(Model):
    """A change, and the platforms that it was sent to."""

    change: Change
    """What was sent."""
    sent: Mapping[Id, Moment]
    """To whom, and when."""


class WaitingPlan(Model):
    """What is not sent yet of a plan."""

    change: Change
    """What is tested."""
    entries: Annotated[tuple[PlannedPlatform, ...], Field(max_length=1000)]
    """The platforms that are not told yet."""
    failures: Mapping[Id, NonNegativeInt] = Field(default_factory=dict)
    """How many rounds failed to tell a platform."""


class SendLog(Model):
    """The file between two runs of the sender; plans go by the number of their artifact."""

    schema_version: Literal[1] = 1
    """The form of this file."""
    waiting: Annotated[Mapping[int, WaitingPlan], Field(max_length=10_000)] = Field(
        default_factory=dict
    )
    """Plans of which something is not sent yet."""
    sent: Annotated[Mapping[int, SentChange], Field(max_length=10_000)] = Field(
        default_factory=dict
    )
    """What was sent in the last days."""
    read: Annotated[Mapping[int, Moment], Field(max_length=10_000)] = Field(default_factory=dict)
    """Plans that need not be read again, and when they were read."""
    deliveries: Annotated[Mapping[Delivery, Moment], Field(max_length=100_000)] = Field(
        default_factory=dict
    )
    """Events that were planned, and when first: a later replay is refused."""
