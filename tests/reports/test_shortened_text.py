from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from accelerator_reports.shortened_text import shortened_text


@given(st.text(max_size=60), st.integers(5, 40))
def test_a_shortened_text_is_never_too_long(text: str, limit: int) -> None:
    short = shortened_text(text, limit)
    assert len(short or "") <= limit
    assert short == (text.strip() or None) or len(text.strip()) > limit


def test_a_shortened_text_keeps_its_beginning_and_its_end() -> None:
    assert shortened_text(f"begin{'x' * 100}end", 13) == "begin\n…\nxxend"
