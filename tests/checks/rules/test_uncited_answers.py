from __future__ import annotations

from tests.folders import FAQ, ProblemsAfter

ANSWER = "No, it is example data [@made-up].\n"


def test_an_answer_without_a_source_is_named(problems_after: ProblemsAfter) -> None:
    assert problems_after((FAQ, ANSWER, f"{ANSWER}\n## Why?\n\nBecause.\n")) == [
        (
            f'{FAQ}:13: the answer to "Why?" cites no source; add the source under sources, '
            "and cite it as [@its-id]"
        )
    ]


def test_an_answer_with_a_source_is_not(problems_after: ProblemsAfter) -> None:
    assert problems_after((FAQ, ANSWER, f"{ANSWER}\n## Why?\n\nBecause [@made-up].\n")) == []
