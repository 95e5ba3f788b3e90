"""Stores files of nightly runs outside of the repository, in a folder or at an fsspec URL.

In GitHub Actions, the folder is a checkout of the branch `archive`. A stored file is called an
object. Each object is written to a temporary path and then moved. If the run is interrupted before
the move, the previous version of the object stays.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING, Any

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
