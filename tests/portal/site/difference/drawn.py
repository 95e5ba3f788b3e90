"""Differences of which every text may be anything."""

from __future__ import annotations

from typing import get_args

from hypothesis import strategies as st

from accelerator_portal.site.difference import Difference
from accelerator_portal.site.difference.shapes import (
    CommandChange,
    Item,
    Move,
    PagesDifference,
    PlatformDifference,
)
from accelerator_reports.outcomes import Outcome

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
lists = st.lists(texts, max_size=3).map(tuple)
ways = st.sampled_from(["added", "gone", "changed"])
outcomes = st.sampled_from(get_args(Outcome))
numbers = st.integers(0, 10**6)

items = st.builds(Item, change=ways, name=texts, before=texts | st.none(), after=texts | st.none())
commands = st.builds(
    CommandChange,
    change=ways,
    commands=numbers,
    choices=numbers,
    where=lists,
    where_left_out=numbers,
    before=lists,
    after=lists,
    beside=st.lists(items, max_size=2).map(tuple),
)
moves = st.builds(
    Move,
    basis=st.sampled_from(["runs", "baselines"]),
    suite=texts,
    name=texts,
    before=outcomes,
    after=outcomes,
    settings=numbers,
)
_items = st.lists(items, max_size=2).map(tuple)
platforms = st.builds(
    PlatformDifference,
    id=texts,
    name=texts,
    change=ways,
    commands=st.lists(commands, max_size=2).map(tuple),
    versions=_items,
    facts=_items,
    texts=_items,
    reports=_items,
    moves=st.lists(moves, max_size=2).map(tuple),
    evidence=_items,
    left_out=st.dictionaries(st.sampled_from(["commands", "facts", "@x"]), numbers),
)
pages = st.builds(PagesDifference, added=lists, gone=lists, changed=lists)
differences = st.builds(
    Difference,
    shared=_items,
    platforms=st.lists(platforms, max_size=2).map(tuple),
    pages=st.none() | pages,
)
