from __future__ import annotations

import pytest

from accelerator_portal.site.raw_html import put_back_raw_html, take_out_raw_html
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
    page, parts = take_out_raw_html(PAGE)
    assert parts == ["<table>\n<tr><td>one</td></tr>\n</table>\n", "<p>two</p>\n"]
    assert "one" not in page
    assert "two" not in page
    assert "Words." in page


def test_they_return_to_their_places() -> None:
    page, parts = take_out_raw_html(PAGE)
    whole = PAGE.replace("<!--raw html-->\n", "").replace("<!--end of raw html-->\n", "")
    assert put_back_raw_html(page, parts) == whole


def test_a_page_without_any_stays_as_it_is() -> None:
    assert take_out_raw_html("# Title\n") == ("# Title\n", [])
    assert put_back_raw_html("<h1>Title</h1>", []) == "<h1>Title</h1>"


def test_a_part_whose_place_is_gone_is_not_lost_in_silence() -> None:
    page, parts = take_out_raw_html(PAGE)
    with pytest.raises(LookupError, match="raw HTML part 2 lost its place"):
        put_back_raw_html(page.replace('<div data-raw-html="2"></div>', ""), parts)


@pytest.mark.parametrize(
    "text", ["<!--raw html-->", "`<!--raw html-->`", '<div data-raw-html="1"></div>']
)
def test_vendors_cannot_write_a_mark(text: str) -> None:
    html = render_vendor_text(f"{text}\n\n    {text}\n", "x", lambda _: None)
    assert take_out_raw_html(html) == (html, [])
    assert "<div data-raw-html" not in html
