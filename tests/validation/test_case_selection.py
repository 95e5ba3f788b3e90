from __future__ import annotations

from contextlib import suppress

import pytest
from _pytest.mark.expression import Expression  # no public way in; the lock holds its version
from hypothesis import given
from hypothesis import strategies as st

from accelerator_validation.case import ExpressionError, parse_expression

KEYS = (
    "operators/add?dtype=float32",
    "operators/addmm?dtype=float16",
    "operators/mul.Tensor?dtype=float32",
)


@pytest.mark.parametrize(
    ("text", "matched"),
    [
        ("add", KEYS[:2]),
        ("ADD and not addmm", KEYS[:1]),
        ("(add or mul) and not mm", (KEYS[0], KEYS[2])),
        ("not add", KEYS[2:]),
        ("add or mul and not mul", KEYS[:2]),
        ("dtype=float32 and not(mul)", KEYS[:1]),  # pytest's own -k has no "="
    ],
)
def test_words_choose_cases(text: str, matched: tuple[str, ...]) -> None:
    assert tuple(filter(parse_expression(text), KEYS)) == matched


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "missing word"),
        ("and", "missing word"),
        ("add or", "missing word"),
        ("not", "missing word"),
        ("(add", 'missing ")"'),
        ("add)", '")" is not valid at this position'),
        ("add mul", '"mul" is not valid at this position'),
    ],
)
def test_words_that_make_no_sense_are_refused(text: str, message: str) -> None:
    with pytest.raises(ExpressionError) as caught:
        parse_expression(text)
    assert str(caught.value) == message


WORDS = st.sampled_from(["add", "MM", "mul.Tensor", "operators/a", "float32", "and", "or", "not"])


@given(st.lists(WORDS | st.sampled_from("()"), min_size=1, max_size=9).map(" ".join))
def test_words_mean_what_they_mean_to_pytest(text: str) -> None:
    found = expected = None
    with suppress(ExpressionError):
        found = tuple(filter(parse_expression(text), KEYS))
    with suppress(SyntaxError):
        compiled = Expression.compile(text)
        expected = tuple(key for key in KEYS if compiled.evaluate(_Words(key)))
    assert found == expected


class _Words:
    """What of a test's id a word matches, as pytest asks it."""

    def __init__(self, key: str) -> None:
        self._key = key.lower()

    def __call__(self, word: str, /, **_: object) -> bool:
        return word.lower() in self._key
