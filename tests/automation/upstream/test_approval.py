"""Whose code runs on vendors' machines: only a sign that a stranger cannot give counts."""

from __future__ import annotations

from typing import Any

import pytest

from accelerator_automation.upstream.change import confirmed_change
from tests.automation.github_double import GitHubDouble
from tests.automation.upstream.scene import BASE, HEAD, NOW, NUMBER, UPSTREAM, change, client

PULL = f"repos/{UPSTREAM}/pulls/{NUMBER}"
EVENTS = f"repos/{UPSTREAM}/issues/{NUMBER}/events"
OLDER = "d" * 40
LABEL = "module: ex"


def review(state: str, login: str = "maintainer", **changed: object) -> dict[str, Any]:
    made = {"user": {"login": login, "type": "User"}, "state": state, "commit_id": HEAD}
    return {**made, "author_association": "MEMBER", **changed}


def labeled(login: str = "maintainer", kind: str = "User", name: str = LABEL) -> dict[str, Any]:
    return {"event": "labeled", "actor": {"login": login, "type": kind}, "label": {"name": name}}


ADDED = {"action": "labeled", "added": LABEL}


@pytest.mark.parametrize(
    ("pull", "reviews", "events", "changed", "approval"),
    [
        # Authors
        ({"author_association": "MEMBER"}, [], [], {}, "the author is a member"),
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
        (
            {},
            [review("COMMENTED", f"reader-{n}") for n in range(100)] + [review("APPROVED")],
            [], {}, "approved by maintainer",
        ),
        # Labels
        ({}, [], [labeled()], ADDED, "labeled by maintainer"),
        ({}, [], [labeled()], {}, None),  # added earlier, perhaps to another commit
        ({}, [], [labeled()], {**ADDED, "head": None}, None),  # the event names no commit
        ({}, [], [labeled("pytorch-bot[bot]", "Bot")], ADDED, None),
        ({}, [], [labeled("PyTorchMergeBot")], ADDED, None),
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
    known = {"author_association": "NONE", "base": {"sha": BASE, "repo": {"full_name": UPSTREAM}}}
    double.records[PULL] |= known | pull
    double.records[f"{PULL}/reviews"] = reviews
    double.records[EVENTS] = events
    # What the event claims does not count.
    claimed = change(**{"approval": "the author is a member", **changed})
    assert confirmed_change(client(double), claimed, NOW).approval == approval
