"""From a pull request of PyTorch's to a regression that is closed, with the workflows' own steps.

One test, because each chapter goes on from what the one before left on GitHub and in git.
"""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.automation.github_double import serve
from tests.automation.upstream.scene import HOME, NUMBER, UPSTREAM, packed, pull_webhook
from tests.automation.upstream.story import HOSTILE, PLATFORMS, Story, assert_inert, set_stage
from tests.automation.upstream.vendors import (
    HOSTILE_NAME,
    VendorJob,
    finish,
    hostile_archives,
    hostile_report,
    start,
    upload,
)

FIRST, REPLACED, FIXED, MERGED = (digit * 40 for digit in "abcd")


@pytest.fixture
def story(tmp_path: Path) -> Iterator[Story]:
    """Before the first event: PyTorch with a pull request, vendors, and the App at all of them."""
    with serve() as double:
        set_stage(double)
        yield Story(tmp_path, double)


def test_from_a_pull_request_to_a_regression_that_is_closed(story: Story) -> None:
    jobs = the_event_is_planned_and_sent(story)
    slow = the_first_round_answers_once_and_refuses_what_is_hostile(story, jobs)
    the_second_round_edits_the_same_comment(story, slow)
    jobs = the_newest_push_replaces_the_older_one(story)
    the_fix_renews_the_comment(story, jobs)
    a_report_of_main_is_pushed(story)
    a_night_opens_an_issue_and_a_later_one_closes_it(story)


def the_event_is_planned_and_sent(story: Story) -> dict[str, VendorJob]:
    """All platforms are told once, with what their workflows need."""
    done = story.event(pull_webhook(), "delivery-1", "pull_request")
    assert (done.statuses, done.outputs) == ({"Plan": 0}, "planned=true\n")
    assert [
        name for name in PLATFORMS if f"- `{name}`: unit, models; " in done.summary
    ] == PLATFORMS
    done, jobs = story.send()
    assert (done.statuses, done.summary) == ({"Send": 0}, "# Events sent to 8 of 8 platforms\n")
    assert sorted(jobs) == PLATFORMS
    assert {(job.commit, job.pull_request) for job in jobs.values()} == {(FIRST, str(NUMBER))}
    again, none = story.send()
    assert (again.statuses, none) == ({"Send": 0}, {})
    return jobs


def the_first_round_answers_once_and_refuses_what_is_hostile(
    story: Story, jobs: dict[str, VendorJob]
) -> VendorJob:
    """Who is done is answered; one vendor's harm concerns that vendor alone."""
    double = story.double
    finish(double, jobs["fast"], jobs["fast"].report({"good": "wrong-result", "bad": "failed"}))
    start(double, jobs["broken"], "failure")
    attack = {"good": "passed", HOSTILE_NAME: "failed"}
    finish(double, jobs["injector"], hostile_report(jobs["injector"], attack))
    refused = {}
    for job, made, why in hostile_archives(jobs):
        finish(double, job, made)
        refused[job.accelerator] = why
    done = story.answer()
    assert set(done.statuses.values()) == {0}, done.printed
    what = f"Pull request {NUMBER} of `{UPSTREAM}` at `{FIRST[:12]}`"
    for name, why in refused.items():
        assert f"- `{name}`, {what}: **refused** `{why}`\n" in done.summary
    ended = "the run ended without a report (conclusion: failure)"
    assert f"- `broken`, {what}: **refused** `{ended}`\n" in done.summary
    assert f"- `slow`, {what}: waiting `there is no run with the title " in done.summary
    (text,) = story.comments
    assert "**New failures: `Fast` 1 test, `Injector` 1 test.**" in text
    assert "- `made-up/good` wrong-result" in text
    assert "made-up/bad" not in text
    assert not any(name.title() in text for name in (*HOSTILE, "broken", "slow"))
    assert_inert(text)
    assert story.checks == [("fast", "aaa", "failure"), ("injector", "aaa", "neutral")]
    for check in double.check_runs[UPSTREAM]:
        assert_inert(check["output"]["summary"])
    assert not list(story.folder.parent.rglob("*evil*"))
    story.lose_ledger()
    done = story.answer()  # everything again
    assert "`The comment on pull request 7 is already up to date.`" in done.summary
    assert "`The check run accelerators/fast was updated.`" in done.summary
    assert (story.comments, len(story.checks)) == ([text], 2)
    return jobs["slow"]


def the_second_round_edits_the_same_comment(story: Story, slow: VendorJob) -> None:
    """The slow one's run is waited for; then the comment has it, too."""
    before = story.double.comments[UPSTREAM, NUMBER][0]["id"]
    (text,) = story.comments
    run = start(story.double, slow)
    done = story.answer()
    assert f"`slow`, Pull request {NUMBER}" in done.summary
    assert ": running `the run is in progress" in done.summary
    assert story.comments == [text]
    (entry,) = (one for one in story.double.runs[HOME] if one["id"] == run)
    entry.update(status="completed", conclusion="success")
    parts = [slow.report({"good": "crashed"}), slow.report({"bad": "failed"})]
    upload(story.double, slow, run, *parts)
    for _ in range(2):  # a round that is repeated changes nothing
        assert set(story.answer().statuses.values()) == {0}
        (comment,) = story.double.comments[UPSTREAM, NUMBER]
        assert comment["id"] == before
        assert "`Fast` 1 test, `Injector` 1 test, `Slow` 1 test.**" in comment["body"]
        assert_inert(comment["body"])
    assert len(story.double.said("POST", "comments$")) == 1
    assert len(story.double.said("PATCH", "comments/")) == 1
    assert [name for name, *_ in story.checks] == ["fast", "injector"]


