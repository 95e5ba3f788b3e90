"""A section of a guide in parts: nothing is lost, and only outer headings begin one."""

from __future__ import annotations

from markupsafe import Markup

from accelerator_portal.site.platform_page import fold_section
from accelerator_portal.site.vendor_text import render_vendor_text


def rendered(text: str) -> Markup:
    return Markup(render_vendor_text(text, "prepare", lambda _: None))  # noqa: S704 - sanitised


def test_each_subsection_is_a_part() -> None:
    parts = fold_section(
        rendered("First.\n\n### One\n\nText.\n\n#### Deeper\n\n### Two `x`\n\n- a\n")
    )
    assert "First." in parts.introduction
    assert [(p.anchor, str(p.title)) for p in parts.subsections] == [
        ("prepare-one", "One"),
        ("prepare-two-x", "Two <code>x</code>"),
    ]
    assert "Text." in parts.subsections[0].body
    assert "Deeper" in parts.subsections[0].body
    assert "<li>a</li>" in parts.subsections[1].body


def test_without_subsections_there_is_an_introduction_only() -> None:
    for text in ("", "Text.\n\n> ### Quoted\n\n1. ### Listed\n"):
        html = rendered(text)
        parts = fold_section(html)
        assert parts.introduction == html
        assert parts.subsections == ()


def test_a_title_has_no_links() -> None:
    html = Markup(
        '<h3 id="a">One <a href="https://a.example">link</a>'
        '<sup class="cite"><a href="#source-x">1</a></sup></h3>\n<p>Text.</p>\n'
    )
    (part,) = fold_section(html).subsections
    assert part.title == "One link"
    assert part.body == "<p>Text.</p>\n"


def test_lines_and_images_that_end_themselves_do_not_hide_a_heading() -> None:
    parts = fold_section(rendered("a  \nb\n\n---\n\n### One\n\nText.\n"))
    assert [part.anchor for part in parts.subsections] == ["prepare-one"]
