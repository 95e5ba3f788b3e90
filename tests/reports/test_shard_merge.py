from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from accelerator_reports.file_reading import ImportResult
from accelerator_reports.files.problem import ProblemsError
from accelerator_reports.merge import (
    ShardFile,
    merged_results,
    merged_shards,
    shard_problems,
)
from accelerator_reports.report import Report
from accelerator_reports.shortened_text import MAX_TEXT_LENGTH
from tests.reports.examples import report

POSITIONS = {1: "1 4", 2: "2 5", 3: "3"}
RESUME = "accelerator-portal validate --resume --device cpu --out report.json"
NUMBERS = {"torch": "1.10.0", "driver": "7.1", "packages": {"numpy": "2.0"}}
SHARD_FIELDS = {"count", "planned", "plan", "resume", "times", "unfinished", "positions"}
SHARD = {"count": 3, "planned": 5, "plan": "a" * 64, "resume": RESUME}


def part(index: int, **changes: Any) -> ShardFile:  # noqa: ANN401 - any field of a report or shard
    """Shard `index` of three: each has the tests that stand at its positions."""
    of_shard = {k: changes.pop(k) for k in [*changes] if k in SHARD_FIELDS}
    shard = {**SHARD, "index": index, "positions": POSITIONS[index], **of_shard}
    tests = [{"name": f"test-{place}"} for place in POSITIONS[index].split()]
    fields = {
        "environment": NUMBERS,
        "finished": f"2026-01-02T04:0{index}:00Z",
        "suites": [{"name": "made-up", "kind": "unit", "planned": len(tests)}],
        **changes,
    }
    return ShardFile(f"{index}.json", report(*tests, shard=shard, **fields))


def told(*files: ShardFile) -> list[str]:
    return [str(problem) for problem in shard_problems(files)]


@pytest.mark.parametrize("order", [(1, 2, 3), (3, 1, 2)])
def test_shards_become_the_report_of_one_run(order: tuple[int, ...]) -> None:
    whole = merged_shards([part(index) for index in order])
    assert [test.name for test in whole.tests] == [f"test-{place}" for place in range(1, 6)]
    assert whole.shard is None
    assert [(suite.name, suite.planned) for suite in whole.suites] == [("made-up", 5)]
    assert str(whole.finished) == "2026-01-02 04:03:00+00:00"
    Report.model_validate(whole.model_dump())


def test_what_operators_a_run_covered_is_joined() -> None:
    covered = [
        {"covered": ["add", "mul"], "core_missing": ["sin", "tan"], "computed_on_cpu": ["mul"]},
        {"covered": ["sin"], "core_missing": ["add", "mul", "tan"]},
        None,
    ]
    files = []
    for index, operators in enumerate(covered, 1):
        suite: dict[str, Any] = {"name": "made-up", "kind": "unit"}
        if operators:
            suite["operators"] = {"registered": 9, "core": 4, **operators}
        files.append(part(index, suites=[suite]))
    imported = merged_results([ImportResult(file.report.suites, ()) for file in files])
    for (joined,) in (merged_shards(files).suites, imported.suites):
        assert joined.planned is None
        assert joined.operators
        assert joined.operators.covered == ("add", "mul", "sin")
        assert joined.operators.core_missing == ("tan",)
        assert joined.operators.computed_on_cpu == ("mul",)


def test_operators_of_another_build_are_not_added() -> None:
    one, other = (
        part(index, suites=[{"name": "made-up", "kind": "unit", "operators": operators}])
        for index, operators in (
            (1, {"covered": ["add", "mul"], "registered": 2, "core": 1}),
            (2, {"covered": ["sin"], "registered": 3, "core": 1}),
        )
    )
    (merged,) = merged_results([ImportResult(f.report.suites, ()) for f in (one, other)]).suites
    assert merged.operators == one.report.suites[0].operators


def test_long_notes_of_several_files_are_joined_and_cut() -> None:
    results = [ImportResult((), (), note=letter * MAX_TEXT_LENGTH) for letter in "ab"]
    note = merged_results(results).note or ""
    assert len(note) <= MAX_TEXT_LENGTH
    assert (note[0], note[-1]) == ("a", "b")


