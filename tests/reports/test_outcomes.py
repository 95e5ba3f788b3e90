"""One table has everything about outcomes, and nothing that is known of them is missing in it."""

from __future__ import annotations

import re
from typing import get_args

import pytest

from accelerator_reports.outcomes import (
    BAD,
    OUTCOMES,
    WORST_FIRST,
    Outcome,
    OutcomeGroup,
    OutcomeInfo,
    outcomes_in,
)
from accelerator_reports.report import Report


def test_the_table_has_every_outcome_in_the_order_of_the_vocabulary() -> None:
    assert tuple(OUTCOMES) == get_args(Outcome)


def test_the_schema_has_every_outcome() -> None:
    entry = Report.model_json_schema()["$defs"]["TestEntry"]
    assert entry["properties"]["outcome"]["enum"] == [*OUTCOMES]


def test_every_group_has_outcomes_and_every_outcome_one_group() -> None:
    groups = get_args(OutcomeGroup)
    members = [outcome for group in groups for outcome in outcomes_in(group)]
    assert sorted(members) == sorted(OUTCOMES)
    assert all(outcomes_in(group) for group in groups)


@pytest.mark.parametrize("info", OUTCOMES.values(), ids=OUTCOMES)
def test_an_outcome_is_explained_in_a_sentence_and_has_a_sign(info: OutcomeInfo) -> None:
    assert re.fullmatch(r"[A-Z].+\.", info.meaning)
    assert len(info.sign) == 1


@pytest.mark.parametrize("field", ["meaning", "sign", "merge_rank", "page_rank"])
def test_no_two_outcomes_share_what_tells_them_apart(field: str) -> None:
    values = [getattr(info, field) for info in OUTCOMES.values()]
    assert len(set(values)) == len(values)


def test_the_two_orders_differ_where_nothing_was_found_out() -> None:
    """Of two results a skip must not hide a pass; in a sorted table it calls for somebody first."""
    kept_first = sorted(OUTCOMES, key=lambda outcome: OUTCOMES[outcome].merge_rank)
    assert kept_first[-4:] == ["executed", "passed", "skipped", "not-run"]
    assert WORST_FIRST[-4:] == ("not-run", "skipped", "executed", "passed")
    assert kept_first[0] == WORST_FIRST[0] == "crashed"


def test_nothing_bad_is_hidden_in_either_order() -> None:
    worst_good = min(OUTCOMES[outcome].merge_rank for outcome in OUTCOMES.keys() - BAD)
    assert all(OUTCOMES[outcome].merge_rank < worst_good for outcome in BAD)
    assert set(WORST_FIRST[: len(BAD)]) == BAD
