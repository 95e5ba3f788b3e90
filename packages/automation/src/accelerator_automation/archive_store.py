"""Stores files of nightly runs outside of the repository, as each platform's last valid folder.

In GitHub Actions, the folder is a checkout of the branch `archive`. A stored file is called an
object. Each object is written to a temporary path and then moved. If the run is interrupted before
the move, the previous version of the object stays.
"""

from __future__ import annotations

import datetime as dt
import gzip
import json
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, ValidationError

from accelerator_portal.checks.quarantine import SINCE_FILE
from accelerator_reports.files.folders import ACCELERATORS
from accelerator_reports.files.problem import UserError

if TYPE_CHECKING:
    from fsspec import AbstractFileSystem

PUBLISHED_DIGEST = "published.sha256"

UNFINISHED_SUFFIX = ".new"
"""Suffix of the name of an object that is not complete yet."""


class ArchiveError(UserError):
    """The archive cannot be used; the message names the location and the reason."""


class DamagedObjectError(ArchiveError):
    """One archived object is damaged or too large; all other objects can be used."""


@dataclass(frozen=True, slots=True)
class Archive:
    """Stored files (objects) in one folder or at one URL. Every method can raise ArchiveError.

    `place` is the folder or URL that was passed to `open_archive`.
    """

    place: str
    _files: AbstractFileSystem
    _root: str

    def read(self, path: str) -> bytes | None:
        """Return the content of the stored file at `path`, or None if there is none."""
        with self._as_archive_errors(path), suppress(FileNotFoundError):
            content: bytes = self._files.cat_file(self._full_path(path))
            return content
        return None

    def write(self, path: str, data: bytes) -> None:
        """Write a file to a temporary path, then move it to `path`."""
        target = self._full_path(path)
        temporary_path = f"{target}{UNFINISHED_SUFFIX}"
        with self._as_archive_errors(path):
            self._files.makedirs(target.rpartition("/")[0], exist_ok=True)
            self._files.pipe_file(temporary_path, data)
            self._files.mv(temporary_path, target)

    def names(self, folder: str) -> list[str]:
        """Return the sorted names of the files in a folder; empty if the folder does not exist."""
        return [name for name in self._listed(folder) if not name.endswith(UNFINISHED_SUFFIX)]

    def remove(self, path: str) -> None:
        """Remove the stored file at `path` if it exists."""
        with self._as_archive_errors(path), suppress(FileNotFoundError):
            self._files.rm_file(self._full_path(path))

    def drop_oldest(self, folder: str, most: int) -> None:
        """Remove the first files of a folder, sorted by name, so that at most `most` files stay.

        Also removes the unfinished files that an interrupted run left in the folder.
        """
        names, kept = self._listed(folder), self.names(folder)[-most:]
        for name in names:
            if name not in kept:
                self.remove(f"{folder}/{name}")

    def _listed(self, folder: str) -> list[str]:
        paths: list[str] = []
        with self._as_archive_errors(folder), suppress(FileNotFoundError):
            paths = self._files.ls(self._full_path(folder), detail=False)
        return sorted(str(path).rstrip("/").rpartition("/")[2] for path in paths)

    def _full_path(self, path: str) -> str:
        return f"{self._root}/{path}"

    @contextmanager
    def _as_archive_errors(self, path: str) -> Iterator[None]:
        """Turn errors in the `with` block into an ArchiveError that names the archive and path."""
        try:
            yield
        except Exception as error:  # noqa: BLE001 - every kind of place has errors of its own
            error_text = getattr(error, "strerror", None) or str(error) or type(error).__name__
            what = f"the archive {self.place} cannot be used ({path}: {error_text})"
            raise ArchiveError(what) from None


def open_archive(url: str, **options: Any) -> Archive:  # noqa: ANN401 - of the kind of place
    """Return the archive at a folder or an fsspec URL, such as `s3://bucket/portal`.

    `options` are passed to fsspec. Raises ArchiveError if fsspec does not know the kind of URL, or
    if the package for it is not installed.
    """
    try:
        import fsspec

        files, root = fsspec.url_to_fs(url, **options)
    except (ImportError, ValueError, OSError) as error:
        raise ArchiveError(f'"{url}" is not a valid archive location: {error}') from None
    return Archive(url, files, root.rstrip("/"))


def is_published(archive: Archive, digest: str) -> bool:
    """Return whether the published site was built from inputs with this digest.

    Raises ArchiveError.
    """
    return archive.read(PUBLISHED_DIGEST) == digest.encode()


def store_published_digest(archive: Archive, digest: str) -> None:
    """Store the digest of the published site's inputs. Raises ArchiveError."""
    archive.write(PUBLISHED_DIGEST, digest.encode())


def gzip_compress(data: bytes) -> bytes:
    """Return the data compressed with gzip. Equal data always gives equal bytes."""
    return gzip.compress(data, compresslevel=9, mtime=0)


def gzip_decompress(data: bytes, most: int) -> bytes:
    """Return the decompressed content of data from `gzip_compress`.

    Raises DamagedObjectError if the data is damaged, or if the content has more than `most` bytes.
    """
    try:
        with gzip.GzipFile(fileobj=BytesIO(data)) as file:
            content = file.read(most + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise DamagedObjectError(f"an object of the archive is damaged ({error})") from None
    if len(content) > most:
        raise DamagedObjectError(f"an object of the archive has more than {most:,} bytes")
    return content


# Archives the last version without errors of each platform's folder, and reads it back.
#
# `last-good/<id>.json.gz` has the texts of the folder's files, and the day since which the folder
# has errors. Each version is a single object, so that it is never incomplete.

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