def the_newest_push_replaces_the_older_one(story: Story) -> dict[str, VendorJob]:
    """Of two pushes before the sender runs, the newer one alone is sent."""
    for head, delivery in ((REPLACED, "delivery-2"), (FIXED, "delivery-3")):
        assert story.push(head, delivery).statuses == {"Plan": 0}
    done, jobs = story.send()
    assert "8 unsent dispatches are replaced by a newer event." in done.summary
    assert {job.commit for job in jobs.values()} == {FIXED}
    assert sorted(jobs) == PLATFORMS
    return jobs


def the_fix_renews_the_comment(story: Story, jobs: dict[str, VendorJob]) -> None:
    """The new commit breaks nothing; an artifact that is no report is refused."""
    good = {"good": "passed", HOSTILE_NAME: "passed"}
    for name in ("fast", "injector"):
        finish(story.double, jobs[name], jobs[name].report(good))
    finish(story.double, jobs["slow"], jobs["slow"].report(good), jobs["slow"].report({}))
    finish(story.double, jobs["broken"], packed(b"<html>not a report</html>"))
    done = story.answer()
    assert set(done.statuses.values()) == {0}, done.printed
    (text,) = story.comments
    assert "No new failures in the latest reports." in text
    assert "**New failures" not in text
    assert all(f"`{name}` at `{FIXED[:12]}`" in text for name in ("Fast", "Injector", "Slow"))
    assert (
        "- `broken`, Pull request 7 of `pytorch/pytorch` at `cccccccccccc`: **refused** `report.json"
        in done.summary
    )
    assert story.checks[2:] == [("fast", "ccc", "success"), ("injector", "ccc", "success")]


def a_report_of_main_is_pushed(story: Story) -> None:
    """A push to PyTorch's main is tested, too, and what came of it is kept in git."""
    now = dt.datetime.now(dt.UTC)
    story.double.records[f"repos/{UPSTREAM}/compare/main...{MERGED}"] = {
        "status": "identical",
        "merge_base_commit": {"sha": MERGED, "commit": {"committer": {"date": now.isoformat()}}},
    }
    webhook = {"ref": "refs/heads/main", "after": MERGED, "repository": {"full_name": UPSTREAM}}
    assert story.event(webhook, "delivery-4", "push").statuses == {"Plan": 0}
    _, jobs = story.send()
    assert {(job.commit, job.pull_request) for job in jobs.values()} == {(MERGED, "")}
    finish(story.double, jobs["fast"], jobs["fast"].report({"good": "failed", "bad": "failed"}))
    attack = {"good": "passed", HOSTILE_NAME: "failed"}
    finish(story.double, jobs["injector"], hostile_report(jobs["injector"], attack))
    for job, made, _ in hostile_archives(jobs):
        finish(story.double, job, made)
    done = story.answer()
    assert set(done.statuses.values()) == {0}, done.printed
    assert "`Stored the report of fast.`" in done.summary
    assert "Pushed 2 files to main." in done.printed["Push reports of PyTorch's main"]
    kept = {name: story.machine.on_main(main_report(name)) for name in PLATFORMS}
    assert sorted(name for name, text in kept.items() if text) == ["fast", "injector"]
    assert json.loads(kept["fast"] or "")["trigger"]["commit"] == MERGED
    assert len(story.comments) == 1


def main_report(name: str) -> str:
    return f"accelerators/{name}/results/upstream-main.json"


def a_night_opens_an_issue_and_a_later_one_closes_it(story: Story) -> None:
    """The regression on main is an issue until a report says that the test passes."""
    story.feed({"good": "failed", "bad": "failed"})
    done = story.night()
    assert set(done.statuses.values()) == {0}, done.printed
    assert "- reports: `1 feed, 1 new`" in done.summary
    assert "- folders: `9 valid, 0 quarantined`" in done.summary
    assert "- issues: `2 opened, 0 updated, 0 closed`" in done.summary
    # On one day of the week, the portal also compares the files that its shared data cites.
    titles = [issue for issue in story.double.issues[HOME] if "cited files" not in issue["title"]]
    fast, injector = titles
    assert fast["title"] == "fast: made-up/good failed"
    assert injector["title"].startswith("injector: made-up/")
    for issue in (fast, injector):
        assert_inert(issue["body"])
    assert story.machine.on_main("accelerators/fast/results/nightly.json")

    story.feed({"good": "passed", "bad": "failed"})
    done = story.night()
    assert set(done.statuses.values()) == {0}, done.printed
    assert "- issues: `0 opened, 0 updated, 1 closed`" in done.summary
    assert [(one["state"], one.get("state_reason")) for one in (fast, injector)] == [
        ("closed", "completed"),
        ("open", None),
    ]
    state = story.machine.on_main("data/history/fast.sha256")
    assert state
    assert len(story.comments) == 1
