"""Artifacts of many runs come in a list, and each run has the ones that it left."""

from __future__ import annotations

import datetime as dt

from accelerator_automation.upstream.run_lists import ArtifactLists
from tests.automation.github_double import GitHubDouble
from tests.automation.upstream.scene import NOW, SENT, VENDOR, client

RUNS = range(1, 41)


def add_artifacts(double: GitHubDouble, created: dt.datetime = NOW) -> None:
    for run in RUNS:
        for task in ("unit", "models"):
            double.add_artifact(VENDOR, run, f"{task}-{run}", b"", created_at=created.isoformat())


def names(double: GitHubDouble) -> list[set[str]]:
    double.asked.clear()
    lists = ArtifactLists(client(double), {VENDOR: SENT})
    return [{one.name for one in lists.of(VENDOR, run)} for run in RUNS]


EXPECTED = [{f"unit-{run}", f"models-{run}"} for run in RUNS]


def test_after_three_runs_all_are_listed_at_once(double: GitHubDouble) -> None:
    add_artifacts(double)
    assert names(double) == EXPECTED
    assert len(double.asked) == 3 + 1


def test_what_other_workflows_left_is_passed_over(double: GitHubDouble) -> None:
    for number in range(150):
        double.add_artifact(VENDOR, 1000 + number, "other", b"", created_at="2026-11-01T00:00:00Z")
    add_artifacts(double)
    assert names(double) == EXPECTED
    assert len(double.asked) == 3 + 1


def test_a_list_without_an_end_or_in_another_order_is_not_believed(double: GitHubDouble) -> None:
    add_artifacts(double)
    double.artifacts = dict(reversed(double.artifacts.items()))
    assert names(double) == EXPECTED
    assert len(double.asked) == len(RUNS) + 1
    double.artifacts = dict(reversed(double.artifacts.items()))
    for number in range(500):
        double.add_artifact(VENDOR, 1000 + number, "other", b"", created_at=NOW.isoformat())
    assert names(double) == EXPECTED
    assert len(double.asked) == len(RUNS) + 5
