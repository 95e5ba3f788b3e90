"""What the run of a pull request left, read as data from somebody hostile.

The run executed the pull request's own code, so the archive holds whatever its author likes. It is
never unpacked to disk: two members are read in memory, each within a limit.
"""

from __future__ import annotations

import io
import re
import struct
import zipfile
import zlib
from dataclasses import dataclass

from pydantic import ValidationError

from accelerator_portal.reports.json_input import parse_json
from accelerator_portal.site.difference import Difference

NAME = "difference"
MOST_BYTES = 4 * 1024 * 1024

_NUMBER = "number"
_DIFFERENCE = "difference.json"
_MOST_MEMBERS = 10
_MOST_UNPACKED = 8 * 1024 * 1024
_DIGITS = re.compile(r"[1-9][0-9]{0,8}\n?")

# What Python's reader raises for archives that are broken, or made to be.
_UNREADABLE = (
    *(zipfile.BadZipFile, zlib.error, struct.error),
    *(OSError, EOFError, RuntimeError, ValueError, LookupError, OverflowError),
)

# Others can ask for gigabytes of memory before they give a byte.
_METHODS = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}


class ArtifactError(ValueError):
    """An archive that is not what the workflow writes; the message says why."""


@dataclass(frozen=True, slots=True)
class Artifact:
    """What the run says: of which pull request it is, and what readers will see differently."""

    number: int
    difference: Difference | None
    """None where the run came to none, or to one of a form that this portal does not read: so it
    is where a pull request changes the form itself."""


def read_artifact(archive: bytes) -> Artifact:
    """Return what an archive says. Raises ArtifactError."""
    if len(archive) > MOST_BYTES:
        raise ArtifactError(f"the archive has more than {MOST_BYTES:,} bytes")
    try:
        with zipfile.ZipFile(io.BytesIO(archive)) as members:
            number = _text(members, _NUMBER, 20)
            difference = _text(members, _DIFFERENCE, _MOST_UNPACKED)
    except ArtifactError:
        raise
    except _UNREADABLE:
        raise ArtifactError("the archive cannot be read") from None
    if number is None or not _DIGITS.fullmatch(number):
        raise ArtifactError("the archive names no pull request")
    return Artifact(int(number), _difference(difference) if difference is not None else None)


def _text(members: zipfile.ZipFile, name: str, limit: int) -> str | None:
    found = members.infolist()
    if len(found) > _MOST_MEMBERS:
        raise ArtifactError(f"the archive has more than {_MOST_MEMBERS} files")
    for member in found:
        if member.filename != name:
            continue
        if member.compress_type not in _METHODS:
            raise ArtifactError(f"{name} is packed in an unusual way")
        with members.open(member) as stream:
            data = stream.read(limit + 1)
        if len(data) > limit:
            raise ArtifactError(f"{name} has more than {limit:,} bytes")
        return data.decode()
    return None


def _difference(text: str) -> Difference | None:
    try:
        return Difference.model_validate(parse_json(text))
    except (ValidationError, ValueError, RecursionError):
        return None
