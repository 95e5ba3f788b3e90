from __future__ import annotations

import datetime as dt
import zipfile

import pytest

from accelerator_automation.github.api import GitHubError
from accelerator_automation.upstream.run_search import MOST_PACKED, RunResult, find_report
from accelerator_portal.catalog.files.accelerator import UpstreamRun
from tests.automation.github_double import Fault, GitHubDouble
from tests.automation.made_up import archive
from tests.automation.upstream.scene import (
    DELIVERY,
    DISPATCH,
    HEAD,
    HOME,
    NOW,
    REDISPATCH,
    RUNNER,
    SENT,
    VENDOR,
    WORKFLOW,
    add_run,
    answered,
    asked,
    packed,
    place,
    report,
)

GOOD = {"one": "passed"}


def told(found: RunResult) -> tuple[str | None, str]:
    return found.state, found.why


def test_the_report_of_the_vendor_s_run_is_read(double: GitHubDouble) -> None:
    run = answered(double, GOOD)
    found = find_report(place(double), asked())
    assert (found.state, found.repository, found.run) == ("report", VENDOR, run)
    assert found.report is not None
    assert [test.name for test in found.report.tests] == ["one"]


def test_the_page_of_a_report_is_found_beside_it(double: GitHubDouble) -> None:
    run = answered(double, GOOD)
    double.add_artifact(VENDOR, run, "other.html", b"")
    assert find_report(place(double), asked()).page is None
    page = double.add_artifact(VENDOR, run, "accelerator-report.html", b"")
    assert find_report(place(double), asked()).page == page


def test_what_calls_itself_made_here_is_self_reported(double: GitHubDouble) -> None:
    answered(double, GOOD, kind="made-here")
    found = find_report(place(double), asked())
    assert found.report is not None
    assert found.report.kind == "self-reported"


def test_the_run_is_known_by_its_whole_title(double: GitHubDouble) -> None:
    for title in (f"{DELIVERY}/example2", f"x{DELIVERY}/example", f"{DELIVERY}/other", ""):
        run = add_run(double, title)
        double.add_artifact(VENDOR, run, "accelerator-report", packed(report(GOOD)))
    assert find_report(place(double), asked()).state == "waiting"
    run = add_run(double, f"PyTorch {DELIVERY}/example #7")
    double.add_artifact(VENDOR, run, "accelerator-report", packed(report(GOOD)))
    assert find_report(place(double), asked()).run == run


def test_a_run_of_a_pull_request_does_not_speak_for_the_vendor(double: GitHubDouble) -> None:
    run = add_run(double, event="pull_request")
    double.add_artifact(VENDOR, run, "accelerator-report", packed(report(GOOD)))
    assert find_report(place(double), asked()).state == "waiting"


@pytest.mark.parametrize("source", [{"full_name": "evil/plugin"}, None])
def test_a_run_of_a_fork_is_refused(double: GitHubDouble, source: dict[str, str] | None) -> None:
    run = add_run(double, head_repository=source)
    double.add_artifact(VENDOR, run, "accelerator-report", packed(report(GOOD)))
    why = "the run belongs to a fork"
    assert told(find_report(place(double), asked())) == ("refused", why)


def test_github_may_write_the_name_of_the_repository_in_another_case(double: GitHubDouble) -> None:
    run = add_run(double, head_repository={"full_name": VENDOR.title()})
    double.add_artifact(VENDOR, run, "accelerator-report", packed(report(GOOD)))
    assert find_report(place(double), asked()).state == "report"


@pytest.mark.parametrize(
    ("status", "hours", "state"),
    [
        ("queued", 2, "running"),
        (None, 2, "running"),
        ("in_progress", 2, "running"),
        ("in_progress", 5, "lost"),
    ],
)
def test_a_run_under_way_is_waited_for_until_its_hours_are_over(
    double: GitHubDouble, status: str | None, hours: int, state: str
) -> None:
    add_run(double, status=status, conclusion=None)
    found = find_report(place(double, SENT + dt.timedelta(hours=hours)), asked())
    assert told(found) == (state, f"the run is in progress, {hours} hours after dispatch")


def test_no_run_at_all_is_waited_for_and_then_lost(double: GitHubDouble) -> None:
    words = f"there is no run with the title {DELIVERY}/example"
    soon, later = (
        find_report(place(double, SENT + dt.timedelta(hours=h)), asked()) for h in (1, 9)
    )
    assert told(soon) == ("waiting", f"{words}, 1 hour after dispatch")
    assert told(later) == ("lost", f"{words}, 9 hours after dispatch")


