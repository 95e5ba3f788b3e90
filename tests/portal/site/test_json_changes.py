from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accelerator_portal.site.difference import MOST_CHARACTERS, changes

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(max_size=9), inner),
    max_leaves=9,
)


def said(before: Any, after: Any) -> list[tuple[str, str, str | None, str | None]]:  # noqa: ANN401
    return [(i.change, i.name, i.before, i.after) for i in changes("facts", before, after)]


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ({"a": 1}, {"a": 1, "b": True}, [("added", "b", None, "yes")]),
        ({"a": {"b": "x"}}, {"a": {"b": "y"}}, [("changed", "a: b", "x", "y")]),
        ({"a": ["x"]}, {"a": ["x", "y"]}, [("changed", "a", "x", "x, y")]),
        ({"a": 1}, {"a": "1 or 2"}, [("changed", "a", "1", "1 or 2")]),
        ({"a": []}, {}, []),
        ({"a": False}, {}, [("gone", "a", "no", None)]),
    ],
)
def test_values(before: Any, after: Any, expected: object) -> None:  # noqa: ANN401 - any JSON
    assert said(before, after) == expected


def test_entries_are_told_apart_by_name_and_not_by_place() -> None:
    a, b, c = ({"name": name, "note": name} for name in "abc")
    assert said([a, b], [b, c]) == [
        ("added", "c", None, "name: c; note: c"),
        ("gone", "a", "name: a; note: a", None),
    ]
    assert said([a, b], [b, a]) == [("changed", "order", None, None)]


def test_two_entries_of_one_name_stay_two() -> None:
    entries = [{"name": "a", "note": "1"}, {"name": "a", "note": "2"}]
    newer = [{"name": "a", "note": "3"}, *entries]
    assert said(entries, newer) == [("added", "a (3)", None, "name: a; note: 3")]
    assert said(entries, [entries[0], newer[0]]) == [("changed", "a: note", "2", "3")]


def test_long_texts_are_shown_where_they_part() -> None:
    before, after = ("word " * 200 + end for end in ("old", "new"))
    ((change, _, old, new),) = said({"a": before}, {"a": after})
    assert change == "changed"
    assert old
    assert new
    assert (old[:1], old[-3:], new[-3:]) == ("…", "old", "new")


@given(JSON, JSON)
def test_equal_values_alone_have_no_difference_and_all_texts_are_short(
    before: Any,  # noqa: ANN401 - any JSON
    after: Any,  # noqa: ANN401 - any JSON
) -> None:
    found = list(changes("facts", before, after))
    assert not list(changes("facts", before, before))
    for item in found:
        texts = (item.name, item.before or "", item.after or "")
        assert max(map(len, texts)) <= MOST_CHARACTERS + 1
        assert item.before is None or item.after is None or item.change == "changed"
