"""The tallies over time are what counting each report's tests anew gives."""

from __future__ import annotations

from collections import Counter

from hypothesis import given

from accelerator_portal.results.tables import tallies
from tests.results.made_up import HISTORIES, START, Outcomes, folded, made_up


def test_a_report_that_changes_nothing_adds_no_tally() -> None:
    _, changes = folded(
        made_up(0, {"a": "passed", "b": "failed"}),
        made_up(1, {"a": "passed", "b": "failed"}),
        made_up(2, {"a": "passed"}),
        made_up(3, {"a": "passed", "b": "passed"}),
    )
    found = [((t.started - START).days, dict(t.counts)) for t in tallies(changes)["models"]]
    assert found == [(0, {"passed": 1, "failed": 1}), (2, {"passed": 1}), (3, {"passed": 2})]


@given(HISTORIES)
def test_the_last_tally_counts_what_the_state_has(history: list[Outcomes]) -> None:
    state, changes = folded(
        made_up(0, {"a": "passed"}), *(made_up(n + 1, said) for n, said in enumerate(history))
    )
    there = Counter(found.outcome for _, found in state.tests() if found.gone is None)
    assert tallies(changes)["models"][-1].counts == there