def test_a_clock_that_is_behind_loses_nobody(double: GitHubDouble) -> None:
    found = find_report(place(double, SENT - dt.timedelta(minutes=5)), asked())
    assert told(found)[1].endswith(", 0 hours after dispatch")
    assert found.state == "waiting"


def test_a_closed_ci_may_be_silent(double: GitHubDouble) -> None:
    later = place(double, SENT + dt.timedelta(hours=9))
    assert find_report(later, asked(REDISPATCH)).state == "silent"
    run = add_run(double, "any")
    name = f"accelerator-report-{DELIVERY}"
    double.add_artifact(VENDOR, run, name, packed(report(GOOD)))
    assert find_report(later, asked(REDISPATCH)).run == run


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"event": "pull_request"}, "the run was triggered by pull_request"),
        ({"event": "schedule"}, "the run was triggered by schedule"),
        ({"created_at": "2026-11-21T09:49:00Z"}, "the run is older than the event"),
        ({"head_repository": {"full_name": "evil/plugin"}}, "the run belongs to a fork"),
    ],
)
def test_what_a_closed_ci_did_not_make_is_refused(
    double: GitHubDouble, changed: dict[str, object], why: str
) -> None:
    """Anybody's pull request can leave an artifact of that name."""
    run = add_run(double, "any", **changed)
    name = f"accelerator-report-{DELIVERY}"
    double.add_artifact(VENDOR, run, name, packed(report(GOOD)))
    assert told(find_report(place(double), asked(REDISPATCH))) == ("refused", why)


def test_a_report_after_its_time_is_late(double: GitHubDouble) -> None:
    end = SENT + dt.timedelta(hours=5)
    answered(double, GOOD, started=SENT, finished=end)
    found = find_report(place(double, end), asked())
    assert found.state == "late"
    assert found.report is not None


def test_a_run_that_left_nothing_is_said(double: GitHubDouble) -> None:
    add_run(double, conclusion="failure")
    assert told(find_report(place(double), asked())) == (
        "refused",
        "the run ended without a report (conclusion: failure)",
    )


HERE = {"repository": HOME, "head_repository": {"full_name": HOME}, "event": "workflow_dispatch"}


@pytest.mark.parametrize(("run", "file"), [(WORKFLOW, "foo.yml"), (RUNNER, "upstream-run.yml")])
def test_a_run_of_this_repository_is_known_by_its_workflow_too(
    double: GitHubDouble, run: UpstreamRun, file: str
) -> None:
    other = add_run(double, path=".github/workflows/evil.yml", **HERE)
    double.add_artifact(HOME, other, "accelerator-report", packed(report(GOOD)))
    assert find_report(place(double), asked(run)).state == "waiting"
    number = add_run(double, path=f".github/workflows/{file}", **HERE)
    double.add_artifact(HOME, number, "accelerator-report", packed(report(GOOD)))
    found = find_report(place(double), asked(run))
    assert (found.repository, found.run) == (HOME, number)


def part(suite: str, outcomes: dict[str, str]) -> bytes:
    made = report(outcomes)
    tests = tuple(test.model_copy(update={"suite": suite}) for test in made.tests)
    suites = tuple(one.model_copy(update={"name": suite}) for one in made.suites)
    return packed(made.model_copy(update={"tests": tests, "suites": suites}))


def test_the_tasks_of_a_run_make_one_report(double: GitHubDouble) -> None:
    run = add_run(double)
    double.add_artifact(VENDOR, run, "accelerator-report-unit", part("a", {"x": "failed"}))
    double.add_artifact(VENDOR, run, "accelerator-report-unit", part("a", {"x": "passed"}))
    double.add_artifact(VENDOR, run, "accelerator-report-models", part("b", {"x": "passed"}))
    double.add_artifact(VENDOR, run, "accelerator-report-torchbench", part("c", {"x": "passed"}))
    found = find_report(place(double), asked())
    assert found.report is not None
    assert sorted((test.suite, test.outcome) for test in found.report.tests) == [
        ("a", "passed"),
        ("b", "passed"),
    ]


def test_one_part_that_lies_makes_all_of_it_a_lie(double: GitHubDouble) -> None:
    run = add_run(double)
    double.add_artifact(VENDOR, run, "accelerator-report-unit", part("a", GOOD))
    lie = packed(report(GOOD, accelerator="other"))
    double.add_artifact(VENDOR, run, "accelerator-report-models", lie)
    found = find_report(place(double), asked())
    assert told(found) == ("refused", "the report is about other, the run was for example")


