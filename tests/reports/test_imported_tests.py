from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from accelerator_reports.file_reading import ImportOptions, ImportResult, with_entry_counts
from accelerator_reports.files.problem import ProblemsError
from accelerator_reports.formats import imported_tests as module
from accelerator_reports.formats.imported_tests import ImportedTests, Repeats, chosen_suite
from accelerator_reports.outcomes import OUTCOMES, Outcome
from accelerator_reports.report import Environment

FILE = Path("somewhere/example.csv")
TEST: dict[str, Any] = {"suite": "example", "name": "m", "outcome": "passed"}
REMEDY = "see the report format page"


def imported(*, repeats: Repeats = "counted", **parameters: str) -> ImportedTests:
    return ImportedTests(FILE, ImportOptions(parameters=parameters), repeats=repeats)


def result(tests: ImportedTests) -> ImportResult:
    return tests.result(())


def problems(tests: ImportedTests) -> list[str]:
    with pytest.raises(ProblemsError) as error:
        result(tests)
    return [str(problem) for problem in error.value.problems]


def test_tests_come_in_the_order_of_the_file() -> None:
    tests = imported()
    for name in ("b", "a", "c"):
        tests.add(1, TEST | {"name": name})
    assert [test.name for test in result(tests).tests] == ["b", "a", "c"]


@pytest.mark.parametrize("new", OUTCOMES)
@pytest.mark.parametrize("old", OUTCOMES)
def test_where_a_test_may_repeat_the_result_that_ranks_first_is_kept(
    old: Outcome, new: Outcome
) -> None:
    tests = imported(repeats="merged")
    tests.add(1, TEST | {"outcome": old})
    tests.add(2, TEST | {"name": "another"})
    tests.add(3, TEST | {"outcome": new})
    kept, _ = result(tests).tests
    assert kept.outcome == min(old, new, key=lambda outcome: OUTCOMES[outcome].merge_rank)


def test_an_entry_with_errors_is_left_out_and_counted() -> None:
    tests = imported()
    tests.leave_out(1, "the test has no name", "name it", "without a name")
    tests.add(2, TEST)
    tests.add(3, TEST | {"name": "b", "outcome": "odd"})
    tests.leave_out_value(4, "the time is not a number", "use a number")
    found = result(tests)
    assert [test.name for test in found.tests] == ["m"]
    assert with_entry_counts(found.note, found.entries) == (
        "1 invalid value left out. Entries read: 3. Taken: 1. "
        "Left out: 1 with errors, 1 without a name."
    )
    first, second, third = map(str, found.warnings)
    assert first == "example.csv:1: the test has no name; name it"
    assert second.startswith("example.csv:3: outcome: ")
    assert third == "example.csv:4: the time is not a number; use a number"


def test_tests_of_one_name_get_a_number() -> None:
    tests = imported(repeats="apart")
    for name in ("a", "a (2)", "a", "a", "b", "b", "x" * 200, "x" * 200):
        tests.add(1, TEST | {"name": name})
    names = [test.name for test in result(tests).tests]
    assert names[:6] == ["a", "a (2)", "a (3)", "a (4)", "b", "b (2)"]
    assert (len(names[7]), names[7][-4:]) == (200, " (2)")
    assert result(tests).note == (
        "Tests with the name of another test, to which a number was added: 4 "
        '("a (3)", "a (4)", "b (2)", …).'
    )


def test_results_that_are_not_kept_are_counted() -> None:
    tests = imported()
    for device, outcome in (("xpu", "passed"), ("cpu", "passed"), ("xpu", "failed")):
        tests.add(1, TEST | {"outcome": outcome}, device=device)
    found = result(tests)
    assert [test.outcome for test in found.tests] == ["failed"]
    assert found.note == 'Listed more than once: 1 ("m"). On another device: 1 ("m").'
    assert found.entries == {"taken": 1, "on another device": 1, "listed more than once": 1}


@pytest.mark.parametrize("other", ["cpu", "meta", "cpu:0"])
def test_the_accelerators_result_is_kept_even_if_it_is_better(other: str) -> None:
    bad, good = TEST | {"outcome": "crashed"}, TEST
    for results in ([(bad, other), (good, "xpu")], [(good, "xpu"), (bad, other)]):
        tests = imported(repeats="merged")
        for fields, device in results:
            tests.add(1, fields, device=device)
        (kept,) = result(tests).tests
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
    assert [dict(test.parameters) for test in result(tests).tests] == [
        {"dtype": "float32", "mode": "eager"},
        {"dtype": "int8", "mode": "eager"},
    ]


def test_hidden_characters_of_a_name_and_of_parameters_are_escaped() -> None:
    tests = imported()
    tests.add(1, TEST | {"name": "a\u200b", "parameters": {"case": "b\u200bc", "size": 1}})
    (test,) = result(tests).tests
    assert (test.name, dict(test.parameters)) == (r"a\u200b", {"case": r"b\u200bc", "size": 1})


def test_parameters_that_are_none_stay_a_fault() -> None:
    tests = imported(dtype="int8")
    tests.add(1, TEST | {"parameters": 7})
    (problem,) = problems(tests)
    assert problem.startswith("example.csv:1: parameters: ")


def test_an_invalid_environment_refuses_the_file() -> None:
    tests = imported()
    assert tests.environment({"torch": "2.9.0"}, "facts") == Environment(torch="2.9.0")
    tests.add(1, TEST)
    assert tests.environment({"torch": 7}, "facts") == Environment()
    (problem,) = problems(tests)
    assert problem.startswith("example.csv:1: facts.torch: ")


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
    tests.add(2, TEST)
    message = f'example.csv:2: speed: "{cell}" is not a number; use a number'
    assert list(map(str, result(tests).warnings)) == [message] * faults


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
