from __future__ import annotations

import datetime as dt

import pytest

from accelerator_automation.github.api import GitHubError
from accelerator_automation.upstream.delivery import Delivery, Ledger
from accelerator_automation.upstream.run_lists import FileSource, workflow_files
from tests.automation.github_double import Fault, GitHubDouble
from tests.automation.made_up import archive
from tests.automation.upstream.scene import HOME, NOW, change, client

NAME = "upstream-ledger"
SINCE = NOW - dt.timedelta(days=3)
OWN = {
    "event": "schedule",
    "path": ".github/workflows/upstream-answer.yml",
    "head_repository": {"full_name": HOME},
    "created_at": "2026-10-01T02:00:00Z",
}


def ledger(title: str) -> Ledger:
    one = Delivery(plan=1, change=change(title=title), accelerator="example", sent=NOW)
    return Ledger.of([one])


def keep(double: GitHubDouble, title: str, **changed: object) -> int:
    run = double.new()
    double.records[f"repos/{HOME}/actions/runs/{run}"] = {"id": run, **OWN, **changed}
    packed = archive({f"{NAME}.json": ledger(title).model_dump_json()})
    return double.add_artifact(HOME, run, NAME, packed, created_at="2026-11-21T11:00:00Z")


def titles(double: GitHubDouble, *closed: int) -> list[str]:
    found = workflow_files(FileSource(client(double), HOME, SINCE, closed), NAME, Ledger)
    return [one.change.title for _, ledger in found for one in ledger.deliveries]


def test_the_newest_comes_first(double: GitHubDouble) -> None:
    one, _, three = (keep(double, title) for title in ("one", "two", "three"))
    assert titles(double) == ["three", "two", "one"]
    assert titles(double, one, three) == ["two"]


def test_what_is_closed_costs_no_request(double: GitHubDouble) -> None:
    """GitHub lets a workflow ask a thousand times an hour."""
    numbers = [keep(double, str(number)) for number in range(250)]
    assert titles(double, *numbers) == []
    assert len(double.asked) == 1
    double.asked.clear()
    new = keep(double, "new")
    assert titles(double, *numbers) == ["new"]
    assert len(double.asked) == 1 + 1 + 3  # two pages, as the first has a new one; its run and file
    assert titles(double, *numbers, new) == []


def test_where_github_lists_in_another_order_each_page_is_read(double: GitHubDouble) -> None:
    old = [keep(double, f"old {number}") for number in range(100)]
    for number in old:
        double.artifacts[number]["created_at"] = "2026-11-01T00:00:00Z"
    keep(double, "good")
    double.artifacts = dict(reversed(double.artifacts.items()))
    assert titles(double) == ["good"]


@pytest.mark.parametrize(
    "changed",
    [
        {"head_repository": {"full_name": "evil/portal"}},
        {"head_repository": None},
        {"event": "pull_request"},
        {"path": ".github/workflows/checks.yml"},
        {"path": ".github/workflows/upstream-run.yml"},
        {"path": ".github/workflows/upstream-event.yml"},
    ],
)
def test_what_another_workflow_or_a_fork_left_is_passed_over(
    double: GitHubDouble, changed: dict[str, object]
) -> None:
    """A pull request's own code runs here, too, and names its artifacts as it likes."""
    keep(double, "good")
    keep(double, "forged", **changed)
    assert titles(double) == ["good"]


def test_what_is_old_gone_or_broken_is_passed_over(double: GitHubDouble) -> None:
    keep(double, "good")
    double.artifacts[keep(double, "old")]["created_at"] = "2026-11-01T00:00:00Z"
    double.artifacts[keep(double, "gone")]["expired"] = True
    double.files[keep(double, "broken")] = b"no archive"
    double.files[keep(double, "other")] = archive({f"{NAME}.json": b'{"schema_version": 2}'})
    double.files[keep(double, "empty")] = archive({})
    assert titles(double) == ["good"]


def test_an_error_of_github_s_is_not_taken_for_an_empty_ledger(double: GitHubDouble) -> None:
    keep(double, "good")
    for match in ("GET repos", "zip$", "files/"):
        double.faults = [Fault(match, 500, times=9)]
        with pytest.raises(GitHubError):
            titles(double)
