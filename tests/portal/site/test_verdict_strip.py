"""The strip has one box for each verdict, and says in words what it shows."""

from __future__ import annotations

import pytest

from accelerator_portal.site.results.suite_tests import recent_words
from accelerator_reports.outcomes import Outcome
from tests.built_site import Site, attribute
from tests.portal.results.made_up import course, history_of, made_up, state_of

P: Outcome = "passed"
F: Outcome = "failed"


@pytest.mark.parametrize(
    ("outcomes", "words"),
    [
        ([P, "skipped"], None),
        ([P, P, F], "2 of the last 3 passed"),
        ([P, "skipped", F], "1 of the last 2 passed"),
        ([P, F, P, F], "2 of the last 4 passed; flaky"),
        ([*[P] * 40, F], "29 of the last 30 passed"),
    ],
)
def test_two_verdicts_or_more_are_said(outcomes: list[Outcome], words: str | None) -> None:
    assert recent_words(state_of(course(*outcomes))) == words


def test_a_turn_on_the_same_code_is_said() -> None:
    same = {"environment": {"torch": "2.0"}}
    history = history_of(made_up(0, {"model": P}, **same), made_up(1, {"model": F}, **same))
    words = "1 of the last 2 passed; flaky: passed and failed on the same code"
    assert recent_words(state_of(history)) == words


def test_every_verdict_has_a_box(site: Site) -> None:
    strips = [strip for page in site.pages.values() for strip in page.tree.css(".strip")]
    assert strips
    for strip in strips:
        assert strip.parent
        passed, _, _, _, verdicts, *_ = strip.parent.text().split()
        colors = [attribute(box, "class") for box in strip.css("i")]
        assert len(colors) == int(verdicts)
        assert colors.count("outcome--pass") == int(passed)
        assert {*colors} <= {"outcome--pass", "outcome--fail"}
