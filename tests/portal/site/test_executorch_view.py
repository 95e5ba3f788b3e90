"""Published runs of ExecuTorch side by side: flows, ratios to no backend, readiness."""

from __future__ import annotations

from typing import Any

from accelerator_portal.catalog.files.criteria_file import ExecutorchReadiness
from accelerator_portal.catalog.files.shared_files import Goal
from accelerator_portal.results.stored_reports import StoredReport
from accelerator_portal.site.pages.executorch import FlowRun, flow_runs, goal_progress, readiness
from accelerator_reports.report import Report

SUITE = "executorch-operators"


def entry(name: str, recipe: str, outcome: str, **figures: float) -> dict[str, Any]:
    metrics = {key: {"value": value, "unit": "kB"} for key, value in figures.items()}
    parameters = {"recipe": recipe, "dtype": "float32"}
    made = {"suite": SUITE, "name": name, "parameters": parameters, "outcome": outcome}
    return {**made, "metrics": metrics, "reason": "It says why." if outcome != "passed" else None}


TESTS = [
    entry("add", "plain", "passed", pte_size=20, delegated_nodes=3, undelegated_nodes=1),
    entry("mul", "plain", "passed", pte_size=90, delegated_nodes=4, undelegated_nodes=0),
    entry("sub", "plain", "wrong-result", pte_size=1, delegated_nodes=1, undelegated_nodes=0),
    entry("cat", "plain", "executed", delegated_nodes=0, undelegated_nodes=1),
    entry("add", "openvino_int8", "passed", pte_size=5),
    entry("sub", "openvino_int8", "skipped"),
    entry("add", "portable", "passed", pte_size=10),
    entry("mul", "portable", "passed", pte_size=30),
    entry("sub", "portable", "passed", pte_size=10),
]


def stored(tests: list[dict[str, Any]], hardware: str = "Chip 1") -> StoredReport:
    backend = {"name": "XnnpackBackend", "version": "1.5.1"}
    record = {
        "schema_version": 1,
        "accelerator": "cpu",
        "kind": "self-reported",
        "trigger": {"kind": "manual"},
        "started": "2026-11-22T00:00:00Z",
        "environment": {"backend": backend, "hardware": hardware},
        "suites": [{"name": SUITE, "kind": "operator"}],
        "tests": tests,
    }
    return StoredReport("cpu-one", "one.json", Report.model_validate(record), None)


def runs_of(tests: list[dict[str, Any]]) -> dict[tuple[str, str], FlowRun]:
    return {(run.backend, run.recipe): run for run in flow_runs([stored(tests)])}


def test_flows_of_several_backends_are_told_apart_by_their_names() -> None:
    assert set(runs_of(TESTS)) == {
        ("XnnpackBackend", "plain"),
        ("openvino", "int8"),
        ("portable", "portable"),
    }


def test_a_flow_counts_what_was_tried_and_what_was_delegated() -> None:
    run = runs_of(TESTS)["XnnpackBackend", "plain"]
    assert (run.passed, run.attempted, run.undelegated, run.failed) == (2, 4, 1, 1)
    assert (run.share_passed, run.share_right, run.share_delegated) == (0.5, 2 / 3, 0.8)
    assert [test.name for test in run.kept_out] == ["cat", "sub"]
    assert runs_of(TESTS)["openvino", "int8"].attempted == 1, "what was skipped was not tried"


def test_only_tests_that_passed_both_ways_are_compared_with_no_backend() -> None:
    runs = runs_of(TESTS)
    assert runs["XnnpackBackend", "plain"].against_portable("pte_size") == (2.5, 2)
    assert runs["openvino", "int8"].against_portable("pte_size") == (0.5, 1)
    assert runs["openvino", "int8"].against_portable("run_time") is None


def goal(**more: str) -> Goal:
    common = {"id": "one", "title": "One", "asked": "It is asked.", "needs": "a card"}
    return Goal.model_validate({**common, "source": "made-up", **more})


def test_a_goal_shows_a_figure_that_was_measured_or_none() -> None:
    runs = flow_runs([stored(TESTS)])
    assert goal_progress(goal(counts="operators"), runs) == "4 operator tests"
    assert goal_progress(goal(counts="backends"), runs) == "2 backends with passed tests"
    assert goal_progress(goal(counts="models"), runs) is None
    assert goal_progress(goal(metric="pte_size"), runs) == "median 10 kB (7 tests)"
    assert goal_progress(goal(metric="aot_time"), runs) is None
    assert goal_progress(goal(), runs) is None


def criterion(name: str, measure: str, weight: int, **limit: float) -> dict[str, Any]:
    common = {"id": name, "title": name.upper(), "why": "It is asked."}
    return {**common, "measure": measure, "weight": weight, **limit}


PROPOSAL = ExecutorchReadiness.model_validate(
    {
        "meaning": "It is proposed.",
        "criteria": [
            criterion("a", "passed", 3, at_least=0.5),
            criterion("b", "size", 2, at_most=2),
            criterion("c", "time", 5, at_most=1),
        ],
    }
)


def test_readiness_counts_what_is_met_and_never_what_no_run_shows() -> None:
    runs = flow_runs([stored(TESTS)])
    by_backend = {run.backend: readiness(PROPOSAL, run, runs) for run in runs}
    found = by_backend["XnnpackBackend"]
    assert [finding.met for finding in found.findings] == [True, False, None]
    assert (found.points, found.most, found.is_ready) == (3, 10, False)
    assert by_backend["openvino"].points == 5


def test_a_flow_is_ready_when_all_is_met() -> None:
    timed = [entry("add", "plain", "passed", pte_size=1, run_time=1)]
    timed.append(entry("add", "portable", "passed", pte_size=1, run_time=2))
    runs = flow_runs([stored(timed)])
    assert [readiness(PROPOSAL, r, runs).is_ready for r in runs if r.backend != "portable"] == [
        True
    ]
