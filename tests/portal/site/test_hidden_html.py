from __future__ import annotations

import pytest

from accelerator_portal.site.page_html import FINISHED_HTML, RAW_HTML, html_ids
from accelerator_portal.site.vendor_text import render_vendor_text

PAGE = """# Title

<!--raw html-->
<table>
<tr><td>one</td></tr>
</table>
<!--end of raw html-->

Words.

<details><summary>More</summary>
<!--raw html-->
<p>two</p>
<!--end of raw html-->
</details>
"""


def test_raw_html_is_taken_out() -> None:
    page, parts = RAW_HTML.take_out(PAGE)
    assert parts == ["<table>\n<tr><td>one</td></tr>\n</table>\n", "<p>two</p>\n"]
    assert "one" not in page
    assert "two" not in page
    assert "Words." in page


def test_they_return_to_their_places() -> None:
    page, parts = RAW_HTML.take_out(PAGE)
    whole = PAGE.replace("<!--raw html-->\n", "").replace("<!--end of raw html-->\n", "")
    assert RAW_HTML.put_back(page, parts) == whole


def test_a_page_without_any_stays_as_it_is() -> None:
    assert RAW_HTML.take_out("# Title\n") == ("# Title\n", [])
    assert RAW_HTML.put_back("<h1>Title</h1>", []) == "<h1>Title</h1>"


def test_a_part_whose_place_is_gone_is_not_lost_in_silence() -> None:
    page, parts = RAW_HTML.take_out(PAGE)
    with pytest.raises(LookupError, match="raw html part 2 lost its place"):
        RAW_HTML.put_back(page.replace('<div data-raw-html="2"></div>', ""), parts)


@pytest.mark.parametrize(
    "text",
    [
        "<!--raw html-->",
        "<!--finished html-->",
        "`<!--raw html-->`",
        '<div data-raw-html="1"></div>',
    ],
)
def test_vendors_cannot_write_a_mark(text: str) -> None:
    html = render_vendor_text(f"{text}\n\n    {text}\n", "x", lambda _: None)
    assert RAW_HTML.take_out(html) == (html, [])
    assert FINISHED_HTML.take_out(html) == (html, [])
    assert "<div data-raw-html" not in html


def test_a_part_may_hold_parts_of_the_other_kind() -> None:
    page = f"## Heading\n\n<!--finished html-->\n{PAGE}\n\n<!--end of finished html-->\n"
    rest, raw = RAW_HTML.take_out(page)
    rest, finished = FINISHED_HTML.take_out(rest)
    assert rest == '## Heading\n\n<div data-finished-html="1"></div>\n'
    whole = RAW_HTML.put_back(FINISHED_HTML.put_back(rest, finished), raw)
    assert "<p>two</p>\n</details>\n" in whole
    assert "<!--" not in whole


def test_anchors_of_what_was_taken_out_are_known() -> None:
    assert html_ids('<h3 class="x" id="one">1</h3><p data-id="no" id="two">') == {"one", "two"}
