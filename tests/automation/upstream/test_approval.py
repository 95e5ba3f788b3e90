"""Whose code runs on vendors' machines: only a sign that a stranger cannot give counts."""

from __future__ import annotations

from typing import Any

import pytest

from accelerator_automation.upstream.incoming import confirmed_change
from tests.automation.github_double import GitHubDouble
from tests.automation.upstream.scene import BASE, HEAD, NOW, NUMBER, UPSTREAM, change, client

PULL = f"repos/{UPSTREAM}/pulls/{NUMBER}"
EVENTS = f"repos/{UPSTREAM}/issues/{NUMBER}/events"
ACTIVITY = "repos/author/pytorch/activity"
OLDER = "d" * 40
LABEL = "module: ex"
LABELED = "2026-11-21T11:59:00Z"
BEFORE = "2026-11-21T11:58:59Z"


def review(
    state: str, login: str = "maintainer", kind: str = "User", **changed: object
) -> dict[str, Any]:
    made = {"user": {"login": login, "type": kind}, "state": state, "commit_id": HEAD}
    return {**made, "author_association": "MEMBER", **changed}


def labeled(
    login: str = "maintainer", kind: str = "User", name: str = LABEL, **changed: object
) -> dict[str, Any]:
    made = {"event": "labeled", "actor": {"login": login, "type": kind}, "label": {"name": name}}
    return {**made, "created_at": LABELED, "performed_via_github_app": None, **changed}


def commented(number: int) -> dict[str, Any]:
    """An event that anybody can cause."""
    return {"event": "mentioned", "created_at": LABELED, "actor": {"login": f"reader-{number}"}}


def without(record: dict[str, Any], key: str) -> dict[str, Any]:
    return {name: value for name, value in record.items() if name != key}


ADDED = {"action": "labeled", "added": LABEL, "sender": "maintainer"}
MEMBER = {"author_association": "MEMBER"}
APP = {"id": 1, "slug": "some-app"}