def test_the_same_tests_twice_are_refused(double: GitHubDouble) -> None:
    run = add_run(double)
    for task in ("unit", "models"):
        double.add_artifact(VENDOR, run, f"accelerator-report-{task}", part("a", GOOD))
    assert "is listed twice" in find_report(place(double), asked()).why


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"no archive", "the archive cannot be read"),
        (packed(report(GOOD), "other.json"), "the archive has no report.json"),
        (packed(b"{"), "report.json:1: invalid JSON"),
        (packed(b"[" * 100_000), "report.json:1: invalid JSON"),
        (archive({"report.json": b"0" * 60_000_000}), "report.json has more than 50,331,648 bytes"),
        (
            archive({"report.json": b"{}"}, zipfile.ZIP_BZIP2),
            "report.json has an unsupported compression",
        ),
        (archive({str(n): b"" for n in range(11)}), "the archive has more than 10 files"),
        (packed(b"{}"), "report.json:1: "),
    ],
    ids=["no zip", "no report", "no json", "deep", "bomb", "bzip2", "many files", "no fields"],
)
def test_a_hostile_archive_is_refused(double: GitHubDouble, content: bytes, why: str) -> None:
    double.add_artifact(VENDOR, add_run(double), "accelerator-report", content)
    found = find_report(place(double), asked())
    assert found.state == "refused"
    assert found.why.startswith(why)


def test_an_archive_that_lies_about_its_size_is_read_only_so_far(double: GitHubDouble) -> None:
    content = b"x" * (MOST_PACKED + 1)
    lie = {"size_in_bytes": 10}
    double.add_artifact(VENDOR, add_run(double), "accelerator-report", content, **lie)
    found = find_report(place(double), asked())
    assert found.state == "refused"
    assert found.why.endswith("the file has more than 8,388,608 bytes")


def test_what_says_that_it_is_too_large_is_not_fetched(double: GitHubDouble) -> None:
    lie = {"size_in_bytes": MOST_PACKED + 1}
    double.add_artifact(VENDOR, add_run(double), "accelerator-report", b"", **lie)
    assert (
        told(find_report(place(double), asked()))[1] == "the archive has more than 8,388,608 bytes"
    )
    assert double.said("GET", "zip$") == []


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"accelerator": "other"}, "the report is about other, the run was for example"),
        ({"kind": "baseline"}, "the report is a baseline, not a test run"),
        ({"environment": {}}, "report.json:1: the run has no PyTorch version"),
        (
            {"trigger": {"kind": "pull-request", "pull_request": 8}},
            "the report is for pull request 8",
        ),
        (
            {"trigger": {"kind": "pull-request", "commit": "c" * 40}},
            "the report is for commit cccccccccccc",
        ),
        (
            {"trigger": {"kind": "pull-request", "repository": "evil/pytorch"}},
            "the report is for evil/pytorch",
        ),
        ({"started": SENT - dt.timedelta(minutes=11)}, "the report is older than the event"),
        ({"finished": NOW + dt.timedelta(minutes=11)}, "report.json:1: finished is in the future"),
    ],
)
def test_a_report_that_lies_is_refused(
    double: GitHubDouble, changed: dict[str, object], why: str
) -> None:
    answered(double, GOOD, **changed)
    found = find_report(place(double), asked())
    assert (found.state, found.report) == ("refused", None)
    assert found.why.startswith(why)


@pytest.mark.parametrize(
    "changed",
    [
        {"started": SENT - dt.timedelta(minutes=9)},
        {"finished": NOW + dt.timedelta(minutes=9)},
        {"trigger": {"kind": "pull-request", "pull_request": 7, "commit": HEAD[:12]}},
    ],
)
def test_clocks_may_differ_by_some_minutes(
    double: GitHubDouble, changed: dict[str, object]
) -> None:
    answered(double, GOOD, **changed)
    assert find_report(place(double), asked()).state == "report"


def test_an_error_of_github_s_is_no_answer(double: GitHubDouble) -> None:
    answered(double, GOOD)
    for match in ("GET repos/vendor/plugin/actions/runs$", "zip$", "GET files/"):
        double.faults = [Fault(match, 500, times=9)]
        with pytest.raises(GitHubError):
            find_report(place(double), asked())


def test_only_what_was_asked_for_is_looked_at(double: GitHubDouble) -> None:
    answered(double, GOOD)
    find_report(place(double), asked(UpstreamRun(dispatch=DISPATCH.dispatch)))
    (runs,) = double.said("GET", "runs$")
    assert (runs.query["event"], runs.query["created"]) == (
        "repository_dispatch",
        ">=2026-11-21T06:00:00Z",
    )
