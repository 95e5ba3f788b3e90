"""Reading what a distribution says of itself: core metadata (PEP 566 and 643), by packaging."""

from __future__ import annotations

import re
import zipfile

from packaging.metadata import RawMetadata, parse_email
from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import InvalidSpecifier, SpecifierSet

MAX_METADATA = 1024**2

_MAX_SPECIFIER = 300
_MAX_REQUIREMENT = 2000


def parse_core_metadata(data: bytes | str) -> RawMetadata:
    """Return what a METADATA file states, not believed yet. Raises ValueError where it is none."""
    try:
        raw, _ = parse_email(data)
    except Exception as error:  # noqa: BLE001 - a parser of mail, given anything at all
        raise ValueError(f"invalid metadata ({type(error).__name__})") from None
    return raw


def requirements(raw: RawMetadata) -> tuple[Requirement, ...]:
    """Return what is required; what nobody can read is left out. Raises ValueError."""
    found = []
    for line in raw.get("requires_dist", []):
        if len(line) > _MAX_REQUIREMENT:
            raise ValueError("invalid metadata: a requirement has no end")
        try:
            found.append(Requirement(line))
        except InvalidRequirement:
            continue
    return tuple(found)


def specifier_set(text: str | None) -> SpecifierSet | None:
    """Return a specifier of versions; None for what is none."""
    if not text or len(text) > _MAX_SPECIFIER:
        return None
    try:
        return SpecifierSet(text)
    except InvalidSpecifier:
        return None


def dist_info_file(wheel: zipfile.ZipFile, name: str) -> zipfile.ZipInfo | None:
    """Return where a wheel has a file of its folder `*.dist-info`, such as METADATA."""
    path = re.compile(rf"[^/]+\.dist-info/{re.escape(name)}")
    return next((info for info in wheel.infolist() if path.fullmatch(info.filename)), None)