def test_a_missing_and_a_doubled_shard_are_named() -> None:
    one, two, again = part(1), part(2), part(2)
    assert told(one, two, again._replace(path="2b.json")) == [
        "2b.json:1: shard 2/3 is given twice, first as 2.json; remove one of the two",
        "1.json:1: shard 3/3 of this run is missing; add its report, or run it with --shard 3/3",
    ]
    assert told(one, one, two, part(3)) == [
        "1.json:1: shard 1/3 is given twice, first as 1.json; remove one of the two"
    ]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"plan": "b" * 64}, "shard 2/3 has a different plan than 1.json; run all shards with the"),
        (
            {"times": "b" * 64},
            "shard 2/3 is balanced with different recorded times than 1.json; run",
        ),
        ({"accelerator": "other"}, "accelerator is other, and example in 1.json"),
        ({"kind": "made-here"}, "kind is made-here, and self-reported in 1.json"),
        (
            {"trigger": {"kind": "nightly", "commit": "abcdef0"}},
            "commit is abcdef0, and not known in 1.json; run all shards for the same commit",
        ),
        (
            {"environment": {**NUMBERS, "torch": "1.9.1"}},
            "torch is 1.9.1, and 1.10.0 in 1.json; run all shards in the same environment",
        ),
        ({"environment": {**NUMBERS, "driver": "7.2"}}, "driver is 7.2, and 7.1 in 1.json"),
        (
            {"environment": {**NUMBERS, "hardware": "Two", "hardware_count": 2}},
            "hardware is Two, and not known in 1.json",
        ),
        (
            {"environment": {**NUMBERS, "plugin": {"name": "foo", "version": "2"}}},
            "plugin is foo 2, and not known in 1.json",
        ),
        (
            {"environment": {**NUMBERS, "packages": {"numpy": "2.1"}}},
            "package numpy is 2.1, and 2.0 in 1.json",
        ),
        (
            {"unfinished": 2},
            f"shard 2/3 is not finished (tests without a result: 2); finish it: {RESUME}",
        ),
        ({"finished": None}, "shard 2/3 is not finished (tests without a result: 0)"),
    ],
)
def test_what_does_not_belong_together_is_refused(changes: dict[str, Any], expected: str) -> None:
    found = told(part(1), part(2, **changes), part(3))
    assert found[0].startswith(f"2.json:1: {expected}")
    assert len(found) == 1 + ("hardware_count" in str(changes))


def test_all_problems_are_told_at_once() -> None:
    other = part(2, environment={"torch": "1.9.1", "driver": "7.1"}, unfinished=1, plan="b" * 64)
    lone = ShardFile("lone.json", report())
    with pytest.raises(ProblemsError) as error:
        merged_shards([part(1), other, lone])
    assert [str(problem).partition(";")[0] for problem in error.value.problems] == [
        "1.json:1: shard 3/3 of this run is missing",
        "2.json:1: package numpy is not known, and 2.0 in 1.json",
        "2.json:1: shard 2/3 has a different plan than 1.json",
        "2.json:1: shard 2/3 is not finished (tests without a result: 1)",
        "2.json:1: torch is 1.9.1, and 1.10.0 in 1.json",
        "lone.json:1: the report is not a shard",
    ]


def test_shards_of_other_numbers_are_refused() -> None:
    found = sorted(told(part(1), part(2, count=4), part(3)), reverse=True)
    assert found[0] == "2.json:1: this is shard 2/4, and 1.json is shard 1/3; use shards of one run"
    assert found[1].startswith("1.json:1: shard 2/3 of this run is missing")


@pytest.mark.parametrize(
    "positions", ["1-99999 " * 200_000 + "1", f"2 {'9' * 5000}", "2 5 5", "5 2"]
)
def test_positions_that_are_no_positions_of_the_tests_are_refused(positions: str) -> None:
    try:
        found = told(part(1), part(2, positions=positions, planned=100_000), part(3))
    except ValidationError as error:
        found = [str(error)]
    assert "its positions list a different number" in found[0] or "match pattern" in found[0]


def test_a_shard_that_somebody_edited_is_refused() -> None:
    files = [part(1), part(2), part(3)]
    shorter = files[1].report.model_copy(update={"tests": files[1].report.tests[:1]})
    (found,) = told(files[0], ShardFile("2.json", shorter), files[2])
    assert found.startswith(
        "2.json:1: shard 2/3 has 1 test, but its positions list a different number"
    )
    shard = files[1].report.shard
    assert shard
    moved = files[1].report.model_copy(
        update={"shard": shard.model_copy(update={"positions": "1-2"})}
    )
    with pytest.raises(ProblemsError, match=r"test 1 of the plan is also in another shard"):
        merged_shards([files[0], ShardFile("2.json", moved), files[2]])
