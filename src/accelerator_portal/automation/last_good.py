"""The last version of each platform's folder that had no errors, kept in the archive.

`last-good/<id>.json` is one record: since when the folder is broken, and its files as texts. One
object, so that a version is there in whole or not at all.
"""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, ValidationError

from accelerator_portal.automation.archive_store import Archive, ArchiveError, packed, unpacked
from accelerator_portal.catalog.catalog import ACCELERATORS
from accelerator_portal.checks.quarantine import SINCE

FOLDER = "last-good"

_MOST_BYTES = 512 * 1024 * 1024
"""Of one platform's files, results included."""


def _inside(path: str) -> str:
    """Refuse a path that leads out of the folder: the archive may be anybody's bucket."""
    parts = PurePosixPath(path).parts
    if not parts or path.startswith("/") or ".." in parts or "\\" in path or "\0" in path:
        raise ValueError("the path leads out of the folder")
    return path


class _Version(BaseModel):
    """A folder's files by path, and since when a newer version is broken, if one is."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    files: Mapping[Annotated[str, AfterValidator(_inside)], str]
    broken_since: dt.date | None = None


@dataclass(frozen=True, slots=True)
class Kept:
    """What came of keeping: the platforms whose version is new, and those that stand in."""

    new: tuple[str, ...]
    standing_in: Mapping[str, dt.date]


def keep(
    archive: Archive, root: Path, good: Iterable[str], broken: Iterable[str], today: dt.date
) -> Kept:
    """Keep the good folders as they are, and remember since when the others are broken.

    What is unchanged is not written. Raises ArchiveError, OSError.
    """
    new = tuple(name for name in good if _keep_good(archive, root, name))
    standing_in = {}
    for name in broken:
        version = _read(archive, name)
        if version is None:
            continue  # it was never seen without errors
        if version.broken_since is None:
            version = version.model_copy(update={"broken_since": today})
            _write(archive, name, version)
        standing_in[name] = version.broken_since or today
    return Kept(new, standing_in)


def lay_out(archive: Archive, standing_in: Mapping[str, dt.date], place: Path) -> None:
    """Write versions below a folder, in the form that the build reads.

    Raises ArchiveError, OSError.
    """
    for name in standing_in:
        version = _read(archive, name)
        for path, text in version.files.items() if version else ():
            file = place / ACCELERATORS / name / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
    place.mkdir(parents=True, exist_ok=True)
    days = {name: day.isoformat() for name, day in sorted(standing_in.items())}
    (place / SINCE).write_text(json.dumps(days), encoding="utf-8")


def _keep_good(archive: Archive, root: Path, name: str) -> bool:
    folder = root / ACCELERATORS / name
    files = {
        file.relative_to(folder).as_posix(): file.read_text("utf-8")
        for file in sorted(folder.rglob("*"))
        if file.is_file() and not file.name.startswith(".")
    }
    version = _Version(files=files)
    before = _read(archive, name)
    if before != version:
        _write(archive, name, version)
    return before is None or before.files != files


def _read(archive: Archive, name: str) -> _Version | None:
    data = archive.read(_path(name))
    if data is None:
        return None
    try:
        return _Version.model_validate_json(unpacked(data, _MOST_BYTES))
    except ValidationError:
        raise ArchiveError(f"{_path(name)} of the archive has another form than expected") from None


def _write(archive: Archive, name: str, version: _Version) -> None:
    archive.write(_path(name), packed(version.model_dump_json(exclude_none=True).encode()))


def _path(name: str) -> str:
    return f"{FOLDER}/{name}.json.gz"
