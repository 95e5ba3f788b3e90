from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from accelerator_automation.archive_store import (
    Archive,
    ArchiveError,
    gzip_compress,
    gzip_decompress,
    open_archive,
)


@pytest.fixture(params=["folder", "memory"])
def archive(request: pytest.FixtureRequest, tmp_path: Path) -> Archive:
    place = tmp_path / "kept" if request.param == "folder" else f"memory://{tmp_path.name}"
    return open_archive(str(place))


def test_what_is_written_is_read(archive: Archive) -> None:
    assert archive.read("a/b.json") is None
    assert archive.names("a") == []
    archive.write("a/b.json", b"1")
    archive.write("a/a.json", b"2")
    archive.write("a/b.json", b"3")
    assert archive.read("a/b.json") == b"3"
    assert archive.names("a") == ["a.json", "b.json"]
    archive.remove("a/b.json")
    archive.remove("a/b.json")
    assert archive.names("a") == ["a.json"]


def test_what_an_interruption_left_is_no_object(tmp_path: Path) -> None:
    archive = open_archive(str(tmp_path))
    archive.write("a/b.json", b"1")
    (tmp_path / "a/a.json.new").write_bytes(b"half")
    assert (archive.names("a"), archive.read("a/b.json")) == (["b.json"], b"1")
    archive.drop_oldest("a", 1)
    assert [file.name for file in (tmp_path / "a").iterdir()] == ["b.json"]


@pytest.mark.parametrize(
    ("url", "why"),
    [("nonsense://x", "Protocol not known: nonsense"), ("s3://bucket/portal", "s3fs")],
)
def test_a_place_that_nothing_can_write_to_is_named(url: str, why: str) -> None:
    with pytest.raises(ArchiveError) as found:
        open_archive(url)
    assert str(found.value).startswith(f'"{url}" is not a valid archive location: ')
    assert why in str(found.value)


def test_a_place_that_is_no_folder_is_named(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    with pytest.raises(ArchiveError) as found:
        open_archive(str(file)).write("a/b", b"")
    assert str(found.value).startswith(f"the archive {file} cannot be used (a/b: ")


def test_packing_the_same_gives_the_same() -> None:
    assert gzip_compress(b"text") == gzip_compress(b"text")
    assert gzip_decompress(gzip_compress(b"text"), 4) == b"text"


def test_what_grows_too_large_or_is_damaged_is_refused() -> None:
    with pytest.raises(ArchiveError, match="more than 1,000 bytes"):
        gzip_decompress(gzip.compress(bytes(1_000_000)), 1000)
    for data in (b"no gzip", gzip_compress(b"text" * 99)[:-9]):
        with pytest.raises(ArchiveError, match="is damaged"):
            gzip_decompress(data, 1000)
