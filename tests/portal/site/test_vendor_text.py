"""Whatever a vendor writes is text: it neither runs nor poses as a part of the page."""

from __future__ import annotations

import datetime as dt
from urllib.parse import urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from accelerator_portal.catalog.schema import slug
from accelerator_portal.site.text_formats import Anchors
from accelerator_portal.site.vendor_text import SourceEntry, citation, render_vendor_text
from accelerator_reports.files.sources import Source
from tests.processor_time import takes_less_than

# fmt: off
ALLOWED = {
    "p", "ul", "ol", "li", "code", "pre", "em", "strong", "a", "h3", "h4", "h5", "table", "thead",
    "tbody", "tr", "th", "td", "blockquote", "hr", "br", "sup", "div",
}
ATTRIBUTES = {
    "href", "rel", "class", "id", "start", "tabindex", "role", "aria-label", "title", "lang",
}
# fmt: on
FRAME = {"html", "head", "body"}
CLASSES = {"cite", "table-box", "data"}


def entry(source: str) -> SourceEntry | None:
    document = Source(url="https://example.org/x", title=f"<{source}>", read=dt.date(2026, 1, 2))
    return (
        SourceEntry(7, f"source-guide-{source}", document, "Third-party document")
        if source == "known"
        else None
    )


def rendered(text: str) -> LexborHTMLParser:
    return LexborHTMLParser(render_vendor_text(text, "prepare", entry))


def assert_harmless(html: LexborHTMLParser) -> None:
    for node in html.css("*"):
        assert node.tag in ALLOWED | FRAME
        for name, value in node.attributes.items():
            assert name in ATTRIBUTES
            if name == "href":  # without a scheme it stays here; checks/text_links.py refuses those
                assert urlsplit(value or "").scheme in {"", "https"}, value
            if name == "id":
                assert (value or "").startswith("prepare-"), value
            if name == "class":
                assert value in CLASSES, value


def test_raw_html_is_shown_as_it_was_written() -> None:
    body = rendered("<b>bold</b>").body
    assert body is not None
    assert body.text().strip() == "<b>bold</b>"


def test_headings_are_named_within_their_section_and_never_twice() -> None:
    html = rendered("### One two\n\n#### One two\n\n### ???\n\n### One two")
    ids = [node.attributes["id"] for node in html.css("[id]")]
    assert ids == ["prepare-one-two", "prepare-one-two-2", "prepare-section", "prepare-one-two-3"]


def test_a_citation_links_to_the_source_and_says_its_title() -> None:
    (link,) = rendered("So it is [@known].").css("sup.cite a")
    assert link.attributes["href"] == "#source-guide-known"
    assert link.attributes["aria-label"] == "Source 7"
    assert link.text() == "7"


def test_a_citation_of_nothing_leaves_nothing() -> None:
    body = rendered("So it is [@unknown].").body
    assert body is not None
    assert body.text().replace(" ", "").strip() == "Soitis."


def test_citations_in_code_are_code() -> None:
    html = rendered("`[@known]`\n\n    [@known]\n")
    assert not html.css("sup")
    assert [code.text().strip() for code in html.css("code")] == ["[@known]"] * 2


def test_boxes_that_scroll_can_be_reached_from_the_keyboard() -> None:
    html = rendered("| a |\n| - |\n| b |\n\n```\nx\n```\n")
    (box,) = html.css(".table-box")
    assert (box.attributes["tabindex"], box.attributes["role"]) == ("0", "region")
    assert html.css("pre")[0].attributes["tabindex"] == "0"


def test_a_citation_escapes_its_title() -> None:
    known = entry("known")
    assert known is not None
    assert "<known>" not in citation(known)


@given(st.text())
def test_a_slug_is_fit_for_an_address(text: str) -> None:
    made = slug(text)
    assert made
    assert made == slug(made)
    assert set(made) <= set("abcdefghijklmnopqrstuvwxyz0123456789-")


def test_a_heading_that_stands_there_ten_thousand_times_is_numbered_in_no_time() -> None:
    anchors = Anchors()
    assert [anchors.take("a") for _ in range(3)] == ["a", "a-2", "a-3"]
    assert [anchors.take("a-2") for _ in range(2)] == ["a-2-2", "a-2-3"]
    with takes_less_than(5):
        assert len({anchors.take("a") for _ in range(10_000)}) == 10_000


@given(st.lists(st.sampled_from(["a", "a-2", "a-3", "a-2-2", "b"])))
def test_no_id_is_given_twice(wanted: list[str]) -> None:
    anchors = Anchors()
    given_out = [anchors.take(anchor) for anchor in wanted]
    assert len({*given_out}) == len(wanted)


@pytest.mark.parametrize(
    "address",
    [
        "//evil.example/",
        "/elsewhere",
        "#install",
        "?platform=x",
        "https://pytorch.org@evil.example/",
        "https://pytorch.org%2eevil.example",
    ],
)
def test_a_link_that_hides_where_it_leads_is_none(address: str) -> None:
    """In a second definition of one name; the rules see the first only, which counts."""
    assert not rendered(f"[x][y]\n\n[y]: {address}").css("[href]")


def test_tables_are_counted_so_that_a_reader_hears_which_one_it_is() -> None:
    table = "| a |\n|---|\n| b |\n"
    text = render_vendor_text(f"{table}\nwords\n\n{table}", "guide-", lambda _: None)
    boxes = LexborHTMLParser(text).css(".table-box")
    assert [box.attributes["aria-label"] for box in boxes] == ["guide: table 1", "guide: table 2"]
