from __future__ import annotations

import datetime as dt

import pytest

from accelerator_portal.automation.github import GitHubError
from accelerator_portal.automation.upstream.change import RefusedEventError
from accelerator_portal.automation.upstream.confirming import confirmed, upstream_now
from tests.automation.github_double import Fault, GitHubDouble
from tests.automation.upstream.scene import BASE, HEAD, NOW, NUMBER, UPSTREAM, change, client

PULL = f"repos/{UPSTREAM}/pulls/{NUMBER}"


def test_github_s_word_counts_and_not_the_sender_s(double: GitHubDouble) -> None:
    double.records[PULL] |= {"title": "The real title", "labels": [{"name": "module: ex"}]}
    found = confirmed(client(double), change(title="Another", labels=("forged",), base=None))
    assert found == change(title="The real title", labels=("module: ex",))


def test_a_number_alone_gets_its_commit(double: GitHubDouble) -> None:
    found = confirmed(client(double), change(head=None, base=None))
    assert (found.head, found.base) == (HEAD, BASE)


@pytest.mark.parametrize(
    ("known", "words"),
    [
        (
            {"head": {"sha": "c" * 40, "repo": None}},
            "out of order: pull request 7 has a newer commit than aaaaaaaaaaaa",
        ),
        ({"state": "closed"}, "out of order: pull request 7 is closed by now"),
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
        confirmed(client(double), change())
    assert str(raised.value) == words


def test_a_pull_request_that_is_not_there_is_forged(double: GitHubDouble) -> None:
    with pytest.raises(
        RefusedEventError, match=r"^forged: GitHub has no such change .*/pulls/8: Not"
    ):
        confirmed(client(double), change(number=8))


def test_an_error_of_github_s_is_not_taken_for_a_forgery(double: GitHubDouble) -> None:
    double.faults = [Fault("GET", 500, times=9)]
    with pytest.raises(GitHubError):
        confirmed(client(double), change())


@pytest.mark.parametrize(
    ("status", "there"),
    [("behind", True), ("identical", True), ("ahead", False), ("diverged", False)],
)
def test_a_push_is_on_main_or_forged(double: GitHubDouble, status: str, *, there: bool) -> None:
    """A commit of a fork can be read under the repository's own name."""
    double.records[f"repos/{UPSTREAM}/compare/main...{HEAD}"] = {"status": status}
    push = change(occasion="push", number=None, action=None, base=None, title="")
    if there:
        assert confirmed(client(double), push) == push
    else:
        with pytest.raises(RefusedEventError, match=rf"^forged: commit {HEAD} is not on main$"):
            confirmed(client(double), push)


def test_a_day_has_one_number(double: GitHubDouble) -> None:
    double.records[f"repos/{UPSTREAM}/commits/main"] = {"sha": HEAD}
    found = upstream_now(client(double), UPSTREAM, "daily", NOW)
    assert (found.delivery, found.head) == ("daily-20261121-aaaaaaaaaaaa", HEAD)
    later = upstream_now(client(double), UPSTREAM, "daily", NOW + dt.timedelta(hours=3))
    assert found == later
