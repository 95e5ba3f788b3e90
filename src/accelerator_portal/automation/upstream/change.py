"""A change of PyTorch that platforms may test, as the portal keeps it between its jobs."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from accelerator_portal.automation.events import FullName
from accelerator_portal.catalog.fields import Model
from accelerator_portal.catalog.upstream_events import Occasion

UPSTREAM = "pytorch/pytorch"
BRANCH = "main"

Sha1 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{40}$")]
Delivery = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9-]{5,63}$")]
ChangeNumber = Annotated[int, Field(gt=0, lt=10**9)]
ShortText = Annotated[str, StringConstraints(max_length=1000)]

# What became of a pull request so that tests are worth running; others are passed over.
EventAction = Literal["opened", "reopened", "synchronize", "labeled", "closed", "rerequested"]

Refused = Literal["unreadable", "unknown repository", "forged", "out of order", "replayed"]


class RefusedEventError(ValueError):
    """An event that nothing is done for; `name` says in a word or two why, the text how."""

    def __init__(self, name: Refused, what: str) -> None:
        super().__init__(f"{name}: {what}")
        self.name = name


class Change(Model):
    """What is to be tested. What only the sender says is confirmed before anything is run."""

    occasion: Occasion
    """What it is tested for."""
    delivery: Delivery
    """The sender's number of the event: the same number is the same event."""
    repository: FullName
    """Where the change is."""
    head: Sha1 | None = None
    """The commit; None as long as only GitHub can say it."""
    base: Sha1 | None = None
    """The commit that a pull request starts from."""
    number: ChangeNumber | None = None
    """Number of the pull request."""
    action: EventAction | None = None
    """What happened to the pull request."""
    title: ShortText = ""
    """Its title, which its author chose."""
    labels: Annotated[tuple[ShortText, ...], Field(max_length=100)] = ()
    """Its labels."""
    added: ShortText | None = None
    """The label that was added just now."""
    only: ShortText | None = None
    """The one platform that is asked again."""
