"""What was fetched, kept below `.cache/` so that only what changed is asked again.

A page is kept with its ETag, metadata by the hash of the file that it belongs to. The cache may be
deleted at any time; nothing in it is believed that does not have the hash it was kept with.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

from accelerator_portal.packages.fetching import Answer, Fetcher

FOLDER = ".cache/packages"


@dataclass(frozen=True, slots=True)
class Kept:
    """A body, and what its server said of it."""

    body: bytes
    etag: str = ""
    kind: str = ""
    """Its content type."""


class Cache:
    """Bodies by address and by content; without a folder nothing is kept."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder

    def read(self, key: str) -> Kept | None:
        """Return what is kept under a key; None where nothing is, or it is damaged."""
        if self._folder is None:
            return None
        place = self._place(key)
        try:
            head, _, body = place.read_bytes().partition(b"\n")
            said = json.loads(head)
            if said["key"] != key or said["sha256"] != hashlib.sha256(body).hexdigest():
                return None
            return Kept(body, str(said["etag"]), str(said["kind"]))
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def write(self, key: str, kept: Kept) -> None:
        """Keep a body; a cache that cannot be written is only slower."""
        if self._folder is None:
            return
        said = {
            "key": key,
            "etag": kept.etag,
            "kind": kept.kind,
            "sha256": hashlib.sha256(kept.body).hexdigest(),
        }
        place = self._place(key)
        beside = place.with_name(f"{place.name}.new")
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            beside.write_bytes(json.dumps(said).encode() + b"\n" + kept.body)
            beside.replace(place)
        except OSError:
            return

    def _place(self, key: str) -> Path:
        digest = hashlib.sha256(key.encode()).hexdigest()
        return (self._folder or Path()) / digest[:2] / digest[2:]


async def get_cached(
    fetcher: Fetcher, cache: Cache, url: str, headers: dict[str, str], most: int
) -> Kept:
    """Return a body, asking only whether it changed where its ETag is known.

    Raises FetchError.
    """
    key = f"{url} {headers.get('range', '')}"
    known = cache.read(key)
    asked = {**headers, "if-none-match": known.etag} if known and known.etag else headers
    answer: Answer = await fetcher.get(url, asked, most)
    if answer.status == 304 and known:  # noqa: PLR2004 - not modified
        return known
    kept = Kept(answer.body, answer.headers.get("etag", ""), answer.headers.get("content-type", ""))
    if kept.etag:
        cache.write(key, kept)
    return kept
