"""Archives the last version without errors of each platform's folder, and reads it back.

`last-good/<id>.json.gz` has the texts of the folder's files, and the day since which the folder has
errors. Each version is a single object, so that it is never incomplete.
"""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, ValidationError

from accelerator_automation.archive_store import (
    Archive,
    DamagedObjectError,
    gzip_compress,
    gzip_decompress,
)
from accelerator_portal.checks.quarantine import SINCE_FILE
from accelerator_reports.files.folders import ACCELERATORS

FOLDER = "last-good"

_MOST_BYTES = 512 * 1024 * 1024
"""The maximum size in bytes of one platform's files, including results."""


def _validate_inside(path: str) -> str:
    """Return a relative path unchanged. Raises ValueError if it leads out of a platform's folder.

    The paths come from an archive, which is untrusted.
    """
    parts = PurePosixPath(path).parts
    if not parts or path.startswith("/") or ".." in parts or "\\" in path or "\0" in path:
        raise ValueError("the path is outside the folder")
    return path


class _FolderVersion(BaseModel):
    """The last version of a platform's folder without errors: its text files, by path.

    `broken_since` is the first day on which the current folder had errors, or None if the folder
    has no errors.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    files: Mapping[Annotated[str, AfterValidator(_validate_inside)], str]
    broken_since: dt.date | None = None


def archive_good_folders(
    archive: Archive, root: Path, good: Iterable[str], broken: Iterable[str], today: dt.date
) -> tuple[str, ...]:
    """Archive the valid folders, and record since when the broken folders have errors.

    `good` has the ids of the platforms with a valid folder. `broken` has the ids of the platforms
    whose folder has errors. Returns the ids in `good` whose archived version was missing, damaged
    or different. Raises ArchiveError, OSError.
    """
    changed_ids = tuple(name for name in good if _archive_folder(archive, root, name))
    for name in broken:
        version = _undamaged_version(archive, name)
        if version is not None and version.broken_since is None:
            _write_version(archive, name, version.model_copy(update={"broken_since": today}))
    return changed_ids


def changed_folders(archive: Archive, root: Path, names: Iterable[str]) -> Iterator[str]:
    """Yield the ids in `names` whose folder differs from its archived version, or has none.

    Raises ArchiveError, OSError.
    """
    for name in names:
        version = _undamaged_version(archive, name)
        if version is None or version.files != _folder_files(root, name):
            yield name


def last_good_dates(archive: Archive, broken: Iterable[str], today: dt.date) -> dict[str, dt.date]:
    """Return the date since which the site shows the last valid version of a platform's folder.

    `broken` has the ids of the platforms whose folder has errors. The keys of the result are these
    ids. The date is `today` if the folder was valid until now. Platforms without a readable
    archived version are omitted. Raises ArchiveError.
    """
    versions = {name: _undamaged_version(archive, name) for name in broken}
    return {name: v.broken_since or today for name, v in versions.items() if v is not None}


def damaged_folders(archive: Archive, names: Iterable[str]) -> tuple[str, ...]:
    """Return the ids in `names` whose archived version is damaged. Raises ArchiveError."""
    damaged = []
    for name in names:
        try:
            _read_version(archive, name)
        except DamagedObjectError:
            damaged.append(name)
    return tuple(damaged)


def write_last_good(archive: Archive, versions: Mapping[str, dt.date], place: Path) -> None:
    """Write the last valid version of each platform in `versions` to the folder `place`.

    The site's build reads this folder. `versions` maps a platform id to the date since which the
    site shows the last valid version. Writes the files to `accelerators/<id>/`, and the dates to
    `since.json`. Raises ArchiveError, OSError.
    """
    for name in versions:
        version = _read_version(archive, name)
        for path, text in version.files.items() if version else ():
            file = place / ACCELERATORS / name / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
    place.mkdir(parents=True, exist_ok=True)
    days = {name: day.isoformat() for name, day in sorted(versions.items())}
    (place / SINCE_FILE).write_text(json.dumps(days), encoding="utf-8")


def _archive_folder(archive: Archive, root: Path, name: str) -> bool:
    files = _folder_files(root, name)
    version = _FolderVersion(files=files)
    archived_version = _undamaged_version(archive, name)
    if archived_version != version:
        _write_version(archive, name, version)
    return archived_version is None or archived_version.files != files


def _folder_files(root: Path, name: str) -> dict[str, str]:
    folder = root / ACCELERATORS / name
    return {
        file.relative_to(folder).as_posix(): file.read_text("utf-8")
        for file in sorted(folder.rglob("*"))
        if file.is_file() and not file.name.startswith(".")
    }


def _undamaged_version(archive: Archive, name: str) -> _FolderVersion | None:
    try:
        return _read_version(archive, name)
    except DamagedObjectError:
        return None


def _read_version(archive: Archive, name: str) -> _FolderVersion | None:
    data = archive.read(_object_path(name))
    if data is None:
        return None
    try:
        return _FolderVersion.model_validate_json(gzip_decompress(data, _MOST_BYTES))
    except ValidationError:
        what = f"{_object_path(name)} in the archive has an unexpected format"
        raise DamagedObjectError(what) from None


def _write_version(archive: Archive, name: str, version: _FolderVersion) -> None:
    archive.write(
        _object_path(name), gzip_compress(version.model_dump_json(exclude_none=True).encode())
    )


def _object_path(name: str) -> str:
    return f"{FOLDER}/{name}.json.gz"
