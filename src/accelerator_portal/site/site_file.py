"""Writes the files of the site, each a `SiteFile`, and splits the data of many tests into files.

Such a file has about 30 kB, so that a browser loads only one. A record is the data of one test.
Whether a new file begins at a record depends only on this record and on the size of the file
before. A new or removed record therefore changes one file, rarely a few. The other files keep their
names.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel

API = "api/v1"
PLATFORMS = "compute-platforms"


@dataclass(frozen=True, slots=True)
class SiteFile:
    """A file of the site.

    `path` is relative to the site's sources: `compute-platforms/cuda.md` or `api/v1/x.json`. `edit`
    is the repository file that readers edit to change the page, or None. `platform` is the
    platform's name if the file is the page of a platform. `language` is the code of the page's
    language, or None for English.
    """

    path: str
    content: str
    edit: str | None = None
    platform: str | None = None
    language: str | None = None


def to_root(path: str) -> str:
    """Return the relative address that leads from the page at `path` to the site's root.

    For `a/b.md`, the result is `../../`, because each page is served as a folder: `a/b.md` as
    `/a/b/`, `a/index.md` as `/a/`, and `index.md` as `/`.
    """
    parts = path.removesuffix(".md").split("/")
    depth = len(parts) - (parts[-1] == "index")
    return "../" * depth or "./"


def data_file(path: str, data: BaseModel | dict[str, Any]) -> SiteFile:
    """Return a JSON file of the site. `path` is relative to `/api/v1/`.

    Fields of a pydantic model that are None are omitted.
    """
    if isinstance(data, BaseModel):
        data = data.model_dump(mode="json", by_alias=True, exclude_none=True)
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return SiteFile(f"{API}/{path}", text + "\n")


def write_files(files: Iterable[SiteFile], folder: Path) -> Iterator[tuple[SiteFile, Path]]:
    """Write each file to `folder` as soon as it is generated.

    Yields each file with the path to which it was written. The `content` of the yielded files is
    empty.
    """
    for file in files:
        target = folder / file.path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(file.content, encoding="utf-8", newline="")
        yield replace(file, content=""), target


ShardRecord = TypeVar("ShardRecord")

# Limits on the bytes of a file before compression. Between LEAST and MOST, a file ends before a
# record that the hash of its key selects, with a probability in proportion to the record's size.
LEAST_FILE_BYTES = 20_000
MOST_FILE_BYTES = 50_000
_BYTES_PER_SPLIT = 12_000

_NAME_LENGTH = 12
_CRC_RANGE = 2**32


def shards(
    records: Mapping[str, ShardRecord], sizes: Iterable[int]
) -> Iterator[tuple[str, dict[str, ShardRecord]]]:
    """Split records into files, and yield the name of each file with its records by key.

    `records` maps keys to records, in the order in which they are split. `sizes` has the size of
    each record in bytes, in the same order.
    """
    shard: dict[str, ShardRecord] = {}
    total = 0
    for (key, record), size in zip(records.items(), sizes, strict=True):
        if shard and _ends_before(key, size, total):
            yield _file_name(shard), shard
            shard, total = {}, 0
        shard[key] = record
        total += size
    if shard:
        yield _file_name(shard), shard


def _file_name(shard: Mapping[str, object]) -> str:
    """Return the name of a file, which depends only on the key of its first record."""
    first_key = next(iter(shard))
    return f"{hashlib.sha256(first_key.encode()).hexdigest()[:_NAME_LENGTH]}.json"


def _ends_before(key: str, size: int, total: int) -> bool:
    """Return whether a file of `total` bytes ends before the record with this key and size."""
    if total + size > MOST_FILE_BYTES:
        return True
    is_selected = zlib.crc32(key.encode()) / _CRC_RANGE < size / _BYTES_PER_SPLIT
    return total >= LEAST_FILE_BYTES and is_selected
