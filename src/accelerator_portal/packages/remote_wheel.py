"""The metadata of a wheel that is far away, by parts of the file: never the whole of it.

Where an index has no metadata file (PEP 658), the list at the end of the zip archive says where in
it the metadata is. `zipfile` reads the archive from a file of which only some parts are known; the
part that it misses is fetched, and it reads again. Source: HTTP ranges, RFC 9110, 14; PEP 427.
"""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from urllib.parse import quote

from accelerator_portal.http.cache import CachedBody
from accelerator_portal.http.client import HttpClient
from accelerator_portal.http.errors import InvalidResponseError
from accelerator_portal.packages.core_metadata import MAX_METADATA, dist_info_file

_TAIL = 32 * 1024
_PART = 16 * 1024
_MOST_PART = 8 * 1024**2
_MOST_PARTS = 6

_RANGE = re.compile(r"bytes (\d+)-(\d+)/(\d+)")


async def metadata_by_ranges(client: HttpClient, url: str, etag: str = "") -> CachedBody | None:
    """Return the METADATA file within the wheel at `url`, with the wheel's ETag.

    None where `etag` is given and still holds. Raises FetchError; InvalidResponseError for
    what is no wheel.
    """
    headers = {"range": f"bytes=-{_TAIL}"} | ({"if-none-match": etag} if etag else {})
    tail = await client.get(url, headers, max_bytes=_TAIL)
    if tail.status == 304:  # noqa: PLR2004 - not modified
        return None
    found = _RANGE.fullmatch(tail.headers.get("content-range", ""))
    if not found or int(found[2]) - int(found[1]) + 1 != len(tail.body):
        raise InvalidResponseError("the server does not state which part of the file it returns")
    start, size = int(found[1]), int(found[3])
    if start + len(tail.body) != size:
        raise InvalidResponseError("the server does not return the end of the file")
    wheel = _Parts(size)
    wheel.add(start, tail.body)
    for _ in range(_MOST_PARTS):
        try:
            return CachedBody(_metadata(wheel), tail.headers.get("etag", ""))
        except _MissingError as missing:
            first, last = missing.first, min(max(missing.last, missing.first + _PART), size) - 1
            if last - first >= _MOST_PART:
                raise InvalidResponseError("the list of the wheel's files is too long") from None
            asked = {"range": f"bytes={first}-{last}"}
            part = await client.get(url, asked, max_bytes=last - first + 1)
            if len(part.body) != last - first + 1:
                raise InvalidResponseError(
                    "the server returned a different part of the file than requested"
                ) from None
            wheel.add(first, part.body)
        except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError) as error:
            raise InvalidResponseError(
                f"the file is not a valid wheel ({type(error).__name__})"
            ) from None
        except (RuntimeError, ValueError, OverflowError, UnicodeError, OSError) as error:
            raise InvalidResponseError(
                f"the file is not a valid wheel ({type(error).__name__})"
            ) from None
    raise InvalidResponseError("the wheel's metadata is split into too many parts")


def metadata_address(url: str) -> str:
    """Return where the metadata of the file at `url` is by itself (PEP 658)."""
    return quote(f"{url}.metadata", safe=":/?&=%+~@!$'()*,;")


def _metadata(wheel: _Parts) -> bytes:
    wheel.seek(0)
    with zipfile.ZipFile(wheel) as archive:
        info = dist_info_file(archive, "METADATA")
        if info is None:
            raise InvalidResponseError("the wheel has no metadata")
        if info.file_size > MAX_METADATA:
            raise InvalidResponseError("the wheel's metadata is too long")
        with archive.open(info) as file:
            return file.read(MAX_METADATA)


class _MissingError(Exception):
    def __init__(self, first: int, last: int) -> None:
        super().__init__()
        self.first = first
        self.last = last


class _Parts(io.RawIOBase):
    """A file of which only some parts are known; reading another raises _MissingError."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self._size = size
        self._at = 0
        self._parts: list[tuple[int, bytes]] = []

    def add(self, start: int, data: bytes) -> None:
        self._parts.append((start, data))

    def seekable(self) -> bool:
        return True

    def readable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._size}[whence]
        if base + offset < 0:
            raise OSError("before the file")
        self._at = base + offset
        return self._at

    def read(self, size: int = -1) -> bytes:
        end = self._size if size < 0 else min(self._at + size, self._size)
        if end <= self._at:
            return b""
        for start, data in self._parts:
            if start <= self._at and end <= start + len(data):
                found = data[self._at - start : end - start]
                self._at = end
                return found
        raise _MissingError(self._at, end)
