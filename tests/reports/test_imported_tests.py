from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from accelerator_reports.file_reading import ImportOptions
from accelerator_reports.files.problem import ProblemsError
from accelerator_reports.formats import imported_tests as module
from accelerator_reports.formats.imported_tests import ImportedTests, chosen_suite
from accelerator_reports.outcomes import OUTCOMES, Outcome
from accelerator_reports.report import Suite

FILE = Path("somewhere/example.csv")
TEST: dict[str, Any] = {"suite": "example", "name": "m", "outcome": "passed"}
REMEDY = "see the report format page"


def imported(*, may_repeat: bool = False, **parameters: str) -> ImportedTests:
    return ImportedTests(FILE, ImportOptions(parameters=parameters), may_repeat=may_repeat)


def problems(tests: ImportedTests) -> list[str]:
    with pytest.raises(ProblemsError) as error:
        tests.checked_tests()
    return [str(problem) for problem in error.value.problems]


def test_tests_come_in_the_order_of_the_file() -> None:
    tests = imported()
    for name in ("b", "a", "c"):
        tests.add(1, TEST | {"name": name})
    assert [test.name for test in tests.checked_tests()] == ["b", "a", "c"]


@pytest.mark.parametrize("new", OUTCOMES)
@pytest.mark.parametrize("old", OUTCOMES)
def test_where_a_test_may_repeat_the_result_that_ranks_first_is_kept(
    old: Outcome, new: Outcome
) -> None:
    tests = imported(may_repeat=True)
    tests.add(1, TEST | {"outcome": old})
    tests.add(2, TEST | {"name": "another"})
    tests.add(3, TEST | {"outcome": new})
    kept, _ = tests.checked_tests()
    assert kept.outcome == min(old, new, key=lambda outcome: OUTCOMES[outcome].merge_rank)


@pytest.mark.parametrize("other", ["cpu", "meta", "cpu:0"])
def test_the_accelerators_result_is_kept_even_if_it_is_better(other: str) -> None:
    bad, good = TEST | {"outcome": "crashed"}, TEST
    for results in ([(bad, other), (good, "xpu")], [(good, "xpu"), (bad, other)]):
        tests = imported(may_repeat=True)
        for fields, device in results:
            tests.add(1, fields, device=device)
        (kept,) = tests.checked_tests()
        assert kept.outcome == "passed"


def test_what_can_be_no_test_is_named() -> None:
    tests = imported()
    tests.add(2, TEST | {"name": ""})
    tests.add(3, TEST | {"parameters": {"D type": "float32"}})
    tests.add(4, TEST | {"evidence": [{"label": "log", "url": "ftp://x"}]}, place="tests[7]")
    first, second, third = problems(tests)
    assert first == f"example.csv:2: name: string should have at least 1 character; {REMEDY}"
    assert second == (
        "example.csv:3: parameters.D type: string should match pattern "
        f"'^[a-z0-9]+(?:[-_.][a-z0-9]+)*$'; {REMEDY}"
    )
    assert third.startswith("example.csv:4: tests[7].evidence[0].url: ")


def test_each_test_gets_the_parameters_of_all_but_not_in_place_of_its_own() -> None:
    tests = imported(dtype="int8", mode="eager")
    tests.add(1, TEST | {"name": "a", "parameters": {"dtype": "float32"}})
    tests.add(2, TEST | {"name": "b"})
    assert [dict(test.parameters) for test in tests.checked_tests()] == [
        {"dtype": "float32", "mode": "eager"},
        {"dtype": "int8", "mode": "eager"},
    ]


def test_hidden_characters_of_a_name_and_of_parameters_are_escaped() -> None:
    tests = imported()
    tests.add(1, TEST | {"name": "a\u200b", "parameters": {"case": "b\u200bc", "size": 1}})
    (test,) = tests.checked_tests()
    assert (test.name, dict(test.parameters)) == (r"a\u200b", {"case": r"b\u200bc", "size": 1})


