from __future__ import annotations

from accelerator_portal.site.vendor_text import SourceList
from accelerator_reports.files.sources import Source

FILE = "https://github.com/example/docs/blob/0123456/README.md"


def source(**more: str) -> Source:
    return Source.model_validate({"url": FILE, "title": "T", "read": "2026-01-02", **more})


def test_a_document_stands_once_unless_its_sources_open_at_other_lines() -> None:
    sources = {"a": source(), "same": source(), "table": source(lines="3-9")}
    found = SourceList([("guide.md", sources), ("faq.md", {"a": source(lines="3-9")})])
    assert [entry.source.address for entry in found.entries] == [FILE, f"{FILE}?plain=1#L3-L9"]
    assert found.entry("guide.md", "same") is found.entry("guide.md", "a")
    assert found.entry("faq.md", "a") is found.entry("guide.md", "table")


def test_the_level_of_trust_depends_on_whose_platform_it_is() -> None:
    files = [("guide.md", {"a": source()})]
    levels = [
        SourceList(files, vendor).entries[0].trust for vendor in ((), ("github.com/example",))
    ]
    assert levels == ["Third-party document", "Vendor's document"]
