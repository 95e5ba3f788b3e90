"""Computes a digest of all inputs of the site, to see whether it must be published again."""

from __future__ import annotations

import datetime as dt
import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path

from accelerator_portal.automation.archive_store import Archive
from accelerator_portal.catalog import Catalog

PUBLISHED = "published.sha256"

# What a build reads below the repository, the portal itself included.
_READ = ("accelerators", "data", "hooks", "mkdocs.yml", "requirements.lock", "site_src", "src")


def inputs(root: Path, catalog: Catalog, standing_in: Mapping[str, dt.date]) -> str:
    """Return what stands for everything that the site is made of: two of a kind are one site.

    What is set aside, and why, depends on the day, as exceptions end. Raises OSError.
    """
    found = hashlib.sha256()
    for file in _files(root):
        found.update(file.relative_to(root).as_posix().encode() + b"\0")
        found.update(hashlib.sha256(file.read_bytes()).digest())
    for name, problems in catalog.set_aside.items():
        found.update(f"{name} {standing_in.get(name)} {problems}\0".encode())
    return found.hexdigest()


def is_published(archive: Archive, digest: str) -> bool:
    """Say whether the last published site was made of exactly this. Raises ArchiveError."""
    return archive.read(PUBLISHED) == digest.encode()


def remember(archive: Archive, digest: str) -> None:
    """Keep what the published site was made of. Raises ArchiveError."""
    archive.write(PUBLISHED, digest.encode())


def _files(root: Path) -> Iterator[Path]:
    for name in _READ:
        place = root / name
        found = sorted(place.rglob("*")) if place.is_dir() else [place]
        for file in found:
            if file.is_file() and not any(
                part.startswith(".") or part == "__pycache__" for part in file.parts[-4:]
            ):
                yield file
