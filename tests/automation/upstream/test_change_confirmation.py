from __future__ import annotations

import datetime as dt

import pytest

from accelerator_automation.github.api import GitHubError
from accelerator_automation.upstream.change import (
    RefusedEventError,
    confirmed_change,
    main_branch_change,
)
from tests.automation.github_double import Fault, GitHubDouble
from tests.automation.upstream.scene import BASE, HEAD, NOW, NUMBER, UPSTREAM, change, client

PULL = f"repos/{UPSTREAM}/pulls/{NUMBER}"


def test_github_s_word_counts_and_not_the_sender_s(double: GitHubDouble) -> None:
    double.records[PULL] |= {"title": "The real title", "labels": [{"name": "module: ex"}]}
    found = confirmed_change(client(double), change(title="", base=None), NOW)
    assert found == change(title="The real title", labels=("module: ex",))


def test_a_number_alone_gets_its_commit(double: GitHubDouble) -> None:
    found = confirmed_change(client(double), change(head=None, base=None), NOW)
    assert (found.head, found.base) == (HEAD, BASE)


@pytest.mark.parametrize(
    ("known", "words"),
    [
        (
            {"head": {"sha": "c" * 40, "repo": None}},
            "out of order: pull request 7 has a newer commit than aaaaaaaaaaaa",
        ),
        ({"state": "closed"}, "out of order: pull request 7 is already closed"),
        (
            {"base": {"sha": BASE, "repo": {"full_name": "evil/pytorch"}}},
            "forged: pull request 7 belongs to another repository",
        ),
    ],
)
def test_what_github_denies_is_refused(
    double: GitHubDouble, known: dict[str, object], words: str
) -> None:
    double.records[PULL] |= known
    with pytest.raises(RefusedEventError) as raised:
        confirmed_change(client(double), change(), NOW)
    assert str(raised.value) == words


def test_a_pull_request_that_is_not_there_is_forged(double: GitHubDouble) -> None:
    with pytest.raises(
        RefusedEventError, match=r"^forged: GitHub doesn't have this change .*/pulls/8: Not"
    ):
        confirmed_change(client(double), change(number=8), NOW)


def test_an_error_of_github_s_is_not_taken_for_a_forgery(double: GitHubDouble) -> None:
    double.faults = [Fault("GET", 500, times=9)]
    with pytest.raises(GitHubError):
        confirmed_change(client(double), change(), NOW)


def compared(status: str, committed: dt.datetime) -> dict[str, object]:
    """What GitHub says of a commit beside main."""
    commit = {"committer": {"date": committed.isoformat()}}
    return {"status": status, "merge_base_commit": {"sha": HEAD, "commit": commit}}


@pytest.mark.parametrize(
    ("status", "there"),
    [("behind", True), ("identical", True), ("ahead", False), ("diverged", False)],
)
def test_a_push_is_on_main_or_forged(double: GitHubDouble, status: str, *, there: bool) -> None:
    """A commit of a fork can be read under the repository's own name."""
    double.records[f"repos/{UPSTREAM}/compare/main...{HEAD}"] = compared(status, NOW)
    push = change(occasion="push", number=None, action=None, base=None, title="")
    if there:
        assert confirmed_change(client(double), push, NOW) == push
    else:
        with pytest.raises(RefusedEventError, match=rf"^forged: commit {HEAD} is not on main$"):
            confirmed_change(client(double), push, NOW)


@pytest.mark.parametrize(("hours", "taken"), [(23, True), (25, False), (24 * 740, False)])
def test_an_old_commit_of_main_is_out_of_order(
    double: GitHubDouble, hours: int, *, taken: bool
) -> None:
    path = f"repos/{UPSTREAM}/compare/main...{HEAD}"
    double.records[path] = compared("behind", NOW - dt.timedelta(hours=hours))
    push = change(occasion="push", number=None, action=None, base=None, title="")
    if taken:
        assert confirmed_change(client(double), push, NOW) == push
    else:
        with pytest.raises(RefusedEventError, match=r"^out of order: commit .* more than a day$"):
            confirmed_change(client(double), push, NOW)


def test_a_day_has_one_number(double: GitHubDouble) -> None:
    double.records[f"repos/{UPSTREAM}/commits/main"] = {"sha": HEAD}
    found = main_branch_change(client(double), UPSTREAM, "daily", NOW)
    assert (found.delivery, found.head) == ("daily-20261121-aaaaaaaaaaaa", HEAD)
    later = main_branch_change(client(double), UPSTREAM, "daily", NOW + dt.timedelta(hours=3))
    assert found == later
