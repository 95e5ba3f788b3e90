from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accelerator_portal.results.result_matrices import (
    Column,
    ResultMatrix,
    group_of,
    matrices,
    outcome_counts,
    tallies,
)
from accelerator_portal.results.stored_reports import StoredReport
from accelerator_reports.outcomes import ReportKind
from accelerator_reports.report import TestEntry
from tests.portal.results.made_up import (
    HISTORIES,
    START,
    Outcomes,
    history_of,
    made_up,
    stored_example,
)
from tests.reports.examples import report

F32 = {"dtype": "float32", "mode": "inference", "compiler": "inductor"}
F16 = {**F32, "dtype": "float16"}


ONE = stored_example(
    "one", {"name": "b", "parameters": F32}, {"name": "A", "parameters": F16, "outcome": "failed"}
)
TWO = stored_example(
    "two",
    {"name": "b", "parameters": F32, "outcome": "executed"},
    accelerator="other",
    kind="baseline",
)


def column_of(report: str, accelerator: str, kind: ReportKind, dtype: str) -> Column:
    return Column(
        report=report, accelerator=accelerator, kind=kind, group=f"inductor, {dtype}", dtype=dtype
    )


def test_a_matrix_has_only_like_with_like_in_a_group() -> None:
    (matrix,) = matrices([ONE, TWO], ["example", "other"])
    assert (matrix.suite, matrix.mode) == ("made-up", "inference")
    assert matrix.columns == (
        column_of("one", "example", "self-reported", "float32"),
        column_of("two", "other", "baseline", "float32"),
        column_of("one", "example", "self-reported", "float16"),
    )
    assert matrix.names == ("A", "b")
    assert matrix.cells == ((None, None, "failed"), ("passed", "executed", None))


def test_a_column_has_the_samples_of_its_own_tests() -> None:
    def metrics(ran: int, known: int) -> dict[str, object]:
        return {
            name: {"value": number, "unit": "1"}
            for name, number in (("samples", ran), ("known-samples", known))
        }

    stored = stored_example(
        "one",
        {"name": "a", "parameters": F32, "metrics": metrics(8, 20)},
        {"name": "b", "parameters": F32, "metrics": metrics(4, 4)},
        {"name": "a", "parameters": F16, "metrics": metrics(3, 3)},
        {"name": "c", "parameters": {"mode": "inference"}},
    )
    (matrix,) = matrices([stored], [])
    samples = {column.dtype: column.samples for column in matrix.columns}
    assert samples == {"float32": (12, 24), "float16": (3, 3), "": None}


def test_what_is_not_stated_is_said_so() -> None:
    names = [group_of(test) for test in report(
        {},
        {"name": "2", "parameters": {"compiler": "eager"}},
        {"name": "3", "parameters": {"dtype": "float32", "dynamic": True, "freezing": False}},
        {"name": "4", "parameters": {"dtype": "float32", "case": "x", "shapes": "small"}},
    ).tests]  # fmt: skip
    assert names == [
        "type not stated",
        "eager, type not stated",
        "float32, dynamic",
        "float32, shapes small, case x",
    ]


@pytest.mark.parametrize("parameters", [{"dynamic": 1}, {"dynamic": "True"}, {"dynamic": 1.0}])
def test_a_number_is_not_the_truth_value_that_it_equals(parameters: dict[str, Any]) -> None:
    both = stored_example(
        "both", {"name": "a", "parameters": {"dynamic": True}}, {"parameters": parameters}
    )
    (matrix,) = matrices([both], [])
    assert [column.group for column in matrix.columns] == [
        "type not stated, dynamic",
        f"type not stated, dynamic {parameters['dynamic']}",
    ]


