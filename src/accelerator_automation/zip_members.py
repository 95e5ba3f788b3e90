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
_UNREADABLE = (
    *(zipfile.BadZipFile, zlib.error, struct.error),
    *(OSError, EOFError, RuntimeError, ValueError, LookupError, OverflowError),
)

# Other methods can allocate gigabytes of memory before they return a byte.
_METHODS = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}


class ArtifactError(ValueError):
    """An archive that does not have the expected format; the message gives the reason."""


def read_members(archive: bytes, wanted: Mapping[str, int], most: int) -> dict[str, bytes]:
    """Return the content of the wanted members that the zip archive has, by name.

    `wanted` maps a member's name to its size limit in bytes. `most` is the size limit of the
    archive in bytes. Raises ArtifactError.
    """
    if len(archive) > most:
        raise ArtifactError(f"the archive has more than {most:,} bytes")
    found: dict[str, bytes] = {}
    with _open_zip(archive) as opened:
        if len(opened.infolist()) > _MOST_MEMBERS:
            raise ArtifactError(f"the archive has more than {_MOST_MEMBERS} files")
        for member in opened.infolist():
            name = member.filename
            if name in wanted and name not in found:
                found[name] = _content(opened, member, wanted[name])
    return found


def folder_files(archive: bytes, folder: str, limit: int) -> dict[str, bytes]:
    """Return the files directly in a folder, by name, from GitHub's archive of a repository.

    Raises ArtifactError if the files have more than `limit` bytes together, or cannot be read.
    """
    found: dict[str, bytes] = {}
    with _open_zip(archive) as opened:
        for member in opened.infolist():
            path = PurePosixPath(member.filename)
            # The archive has one folder, with the repository and the commit in its name.
            if not member.is_dir() and str(path.parent).partition("/")[2] == folder:
                found[path.name] = _content(opened, member, limit)
                limit -= len(found[path.name])
    return found


@contextmanager
def _open_zip(archive: bytes) -> Iterator[zipfile.ZipFile]:
    try:
        with zipfile.ZipFile(io.BytesIO(archive)) as opened:
            yield opened
    except ArtifactError:
        raise
    except _UNREADABLE:
        raise ArtifactError("the archive cannot be read") from None


def _content(archive: zipfile.ZipFile, member: zipfile.ZipInfo, limit: int) -> bytes:
    if member.compress_type not in _METHODS:
        raise ArtifactError(f"{member.filename} has an unsupported compression method")
    with archive.open(member) as stream:
        data = stream.read(limit + 1)
    if len(data) > limit:
        raise ArtifactError(f"{member.filename} has more than {limit:,} bytes")
    return data
