from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from accelerator_reports.report_file import KnownNames, report_problems
from tests.portal.catalog.suites import suite
from tests.reports.examples import report

NOW = dt.datetime(2026, 2, 1, tzinfo=dt.UTC)
SUITE = suite("model", "BertTiny", "ResNetTiny")
KNOWN = KnownNames(frozenset({"example"}), {"known": SUITE})


def found(*tests: dict[str, Any], first_test: int | None = None, **changes: Any) -> list[str]:  # noqa: ANN401
    made = report(*tests, **changes)
    return [str(p) for p in report_problems(made, "r.json", KNOWN, NOW, first_test)]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, []),
        ({"accelerator": "exampel"},
         ['there is no platform "exampel"; did you mean "example"?']),
        ({"finished": "2026-01-01T00:00:00Z"},
         ["the end time is before the start time; correct started or finished"]),
        ({"started": "2027-01-01T00:00:00Z"},
         ["started is in the future (2027-01-01); correct it"]),
        ({"started": None}, ["the run has no start time; add started"]),
        ({"environment": {}}, ["the run has no PyTorch version; add environment.torch"]),
        ({"kind": "baseline", "started": None, "environment": {}},
         ["the baseline has no origin; add origins"]),
        ({"suites": [{"name": "made-up", "kind": "unit"}] * 2},
         ['the suite "made-up" is listed twice in suites; merge the two']),
        ({"suites": [{"name": "made-up", "kind": "unit", "planned": 0}]},
         ['"made-up" planned 0 tests, but the report has 1; correct planned']),
        ({"suites": [{"name": "other", "kind": "unit"}]},
         ['the suite "made-up" is used in tests but missing from suites; add it to suites']),
        ({"suites": [{"name": "made-up", "kind": "model"}]}, []),
        ({"suites": [{"name": "made-up", "kind": "unit"}, {"name": "known", "kind": "unit"}]},
         ['the suite "known" is of kind model, not unit; correct its kind']),
    ],
)  # fmt: skip
def test_what_a_run_says_of_itself(changes: dict[str, Any], expected: list[str]) -> None:
    assert found(**changes) == [f"r.json:1: {words}" for words in expected]


@pytest.mark.parametrize(
    ("tests", "expected"),
    [
        ([{}, {"name": "second"}], []),
        ([{}, {"parameters": {"dtype": "float32"}}], []),
        ([{}, {}], [(11, ('"first" is listed twice with the same parameters; '
                    "remove one, or add what differs"))]),
        ([{"outcome": "skipped"}], [(10, '"first" is skipped but has no reason; add reason')]),
        ([{"outcome": "not-run", "reason": "killed"}], []),
        ([{"name": "test_cuda_graphs"}], []),
        ([{"name": "resnet50"}, {"name": "npuzzle"}], []),
    ],
)  # fmt: skip
def test_what_stands_in_tests(tests: list[dict[str, Any]], expected: list[tuple[int, str]]) -> None:
    assert found(*tests, first_test=10) == [f"r.json:{line}: {words}" for line, words in expected]


def test_of_very_many_the_first_are_named() -> None:
    problems = found(*[{"name": f"a {n}", "outcome": "skipped"} for n in range(1000)])
    assert len(problems) == 21
    assert (
        "r.json:1: 980 more tests have problems; fix the listed problems, then run the check again"
        in problems
    )


def test_a_part_of_a_run_is_to_be_joined_with_the_others_first() -> None:
    shard = {"index": 1, "count": 2, "planned": 2, "positions": "1", "plan": "0" * 64}
    (told,) = found(shard={**shard, "resume": "accelerator-portal validate --resume"})
    assert told == (
        "r.json:1: the report is shard 1/2, a part of a run; merge all shards with "
        "accelerator-portal report merge"
    )
