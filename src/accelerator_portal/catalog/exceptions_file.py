"""`data/exceptions.yaml`: problems that are known and accepted, each with a reason and an end."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from accelerator_portal.catalog.fields import Day, Id, Line, Model


class Exemption(Model):
    """Problems of one rule in one file that are accepted for a time."""

    rule: Id
    """Id of the rule, as `accelerator-portal check` prints it."""
    path: Line
    """Path of the file in the repository, for example `accelerators/foo/install.yaml`."""
    says: Annotated[Line, Field(min_length=3)] | None = None
    """A part of the message. Default: all problems of the rule in the file."""
    reason: Line
    """Why the problem is accepted."""
    expires: Day
    """The last day of the exception."""


class Exceptions(Model):
    """All exceptions."""

    exceptions: tuple[Exemption, ...] = ()
    """The exceptions."""
