"""Caches HTTP responses on disk, so that unchanged ones are not downloaded again.

A body is stored with its ETag. Callers can also store a body under another key that identifies its
content, such as a file's hash. The cache may be deleted at any time. A damaged body, whose hash has
changed, is ignored.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from accelerator_portal.http.client import HttpClient
from accelerator_reports.files.atomic_write import write_bytes_atomically


@dataclass(frozen=True, slots=True)
class CachedBody:
    """A response body, with its ETag and content type."""

    body: bytes
    etag: str = ""
    content_type: str = ""


class HttpCache:
    """A cache of response bodies by key, with a file in `folder` for each body.

    A key is a text, such as the address of the response. If `folder` is None, nothing is stored.
    """

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder

    def read(self, key: str) -> CachedBody | None:
        """Return the body for a key; None if there is none, or if its file is damaged."""
        if self._folder is None:
            return None
        try:
            head, _, body = _cache_path(self._folder, key).read_bytes().partition(b"\n")
            record = json.loads(head)
            if record["key"] != key or record["sha256"] != hashlib.sha256(body).hexdigest():
                return None
            return CachedBody(body, str(record["etag"]), str(record["kind"]))
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def write(self, key: str, cached: CachedBody) -> None:
        """Store a body for a key. OSError is ignored, because the cache only saves time."""
        if self._folder is None:
            return
        record = {
            "key": key,
            "etag": cached.etag,
            "kind": cached.content_type,
            "sha256": hashlib.sha256(cached.body).hexdigest(),
        }
        with suppress(OSError):
            data = json.dumps(record).encode() + b"\n" + cached.body
            write_bytes_atomically(_cache_path(self._folder, key), data)


async def get_cached(
    client: HttpClient, cache: HttpCache, url: str, headers: Mapping[str, str], max_bytes: int
) -> CachedBody:
    """Return the body at `url`, from the cache if the body has not changed on the server.

    To find out, the request contains the ETag of the cached body. Raises FetchError in the same
    cases as `HttpClient.get`.
    """
    key = f"{url} {headers.get('range', '')}"
    cached_body = cache.read(key)
    if cached_body and cached_body.etag:
        headers = {**headers, "if-none-match": cached_body.etag}
    response = await client.get(url, headers, max_bytes=max_bytes)
    if response.status == 304 and cached_body:  # noqa: PLR2004 - not modified
        return cached_body
    etag = response.headers.get("etag", "")
    new_body = CachedBody(response.body, etag, response.headers.get("content-type", ""))
    if etag:
        cache.write(key, new_body)
    return new_body


def _cache_path(folder: Path, key: str) -> Path:
    digest = hashlib.sha256(key.encode()).hexdigest()
    return folder / digest[:2] / digest[2:]
