from __future__ import annotations

import pytest

from accelerator_portal.site.set_aside import put_back, set_aside
from accelerator_portal.site.vendor_text import render_vendor_text

PAGE = """# Title

<!--set aside-->
<table>
<tr><td>one</td></tr>
</table>
<!--until here-->

Words.

<details><summary>More</summary>
<!--set aside-->
<p>two</p>
<!--until here-->
</details>
"""


def test_ready_parts_are_taken_out() -> None:
    page, parts = set_aside(PAGE)
    assert parts == ["<table>\n<tr><td>one</td></tr>\n</table>\n", "<p>two</p>\n"]
    assert "one" not in page
    assert "two" not in page
    assert "Words." in page


def test_they_return_to_their_places() -> None:
    page, parts = set_aside(PAGE)
    whole = PAGE.replace("<!--set aside-->\n", "").replace("<!--until here-->\n", "")
    assert put_back(page, parts) == whole


def test_a_page_without_any_stays_as_it_is() -> None:
    assert set_aside("# Title\n") == ("# Title\n", [])
    assert put_back("<h1>Title</h1>", []) == "<h1>Title</h1>"


def test_a_part_whose_place_is_gone_is_not_lost_in_silence() -> None:
    page, parts = set_aside(PAGE)
    with pytest.raises(LookupError, match="ready part 2 lost its place"):
        put_back(page.replace('<div data-set-aside="2"></div>', ""), parts)


@pytest.mark.parametrize(
    "text", ["<!--set aside-->", "`<!--set aside-->`", '<div data-set-aside="1"></div>']
)
def test_vendors_cannot_write_a_mark(text: str) -> None:
    html = render_vendor_text(f"{text}\n\n    {text}\n", "x", lambda _: None)
    assert set_aside(html) == (html, [])
    assert "<div data-set-aside" not in html
