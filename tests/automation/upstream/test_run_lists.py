"""Runs and artifacts are listed with few requests."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator

import pytest

from accelerator_automation.upstream.delivery import Delivery
from accelerator_automation.upstream.run_lists import ArtifactLists, RunLists
from accelerator_portal.catalog.files.accelerator import Dispatch, UpstreamRun
from tests.automation.github_double import Fault, GitHubDouble
from tests.automation.upstream.scene import (
    NOW,
    SENT,
    VENDOR,
    add_run,
    asked,
    change,
    client,
    find,
    packed,
    report,
)

LIST = rf"{VENDOR}/actions/runs$"


def events(number: int) -> Iterator[Delivery]:
    """A minute between two of them; the last one is the newest."""
    for index in range(number):
        sent = asked().model_copy(update={"change": change(delivery=f"event-{index:05}")})
        yield sent.model_copy(update={"sent": SENT + dt.timedelta(seconds=index)})


def answered_by_vendor(double: GitHubDouble, sent: Delivery, archive: bytes) -> None:
    began = f"{sent.at + dt.timedelta(minutes=1):%Y-%m-%dT%H:%M:%SZ}"
    run = add_run(double, f"{sent.change.delivery}/example", created_at=began)
    double.add_artifact(VENDOR, run, "accelerator-report", archive)


def test_of_540_events_each_report_is_found_and_the_runs_are_listed_once(
    double: GitHubDouble,
) -> None:
    sent = list(events(540))
    for one in sent[:50]:
        answered_by_vendor(double, one, packed(report({"one": "passed"})))
    for one in sent[50:]:
        add_run(double, f"{one.change.delivery}/example", status="queued", conclusion=None)
    found = find(double, sent)
    states = [one.state for one in found]
    assert (states.count("report"), states.count("running")) == (50, 490)
    assert len(double.said("GET", LIST)) == 6
    # The first three runs are asked for their artifacts; then these are listed, a page for all.
    assert len(double.asked) == 6 + 3 + 1 + 2 * 50


def test_more_than_a_thousand_runs_are_listed_in_parts(double: GitHubDouble) -> None:
    """GitHub gives no more than that for one question."""
    sent = list(events(2500))
    for one in sent:
        began = f"{one.at:%Y-%m-%dT%H:%M:%SZ}"
        add_run(double, f"{one.change.delivery}/example", created_at=began)
    found = RunLists(client(double), {VENDOR: SENT}).of(VENDOR, "repository_dispatch")
    assert len(found) == 2500
    assert len(double.said("GET", LIST)) < 30


def test_a_repository_that_cannot_be_listed_is_asked_once(double: GitHubDouble) -> None:
    double.faults = [Fault("GET", 404, "Not Found", times=99)]
    found = find(double, events(20))
    assert all("Not Found (HTTP 404)" in one.why for one in found)
    assert len(double.asked) == 1


@pytest.mark.parametrize("seconds", [-3600, 0])
def test_a_run_that_is_older_than_its_own_event_does_not_count(
    double: GitHubDouble, seconds: int
) -> None:
    """The list of a round begins before the oldest event; each event still has its own time."""
    first, last = asked(), asked().model_copy(update={"change": change(delivery="event-later")})
    last = last.model_copy(update={"sent": SENT + dt.timedelta(hours=1)})
    began = f"{last.at + dt.timedelta(seconds=seconds):%Y-%m-%dT%H:%M:%SZ}"
    add_run(double, "event-later/example", created_at=began, status="queued")
    found = find(double, [first, last])
    states = [one.state for one in found]
    assert states == ["waiting", "running" if seconds == 0 else "waiting"]


def test_a_vendor_that_takes_days_does_not_lengthen_the_lists_of_others(
    double: GitHubDouble,
) -> None:
    slow = UpstreamRun(dispatch=Dispatch(repository="slow/plugin", event_type="event"))
    double.repositories.add("slow/plugin")
    long_ago = asked(slow).model_copy(update={"sent": SENT - dt.timedelta(days=3)})
    find(double, [asked(), long_ago])
    created = {
        one.path.split("/")[1]: one.query["created"] for one in double.said("GET", "actions/runs$")
    }
    assert created == {"slow": ">=2026-11-18T06:00:00Z", "vendor": ">=2026-11-21T06:00:00Z"}


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
