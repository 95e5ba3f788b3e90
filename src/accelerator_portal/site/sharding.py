"""Cutting sorted records into files of some 30 kB, so that a reader loads one and not all.

Where a file begins follows from the record that it begins with, not from how many come before: a
record more or less changes one file, and the names of the others stay what they are.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterable, Iterator, Mapping
from typing import TypeVar

ShardRecord = TypeVar("ShardRecord")

# Bytes of a file before compression. A file ends where a record is drawn by its own name, with a
# chance that is in proportion to its size, but never before LEAST, and never after MOST.
LEAST = 20_000
MOST = 50_000
_CHANCE = 12_000

_NAME = 12
_EVERY_CRC = 2**32


def shards(
    records: Mapping[str, ShardRecord], sizes: Iterable[int]
) -> Iterator[dict[str, ShardRecord]]:
    """Yield the records in files; they are sorted by key already, and `sizes` are their bytes."""
    shard: dict[str, ShardRecord] = {}
    total = 0
    for (key, record), size in zip(records.items(), sizes, strict=True):
        if shard and _ends(key, size, total):
            yield shard
            shard, total = {}, 0
        shard[key] = record
        total += size
    if shard:
        yield shard


def shard_name(first: str) -> str:
    """Return the name of the file that begins with this key: `0123456789ab.json`."""
    return f"{hashlib.sha256(first.encode()).hexdigest()[:_NAME]}.json"


def _ends(key: str, size: int, total: int) -> bool:
    """Whether a file of `total` bytes ends before the record with this key."""
    if total + size > MOST:
        return True
    drawn = zlib.crc32(key.encode()) / _EVERY_CRC < size / _CHANCE
    return total >= LEAST and drawn