def test_parameters_that_are_none_stay_a_fault() -> None:
    tests = imported(dtype="int8")
    tests.add(1, TEST | {"parameters": 7})
    (problem,) = problems(tests)
    assert problem.startswith("example.csv:1: parameters: ")


def test_a_record_is_its_model_or_faults() -> None:
    tests = imported()
    suite = tests.parse_record(Suite, {"name": "ops", "kind": "unit"}, "suites")
    assert suite == Suite(name="ops", kind="unit")
    assert tests.parse_record(Suite, {"name": "ops"}, "suites", 5) is None
    assert tests.parse_record(Suite, 7, "suites", 6) is None
    first, second = problems(tests)
    assert first == f"example.csv:5: suites.kind: field required; {REMEDY}"
    assert second.startswith("example.csv:6: suites: ")


def test_cells_stand_under_their_columns() -> None:
    tests = imported()
    assert tests.cells_by_column(2, ["name", "accuracy"], ["m", "pass"]) == {
        "name": "m",
        "accuracy": "pass",
    }
    assert tests.cells_by_column(3, ["name", "accuracy"], ["m"]) is None
    assert problems(tests) == [
        "example.csv:3: the row has 1 values, the header has 2; use one value per column"
    ]


@pytest.mark.parametrize(
    ("cell", "may_be_infinite", "value", "faults"),
    [
        ("1.5", False, 1.5, 0),
        ("0", False, 0, 0),
        ("inf", False, None, 1),
        ("nan", False, None, 1),
        ("x", False, None, 1),
        ("inf", True, None, 0),
        ("nan", True, None, 0),
        ("x", True, None, 1),
    ],
)
def test_a_figure_is_finite_or_none(
    cell: str,
    may_be_infinite: bool,  # noqa: FBT001 - a table
    value: float | None,
    faults: int,
) -> None:
    tests = imported()
    assert tests.parse_number(2, "speed", cell, may_be_infinite=may_be_infinite) == value
    if not faults:
        assert tests.checked_tests() == ()
        return
    assert problems(tests) == [f'example.csv:2: speed: "{cell}" is not a number; use a number']


def test_of_very_many_faults_a_hundred_are_shown() -> None:
    tests = imported()
    for line in range(1, 203):
        tests.record_fault(line, "example", "none")
    messages = problems(tests)
    assert len(messages) == 101
    assert "example.csv:1: 102 more problems; fix the problems above first" in messages


def test_a_file_full_of_faults_is_not_read_to_its_end() -> None:
    tests = imported()
    for line in range(1, 10_100):
        tests.record_fault(line, "example", "none")
    with pytest.raises(ProblemsError) as error:
        tests.record_fault(10_100, "example", "none")
    messages = [str(problem) for problem in error.value.problems]
    assert len(messages) == 101
    assert (
        "example.csv:1: 10,000 more problems. The rest of the file was not read; fix the problems above first"
        in messages
    )


def test_a_file_with_too_many_tests_is_refused_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_TESTS", 2)
    tests = imported()
    tests.add(2, TEST | {"name": "a"})
    tests.add(3, TEST | {"name": "b"})
    with pytest.raises(ProblemsError) as error:
        tests.add(4, TEST | {"name": "c"})
    assert str(error.value) == "example.csv:4: the file has more than 2 tests; split it by suite"


@pytest.mark.parametrize(
    ("name", "remedy"), [("My Ops", 'write "my-ops"'), ("測試", "use lowercase letters")]
)
def test_a_suite_that_a_person_names_is_an_id(name: str, remedy: str) -> None:
    assert chosen_suite(FILE, ImportOptions("my-ops")) == "my-ops"
    assert chosen_suite(FILE, ImportOptions()) is None
    with pytest.raises(ProblemsError) as error:
        chosen_suite(FILE, ImportOptions(name))
    assert str(error.value) == f'example.csv:1: "{name}" is not a valid suite name; {remedy}'
