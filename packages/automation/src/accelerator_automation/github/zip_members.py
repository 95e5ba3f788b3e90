"""Reads members of an untrusted zip file in memory, within size limits.

Nothing is unpacked to disk.
"""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import PurePosixPath

_MOST_MEMBERS = 10

# The exceptions of Python's reader for archives that are damaged, also on purpose.
_READ_ERRORS = (
    *(zipfile.BadZipFile, zlib.error, struct.error),
    *(OSError, EOFError, RuntimeError, ValueError, LookupError, OverflowError),
)

# Other methods can allocate gigabytes of memory before they return a byte.
_ALLOWED_METHODS = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}


class ArtifactError(ValueError):
    """An archive that does not have the expected format; the message gives the reason."""


def read_members(archive: bytes, wanted: Mapping[str, int], most: int) -> dict[str, bytes]:
    """Return the content of each member in `wanted` that the zip archive has, by name.

    `wanted` maps a member's name to its size limit in bytes. `most` is the size limit of the
    archive in bytes. Raises ArtifactError.
    """
    if len(archive) > most:
        raise ArtifactError(f"the archive has more than {most:,} bytes")
    contents: dict[str, bytes] = {}
    with _open_zip(archive) as zip_file:
        if len(zip_file.infolist()) > _MOST_MEMBERS:
            raise ArtifactError(f"the archive has more than {_MOST_MEMBERS} files")
        for member in zip_file.infolist():
            name = member.filename
            if name in wanted and name not in contents:
                contents[name] = _content(zip_file, member, wanted[name])
    return contents


def folder_files(archive: bytes, folder: str, limit: int) -> dict[str, bytes]:
    """Return the files directly in a folder, by name, from GitHub's archive of a repository.

    Raises ArtifactError if the files have more than `limit` bytes together, or cannot be read.
    """
    contents: dict[str, bytes] = {}
    with _open_zip(archive) as zip_file:
        for member in zip_file.infolist():
            path = PurePosixPath(member.filename)
            # The archive has one folder, with the repository and the commit in its name.
            if not member.is_dir() and str(path.parent).partition("/")[2] == folder:
                contents[path.name] = _content(zip_file, member, limit)
                limit -= len(contents[path.name])
    return contents


@contextmanager
def _open_zip(archive: bytes) -> Iterator[zipfile.ZipFile]:
    try:
        with zipfile.ZipFile(io.BytesIO(archive)) as zip_file:
            yield zip_file
    except ArtifactError:
        raise
    except _READ_ERRORS:
        raise ArtifactError("the archive cannot be read") from None


def _content(archive: zipfile.ZipFile, member: zipfile.ZipInfo, limit: int) -> bytes:
    if member.compress_type not in _ALLOWED_METHODS:
        raise ArtifactError(f"{member.filename} has an unsupported compression method")
    with archive.open(member) as stream:
        data = stream.read(limit + 1)
    if len(data) > limit:
        raise ArtifactError(f"{member.filename} has more than {limit:,} bytes")
    return data
