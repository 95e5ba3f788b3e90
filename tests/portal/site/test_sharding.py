"""Files of records: all there, none large, and the others stay when one record is added."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from accelerator_portal.site.site_file import LEAST_FILE_BYTES, MOST_FILE_BYTES, shards

KEYS = st.sets(st.text(min_size=1, max_size=20), max_size=60)


@given(KEYS, st.integers(1, 70_000))
def test_files_hold_every_record_once_in_its_order(keys: set[str], size: int) -> None:
    records = {key: len(key) for key in sorted(keys)}
    files = [file for _, file in shards(records, [size] * len(records))]
    assert [item for file in files for item in file.items()] == list(records.items())
    assert all(files)
    assert all(len(file) == 1 or len(file) * size <= MOST_FILE_BYTES for file in files)


def test_a_file_is_neither_small_nor_large() -> None:
    records = {f"suite/test_{n:05}": n for n in range(20_000)}
    sizes = [len(file) * 100 for _, file in shards(records, [100] * len(records))]
    assert min(sizes[:-1]) >= LEAST_FILE_BYTES
    assert max(sizes) <= MOST_FILE_BYTES
    assert 25_000 < sum(sizes) / len(sizes) < 40_000


def test_a_record_more_changes_the_files_around_it_only() -> None:
    records = {f"suite/test_{n:05}": n for n in range(20_000)}
    more = dict(sorted({**records, "suite/test_09999b": -1}.items()))
    before = [(name, *file) for name, file in shards(records, [100] * len(records))]
    after = [(name, *file) for name, file in shards(more, [100] * len(more))]
    assert len(set(before) - set(after)) <= 3
    assert len(before) > 50
