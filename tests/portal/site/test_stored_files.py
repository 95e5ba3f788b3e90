from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from accelerator_portal.site.site_file import SiteFile, write_files


def test_content_stands_at_its_place_as_it_was(tmp_path: Path) -> None:
    file = SiteFile("a/b.md", "é\r\nx\n", "accelerators/b/guide.md", "B")
    ((stored, place),) = write_files([file], tmp_path)
    assert stored == SiteFile("a/b.md", "", "accelerators/b/guide.md", "B")
    assert place == tmp_path / "a/b.md"
    assert place.read_bytes() == "é\r\nx\n".encode()


def test_each_file_is_written_before_the_next_one_is_made(tmp_path: Path) -> None:
    def made() -> Iterator[SiteFile]:
        yield SiteFile("one.md", "1")
        assert (tmp_path / "one.md").read_text() == "1"
        yield SiteFile("two.md", "2")

    assert [file.path for file, _ in write_files(made(), tmp_path)] == ["one.md", "two.md"]
