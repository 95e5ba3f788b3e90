"""What the run of a pull request left, read as data from somebody hostile.

The run executed the pull request's own code, so the archive holds whatever its author likes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from pydantic import ValidationError

from accelerator_portal.automation.zip_members import ArtifactError, members
from accelerator_portal.reports.json_input import parse_json
from accelerator_portal.site.difference import Difference

NAME = "difference"
MOST_BYTES = 4 * 1024 * 1024

_NUMBER = "number"
_DIFFERENCE = "difference.json"
_MOST_UNPACKED = 8 * 1024 * 1024
_DIGITS = re.compile(r"[1-9][0-9]{0,8}\n?")


@dataclass(frozen=True, slots=True)
class Artifact:
    """What the run says: of which pull request it is, and what readers will see differently."""

    number: int
    difference: Difference | None
    """None where the run came to none, or to one of a form that this portal does not read: so it
    is where a pull request changes the form itself."""


def read_artifact(archive: bytes) -> Artifact:
    """Return what an archive says. Raises ArtifactError."""
    found = members(archive, {_NUMBER: 20, _DIFFERENCE: _MOST_UNPACKED}, MOST_BYTES)
    try:
        texts = {name: data.decode() for name, data in found.items()}
    except UnicodeDecodeError:
        raise ArtifactError("the archive cannot be read") from None
    number, difference = texts.get(_NUMBER), texts.get(_DIFFERENCE)
    if number is None or not _DIGITS.fullmatch(number):
        raise ArtifactError("the archive contains no pull request number")
    return Artifact(int(number), _difference(difference) if difference is not None else None)


def _difference(text: str) -> Difference | None:
    try:
        return Difference.model_validate(parse_json(text))
    except (ValidationError, ValueError, RecursionError):
        return None
