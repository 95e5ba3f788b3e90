"""A change of PyTorch that platforms may test, as the portal keeps it between its jobs."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from accelerator_portal.catalog.fields import Model
from accelerator_portal.catalog.upstream_events import Occasion

UPSTREAM = "pytorch/pytorch"
BRANCH = "main"

Sha = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{40}$")]
FullName = Annotated[str, StringConstraints(pattern=r"^[\w.-]+/[\w.-]+$", max_length=200)]
Delivery = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9-]{5,63}$")]
Number = Annotated[int, Field(gt=0, lt=10**9)]
Text = Annotated[str, StringConstraints(max_length=1000)]

# What became of a pull request so that tests are worth running; others are passed over.
Action = Literal["opened", "reopened", "synchronize", "labeled", "closed", "rerequested"]

Refused = Literal["unreadable", "unknown repository", "forged", "out of order", "replayed"]


class RefusedError(ValueError):
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
    head: Sha | None = None
    """The commit; None as long as only GitHub can say it."""
    base: Sha | None = None
    """The commit that a pull request starts from."""
    number: Number | None = None
    """Number of the pull request."""
    action: Action | None = None
    """What happened to the pull request."""
    title: Text = ""
    """Its title, which its author chose."""
    labels: Annotated[tuple[Text, ...], Field(max_length=100)] = ()
    """Its labels."""
    added: Text | None = None
    """The label that was added just now."""
    only: Text | None = None
    """The one platform that is asked again."""
