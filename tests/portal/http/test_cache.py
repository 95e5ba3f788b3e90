"""What is kept is asked for again only where it may have changed, and never believed blindly."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from accelerator_portal.http import CachedBody, HttpCache, get_cached, open_client
from tests.portal.packages.loopback import Index, served

KEPT = CachedBody(b"body\nwith lines", '"etag"', "text/html")


@pytest.fixture
def index() -> Iterator[Index]:
    found = Index()
    found.add("x", "1.0")
    with served(found):
        yield found


def fetched(index: Index, cache: HttpCache) -> tuple[CachedBody, int]:
    """Return a page, and how many bytes came over the network for it."""

    async def work() -> tuple[CachedBody, int]:
        async with open_client("tests") as client:
            found = await get_cached(client, cache, f"{index.url}x/", {}, 10_000)
            return found, client.traffic.bytes

    return asyncio.run(work())


def test_what_is_written_is_read_by_its_own_key(tmp_path: Path) -> None:
    cache = HttpCache(tmp_path / "cache")
    assert cache.read("key") is None
    cache.write("key", KEPT)
    assert (cache.read("key"), cache.read("other")) == (KEPT, None)
    cache.write("key", CachedBody(b""))
    assert HttpCache(tmp_path / "cache").read("key") == CachedBody(b"")


@pytest.mark.parametrize("damage", [b"", b"{}\nbody", b"[]\nbody", b"\xff\nbody", b"no line"])
def test_what_is_damaged_is_not_believed(tmp_path: Path, damage: bytes) -> None:
    cache = HttpCache(tmp_path)
    cache.write("key", KEPT)
    (file,) = (path for path in tmp_path.rglob("*") if path.is_file())
    whole = file.read_bytes()
    for data in (damage, whole[:-1], whole.replace(b'"key"', b'"yek"', 1)):
        file.write_bytes(data)
        assert cache.read("key") is None


def test_a_cache_that_cannot_be_written_is_only_slower(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    cache = HttpCache(tmp_path / "file")
    cache.write("key", KEPT)
    assert cache.read("key") is None


def test_a_page_comes_again_only_when_it_changed(index: Index, tmp_path: Path) -> None:
    cache = HttpCache(tmp_path)
    first, size = fetched(index, cache)
    assert size == len(first.body)
    assert fetched(index, cache) == (first, 0)
    index.add("x", "2.0")
    second, size = fetched(index, cache)
    assert size == len(second.body) > len(first.body)


@pytest.mark.parametrize("etags", [True, False])
def test_nothing_is_kept_without_an_etag_or_a_folder(
    index: Index, tmp_path: Path, *, etags: bool
) -> None:
    index.etags = etags
    cache = HttpCache(None if etags else tmp_path)
    assert fetched(index, cache) == fetched(index, cache)
    assert list(tmp_path.rglob("*")) == []
