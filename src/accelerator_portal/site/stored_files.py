"""Stores generated files on disk, so that memory stays small."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from accelerator_portal.site.page import SiteFile


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file of the site as `SiteFile` describes it, with the place of its content."""

    path: str
    place: Path
    edit: str | None
    platform: str | None


def store(files: Iterable[SiteFile], folder: Path) -> Iterator[StoredFile]:
    """Write each file below `folder` as soon as it is made."""
    for file in files:
        place = folder / file.path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(file.content, encoding="utf-8", newline="")
        yield StoredFile(file.path, place, file.edit, file.platform)