@pytest.mark.parametrize(
    ("pull", "reviews", "events", "changed", "approval"),
    [
        # Authors
        (MEMBER, [], [], {}, "the author is a member"),
        (MEMBER | {"user": {"login": "AUTHOR", "type": "User"}}, [], [], {}, "the author is a member"),
        # ... whose branch others push to, or who is a program
        (MEMBER | {"head": {"sha": HEAD, "repo": {"full_name": "else/pytorch"}}}, [], [], {}, None),
        (MEMBER | {"head": {"sha": HEAD, "repo": None}}, [], [], {}, None),
        (MEMBER | {"user": None}, [], [], {}, None),
        (MEMBER | {"user": {"login": "author"}}, [], [], {}, None),
        (MEMBER | {"user": {"login": "author", "type": "Bot"}}, [], [], {}, None),
        (
            MEMBER
            | {
                "user": {"login": "updatebot", "type": "User"},
                "head": {"sha": HEAD, "repo": {"full_name": "updatebot/pytorch"}},
            },
            [], [], {}, None,
        ),
        ({"author_association": "OWNER"}, [], [], {}, "the author is a member"),
        ({"author_association": "CONTRIBUTOR"}, [], [], {}, None),
        ({"author_association": "COLLABORATOR"}, [], [], {}, None),
        ({"author_association": "FIRST_TIME_CONTRIBUTOR"}, [], [], {}, None),
        (
            {"head": {"sha": HEAD, "repo": {"full_name": UPSTREAM}}},
            [], [], {}, f"the branch is in {UPSTREAM}",
        ),
        ({"head": {"sha": HEAD, "repo": {"full_name": "pytorch/other"}}}, [], [], {}, None),
        ({"head": {"sha": HEAD, "repo": None}}, [], [], {}, None),
        # Reviews
        ({}, [review("APPROVED")], [], {}, "approved by maintainer"),
        ({}, [review("APPROVED", commit_id=OLDER)], [], {}, None),
        ({}, [review("APPROVED", author_association="CONTRIBUTOR")], [], {}, None),
        ({}, [review("COMMENTED")], [], {}, None),
        ({}, [review("APPROVED"), review("COMMENTED")], [], {}, "approved by maintainer"),
        ({}, [review("APPROVED"), review("DISMISSED")], [], {}, None),
        ({}, [review("APPROVED"), review("CHANGES_REQUESTED")], [], {}, None),
        ({}, [review("APPROVED"), review("CHANGES_REQUESTED", "second")], [], {}, None),
        ({}, [review("APPROVED", user=None)], [], {}, None),
        ({}, [review("APPROVED", "pytorchupdatebot")], [], {}, None),
        ({}, [review("APPROVED", "an-app[bot]", "Bot")], [], {}, None),
        ({}, [review("APPROVED", user={"login": "maintainer"})], [], {}, None),
        (
            {},
            [review("APPROVED"), *(review("COMMENTED", f"reader-{n}") for n in range(2999)),
             review("CHANGES_REQUESTED")],
            [], {}, None,
        ),
        (
            {},
            [review("COMMENTED", f"reader-{n}") for n in range(100)] + [review("APPROVED")],
            [], {}, "approved by maintainer",
        ),
        # Labels
        ({}, [], [labeled()], ADDED, "labeled by maintainer"),
        ({}, [], [labeled()], {}, None),  # added earlier, perhaps to another commit
        ({}, [], [labeled()], {**ADDED, "sender": None}, None),
        ({}, [], [labeled(actor=None)], ADDED, None),
        ({}, [], [labeled(actor={"login": "maintainer"})], ADDED, None),
        ({}, [], [labeled("pytorchupdatebot")], {**ADDED, "sender": "pytorchupdatebot"}, None),
        # ... by an App that acts for a person
        ({}, [], [labeled(performed_via_github_app=APP)], ADDED, None),
        ({}, [], [without(labeled(), "performed_via_github_app")], ADDED, None),
        # ... by a bot, where the list of events still ends with a person's label
        ({}, [], [labeled()], {**ADDED, "sender": "pytorch-bot[bot]"}, None),
        # ... and removed
        ({}, [], [labeled(), labeled(event="unlabeled")], ADDED, None),
        ({}, [], [labeled(), labeled(event="unlabeled", name="other")], ADDED, "labeled by maintainer"),
        ({"labels": [{"name": "other"}]}, [], [labeled()], ADDED, None),
        # ... before the newest push
        ({}, [], [labeled(created_at=BEFORE)], ADDED, None),
        # ... in a list that GitHub cuts: what came after is not known
        ({}, [], [labeled(), *map(commented, range(2999)), labeled("pytorchbot")], ADDED, None),
        ({}, [], [*map(commented, range(2998)), labeled()], ADDED, "labeled by maintainer"),
        ({}, [], [labeled("pytorch-bot[bot]", "Bot")], {**ADDED, "sender": "pytorch-bot[bot]"}, None),
        ({}, [], [labeled("PyTorchMergeBot")], {**ADDED, "sender": "PyTorchMergeBot"}, None),
        ({}, [], [labeled(), labeled("pytorch-bot[bot]", "Bot")], ADDED, None),
        ({}, [], [labeled(name="other")], ADDED, None),
        ({}, [], [], ADDED, None),  # the event is forged: nobody added it
    ],
)  # fmt: skip
def test_a_commit_is_approved_by_somebody_with_rights_or_not_at_all(  # noqa: PLR0913, PLR0917
    double: GitHubDouble,
    pull: dict[str, object],
    reviews: list[dict[str, Any]],
    events: list[dict[str, Any]],
    changed: dict[str, object],
    approval: str | None,
) -> None:
    known = {
        "author_association": "NONE",
        "base": {"sha": BASE, "repo": {"full_name": UPSTREAM}},
        "labels": [{"name": LABEL}],
    }
    double.records[PULL] |= known | pull
    double.records[ACTIVITY] = [{"after": HEAD, "timestamp": BEFORE}]
    double.records[f"{PULL}/reviews"] = reviews
    double.records[EVENTS] = events
    # What the event claims does not count.
    claimed = change(**{"approval": "the author is a member", **changed})
    found = confirmed_change(client(double), claimed, NOW)
    assert (found.approval, bool(found.objection)) == (approval, approval is None)


@pytest.mark.parametrize(
    "activity",
    [
        None,
        [],
        [{"after": HEAD, "timestamp": LABELED}],
        [{"after": OLDER, "timestamp": BEFORE}, {"after": HEAD, "timestamp": BEFORE}],
    ],
)
def test_a_label_counts_only_if_github_dates_the_push_before_it(
    double: GitHubDouble, activity: list[dict[str, str]] | None
) -> None:
    double.records[PULL] |= {"author_association": "NONE", "labels": [{"name": LABEL}]}
    double.records[EVENTS] = [labeled()]
    if activity is not None:
        double.records[ACTIVITY] = activity
    found = confirmed_change(client(double), change(**ADDED), NOW)
    assert (found.approval, found.objection) == (None, "the commit may be newer than the new label")


def test_the_newest_push_to_the_branch_is_asked_for(double: GitHubDouble) -> None:
    head = {"sha": HEAD, "ref": "a&b#c", "repo": {"full_name": "author/pytorch"}}
    labels = {"author_association": "NONE", "labels": [{"name": LABEL}]}
    double.records[PULL] |= {**labels, "head": head}
    double.records[EVENTS] = [labeled()]
    double.records[ACTIVITY] = [{"after": HEAD, "timestamp": BEFORE}]
    assert confirmed_change(client(double), change(**ADDED), NOW).approval
    (asked,) = double.said("GET", ACTIVITY)
    assert asked.query == {"ref": "refs/heads/a&b#c", "per_page": "1"}
