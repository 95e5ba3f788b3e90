"""Differences of which every text may be anything."""

from __future__ import annotations

from typing import get_args

from hypothesis import strategies as st

from accelerator_portal.site.difference import Difference, DifferenceSection, Item, PartDifference

HOSTILE = [
    "@pytorch/maintainers",
    "fixes #1",
    "GH-12 owner/repo#3",
    "<!-- --><script>alert(1)</script>",
    "<img src=https://evil.example/x.png>",
    "![](https://evil.example/x.png)",
    "[here](https://evil.example)",
    "[x]: https://evil.example",
    "https://evil.example www.evil.example",
    "`",
    "``` ```",
    "```\n@everybody",
    "````diff\n~~~",
    "\n\n# title\n\n- list\n\n> quote\n\n***",
    "\\`@a\\`",
    "$`x`$ $$y$$",
    "&lt;b&gt; &#64;me",
    "\u202eab\u200b\u2028@c\r\n\x1b[31m\x00",
    ":tada: --- === | a | b |",
    "",
    " ",
]

texts = st.sampled_from(HOSTILE) | st.lists(st.sampled_from(HOSTILE)).map("".join) | st.text()
ways = st.sampled_from(["added", "gone", "changed"])
numbers = st.integers(0, 10**6)

items = st.builds(
    Item,
    section=st.sampled_from(get_args(DifferenceSection)[:-1]),
    change=ways,
    name=texts,
    before=texts | st.none(),
    after=texts | st.none(),
    is_new_failure=st.booleans(),
)
page_items = st.builds(Item, section=st.just("pages"), change=ways, name=texts)
parts = st.builds(
    PartDifference,
    id=texts,
    name=texts,
    change=ways,
    items=st.lists(items, max_size=6).map(tuple),
    left_out=numbers,
)
pages = st.builds(
    PartDifference,
    id=st.just(""),
    name=texts,
    change=ways,
    items=st.lists(page_items, max_size=3).map(tuple),
    left_out=numbers,
)
differences = st.builds(
    Difference,
    not_compared=st.none() | texts,
    parts=st.lists(parts, max_size=2).map(tuple),
    pages=st.none() | pages,
)
