from __future__ import annotations

import pytest

from accelerator_automation.github.api import GitHubError
from accelerator_automation.upstream.comment import (
    CommentAccess,
    CommentMemory,
    merged_memory,
    update_comment,
)
from tests.automation.github_double import BOT, Fault, GitHubDouble
from tests.automation.upstream.scene import HEAD, NUMBER, UPSTREAM, change, client
from tests.automation.upstream.test_marker import answer as said

PULL = f"repos/{UPSTREAM}/pulls/{NUMBER}"
NEXT = "d" * 40


def desk(double: GitHubDouble) -> CommentAccess:
    return CommentAccess(client(double), BOT, {})


def bodies(double: GitHubDouble) -> list[str]:
    return [str(one["body"]) for one in double.comments.get((UPSTREAM, NUMBER), [])]


def push(double: GitHubDouble, head: str) -> None:
    double.records[PULL]["head"]["sha"] = head


def test_news_is_told_once(double: GitHubDouble) -> None:
    assert (
        update_comment(desk(double), change(), [said()])
        == "A comment on pull request 7 was posted."
    )
    again = update_comment(desk(double), change(), [said()])
    assert again == "The comment on pull request 7 is already up to date."
    (text,) = bodies(double)
    assert "**New failures: `Example` 1 test.**" in text
    assert len(double.said("POST", "comments")) == 1
    assert double.said("PATCH", "comments") == []


def test_without_news_there_is_silence(double: GitHubDouble) -> None:
    words = update_comment(desk(double), change(), [said(broken=0)])
    assert words == "No new failures in pull request 7: no comment posted."
    assert bodies(double) == []


def test_another_platform_and_another_commit_renew_the_same_comment(double: GitHubDouble) -> None:
    update_comment(desk(double), change(), [said()])
    update_comment(desk(double), change(), [said("other", 3)])
    push(double, NEXT)
    words = update_comment(desk(double), change(head=NEXT), [said(broken=0, head=NEXT)])
    assert words == "The comment on pull request 7 was updated."
    (text,) = bodies(double)
    assert "**New failures: `Other` 3 tests.**" in text
    assert "No new failures any more: `Example` at `dddddddddddd`" in text


def test_what_is_of_an_older_commit_comes_too_late(double: GitHubDouble) -> None:
    push(double, NEXT)
    words = update_comment(desk(double), change(), [said()])
    assert words == "Pull request 7 has a newer commit: no comment posted."
    assert bodies(double) == []


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"state": "closed"}, "Pull request 7 is closed: no comment posted."),
        (
            {"labels": [{"name": "no-accelerator-reports"}]},
            "Pull request 7 has the label no-accelerator-reports: no comment posted.",
        ),
    ],
)
def test_closed_and_muted_pull_requests_hear_nothing(
    double: GitHubDouble, changed: dict[str, object], words: str
) -> None:
    double.records[PULL] |= changed
    assert update_comment(desk(double), change(), [said()]) == words
    assert bodies(double) == []


def test_a_marker_that_somebody_else_wrote_is_not_believed(double: GitHubDouble) -> None:
    update_comment(desk(double), change(), [said("other", 9)])
    double.comments[UPSTREAM, NUMBER][0]["user"] = {"login": "somebody"}
    update_comment(desk(double), change(), [said()])
    theirs, own = bodies(double)
    assert "`Other`" in theirs
    assert "`Other`" not in own


def test_the_own_comment_is_found_behind_hundreds(double: GitHubDouble) -> None:
    double.comments[UPSTREAM, NUMBER] = [
        {"id": n, "user": {"login": "a"}, "body": "words"} for n in range(1, 251)
    ]
    update_comment(desk(double), change(), [said()])
    update_comment(desk(double), change(), [said(broken=2)])
    assert len(bodies(double)) == 251


def test_a_comment_whose_answer_is_lost_is_found_in_the_next_round(double: GitHubDouble) -> None:
    double.faults = [Fault("POST .*comments", 502, after=True)]
    with pytest.raises(GitHubError):
        update_comment(desk(double), change(), [said()])
    words = update_comment(desk(double), change(), [said()])
    assert words == "The comment on pull request 7 is already up to date."
    assert len(bodies(double)) == 1


def test_a_comment_of_ours_that_was_edited_is_written_anew(double: GitHubDouble) -> None:
    update_comment(desk(double), change(), [said()])
    double.comments[UPSTREAM, NUMBER][0]["body"] = "<!-- accelerator-portal:upstream x -->"
    update_comment(desk(double), change(), [said()])
    (text,) = bodies(double)
    assert "**New failures: `Example` 1 test.**" in text


def test_memory_keeps_one_answer_of_each_platform() -> None:
    before = CommentMemory(answers=(said("b"), said("a")))
    after = merged_memory(before, [said("b", 0), said("c", 0), said("d", 2, head=HEAD)])
    assert [(one.accelerator, one.news.newly_broken) for one in after.answers] == [
        ("a", 1),
        ("b", 0),
        ("d", 2),
    ]
    many = merged_memory(CommentMemory(), [said(f"p{n}", n + 1) for n in range(50)])
    assert min(one.news.newly_broken for one in many.answers) == 11
