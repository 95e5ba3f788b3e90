"""The strip has one box for each verdict, and says in words what it shows."""

from __future__ import annotations

import pytest

from accelerator_portal.reports.outcomes import Outcome
from accelerator_portal.site.results.suite_tests import verdict_strip
from tests.results.made_up import course, folded, made_up, standing

P: Outcome = "passed"
F: Outcome = "failed"


@pytest.mark.parametrize(
    ("outcomes", "words"),
    [
        ([P, P, F], "2 of the last 3 passed"),
        ([P, "skipped", F], "1 of the last 2 passed"),
        ([P, F, P, F], "2 of the last 4 passed; flaky"),
        ([*[P] * 40, F], "29 of the last 30 passed"),
    ],
)
def test_every_verdict_has_a_box(outcomes: list[Outcome], words: str) -> None:
    strip = verdict_strip(standing(course(*outcomes)))
    assert strip is not None
    assert strip.words == words
    assert strip.picture.count("outcome--pass") == int(words.split(maxsplit=1)[0])
    assert strip.picture.count("<rect") == int(words.split()[4])


def test_one_verdict_is_no_course() -> None:
    assert verdict_strip(standing(course(P, "skipped"))) is None


def test_a_turn_on_the_same_code_is_said() -> None:
    same = {"environment": {"torch": "2.0"}}
    state, _ = folded(made_up(0, {"model": P}, **same), made_up(1, {"model": F}, **same))
    strip = verdict_strip(standing(state))
    assert strip is not None
    assert strip.words == "1 of the last 2 passed; flaky: passed and failed on the same code"
