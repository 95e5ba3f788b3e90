"""What a comment remembers of itself, in the one piece of HTML at its beginning.

Anybody can write such a marker; it counts only in a comment of the portal's own account, and what
it holds is read as data all the same: so far and no further.
"""

from __future__ import annotations

import base64
import binascii
import re
import zlib
from typing import Annotated, Literal

from pydantic import Field, StringConstraints, ValidationError

from accelerator_portal.automation.events import FullName, Number
from accelerator_portal.automation.upstream.change import Sha1
from accelerator_portal.automation.upstream.news import ReportNews
from accelerator_portal.catalog.fields import Id, Model

PREFIX = "<!-- accelerator-portal:upstream "

_SUFFIX = " -->"
_MARKER = re.compile(rf"{re.escape(PREFIX)}([A-Za-z0-9+/=]{{1,60000}}){_SUFFIX}")
_MOST = 1024 * 1024

# A new comment is not written anew for every word; so much of it may be memory.
MOST_ANSWERS = 40

Version = Annotated[str, StringConstraints(max_length=200)]


class PlatformAnswer(Model):
    """What one platform says of a pull request."""

    accelerator: Id
    """Its id."""
    name: Annotated[str, StringConstraints(max_length=40)]
    """Its name."""
    head: Sha1
    """The commit that was tested."""
    repository: FullName
    """Where the run is; GitHub says so."""
    run: Number
    """Its number."""
    torch: Version | None = None
    """The version of torch that the report names."""
    late: bool = False
    """Whether it came after its time."""
    news: ReportNews
    """What it says beside the base."""


class Memory(Model):
    """What the comment on a pull request says."""

    schema_version: Literal[1] = 1
    """The form of this memory."""
    answers: Annotated[tuple[PlatformAnswer, ...], Field(max_length=MOST_ANSWERS)] = ()
    """One of each platform that had news, by id."""


def marker(memory: Memory) -> str:
    """Return the marker that holds a memory."""
    packed = zlib.compress(memory.model_dump_json(exclude_defaults=True).encode(), 9)
    return f"{PREFIX}{base64.b64encode(packed).decode()}{_SUFFIX}"


def memory_of_comment(body: str) -> Memory | None:
    """Return what a comment remembers; None where it begins with no marker.

    A marker that cannot be read is one of a comment that is written anew.
    """
    if not body.startswith(PREFIX):
        return None
    found = _MARKER.match(body)
    if found is None:
        return Memory()
    try:
        packed = base64.b64decode(found[1], validate=True)
        return Memory.model_validate_json(zlib.decompressobj().decompress(packed, _MOST))
    except (binascii.Error, zlib.error, ValidationError):
        return Memory()
