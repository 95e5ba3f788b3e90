from __future__ import annotations

import datetime as dt

import pytest

from accelerator_automation.github.api import GitHubError
from accelerator_automation.upstream.incoming import (
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


@pytest.mark.parametrize(
    ("status", "hours", "words"),
    [
        ("behind", 0, None),
        ("identical", 23, None),
        ("ahead", 0, "^forged: commit {} is not on main$"),
        ("diverged", 0, "^forged: commit {} is not on main$"),
        ("behind", 25, "^out of order: commit {} has been on main since .* more than a day$"),
        ("behind", 24 * 740, "^out of order: commit {} has been .* more than a day$"),
    ],
)
def test_a_push_is_on_main_for_less_than_a_day(
    double: GitHubDouble, status: str, hours: int, words: str | None
) -> None:
    """A commit of a fork can be read under the repository's own name."""
    committer = {"date": (NOW - dt.timedelta(hours=hours)).isoformat()}
    found = {"sha": HEAD, "commit": {"committer": committer}}
    compared = {"status": status, "merge_base_commit": found}
    double.records[f"repos/{UPSTREAM}/compare/main...{HEAD}"] = compared
    push = change(occasion="push", number=None, action=None, base=None, title="")
    if words is None:
        assert confirmed_change(client(double), push, NOW) == push
    else:
        with pytest.raises(RefusedEventError, match=words.format(HEAD)):
            confirmed_change(client(double), push, NOW)


def test_a_day_has_one_number(double: GitHubDouble) -> None:
    double.records[f"repos/{UPSTREAM}/commits/main"] = {"sha": HEAD}
    found = main_branch_change(client(double), "daily", NOW)
    assert (found.delivery, found.head) == ("daily-20261121-aaaaaaaaaaaa", HEAD)
    later = main_branch_change(client(double), "daily", NOW + dt.timedelta(hours=3))
    assert found == later
