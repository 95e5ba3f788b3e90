"""Splits the data of many tests into JSON files of about 30 kB, so that a browser loads only one.

A record is the data of one test. Whether a new file begins at a record depends only on this record
and on the size of the file before. A new or removed record therefore changes one file, rarely a
few. The other files keep their names.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterable, Iterator, Mapping
from typing import TypeVar

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