# Few values each, so that tests, groups and reports coincide in many ways.
_TESTS = st.fixed_dictionaries(
    {
        "suite": st.sampled_from(["a", "b"]),
        "name": st.sampled_from(["x", "X", "y", "ß", "SS"]),
        "outcome": st.sampled_from(["passed", "failed", "skipped"]),
        "parameters": st.fixed_dictionaries(
            {},
            optional={
                "mode": st.sampled_from(["inference", "training"]),
                "dtype": st.sampled_from(["float32", "float32, dynamic", 1, True, ""]),
                "dynamic": st.sampled_from([True, False, 1, "True"]),
                "case": st.sampled_from(["k", 2]),
            },
        ),
    }
)
_PLATFORMS = st.sampled_from(["example", "other", "unlisted"])


@given(st.lists(st.tuples(_PLATFORMS, st.lists(_TESTS, max_size=8)), max_size=5))
def test_tables_are_what_their_definition_says(runs: list[tuple[str, list[Any]]]) -> None:
    suites = [{"name": "a", "kind": "unit"}, {"name": "b", "kind": "unit"}]
    reports = [
        stored_example(f"{platform}-{n}", *tests, accelerator=platform, suites=suites)
        for n, (platform, tests) in enumerate(reversed(runs))
    ]
    assert matrices(reports, ["other", "example"]) == defined(reports, ["other", "example"])
    every = [(one.id, test.suite, test.outcome) for one in reports for test in one.report.tests]
    assert [
        (report, suite, outcome, number)
        for (report, suite), found in outcome_counts(reports).items()
        for outcome, number in found.items()
    ] == [(*key, every.count(key)) for key in sorted(set(every))]


def defined(reports: list[StoredReport], order: list[str]) -> list[ResultMatrix]:
    """The matrices cell by cell, each looked up in all tests."""
    every = [(one, test) for one in reports for test in one.report.tests]
    found = []
    for table in sorted({(test.suite, mode_of(test)) for _, test in every}):
        part = [(one, t) for one, t in every if (t.suite, mode_of(t)) == table]

        def column(one: StoredReport, test: TestEntry) -> tuple[int, str, int, str]:
            group = group_of(test)
            alike = {o.report.accelerator for o, t in part if group_of(t) == group}  # noqa: B023
            known = one.report.accelerator in order
            place = order.index(one.report.accelerator) if known else len(order)
            return -len(alike), group, place, one.id

        keys = sorted({column(one, test) for one, test in part})
        first = [next((o, t) for o, t in part if column(o, t) == key) for key in keys]
        names = sorted({t.name for _, t in part}, key=lambda name: (name.casefold(), name))
        found.append(
            ResultMatrix(
                *table,
                tuple(
                    Column(
                        report=o.id,
                        accelerator=o.report.accelerator,
                        kind=o.report.kind,
                        group=group_of(t),
                        dtype=str(t.parameters.get("dtype", "")),
                    )
                    for o, t in first
                ),
                tuple(names),
                tuple(
                    tuple(
                        next(
                            (t.outcome for o, t in part if (t.name, column(o, t)) == (name, key)),
                            None,
                        )
                        for key in keys
                    )
                    for name in names
                ),
            )
        )
    return found


def mode_of(test: TestEntry) -> str:
    return str(test.parameters.get("mode", ""))


def test_a_report_that_changes_nothing_adds_no_tally() -> None:
    history = history_of(
        made_up(0, {"a": "passed", "b": "failed"}),
        made_up(1, {"a": "passed", "b": "failed"}),
        made_up(2, {"a": "passed"}),
        made_up(3, {"a": "passed", "b": "passed"}),
    )
    found = [((t.started - START).days, dict(t.counts)) for t in tallies(history.changes)["models"]]
    assert found == [(0, {"passed": 1, "failed": 1}), (2, {"passed": 1}), (3, {"passed": 2})]


@given(HISTORIES)
def test_the_last_tally_counts_the_tests_that_are_there(days: list[Outcomes]) -> None:
    reports = [
        made_up(0, {"a": "passed"}),
        *(made_up(n + 1, tests) for n, tests in enumerate(days)),
    ]
    history = history_of(*reports)
    outcomes = {f"models/{test}": said[0] for tests in days for test, said in tests.items()}
    there = Counter(
        outcomes.get(key, "passed") for key, state in history.tests.items() if state.gone is None
    )
    assert tallies(history.changes)["models"][-1].counts == there
