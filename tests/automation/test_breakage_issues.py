"""The real client against the double of GitHub; the breakages are made up."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from accelerator_automation.github.api import GitHubError
from accelerator_automation.github.client import GitHubClient
from accelerator_automation.github.comments import BOT
from accelerator_automation.issues import MOST_OPENED, Issues, body, update_breakage_issues
from accelerator_portal.catalog import Platform
from accelerator_portal.results.evidence_level import Breakage, open_breakages
from accelerator_reports.outcomes import Outcome
from tests.automation.github_double import HOME, Fault, GitHubDouble
from tests.folders import ACCELERATOR, EXAMPLE, Tree, loaded
from tests.portal.results.made_up import START, history_of, made_up

ISSUES = f"repos/{HOME}/issues"


@pytest.fixture(autouse=True)
def _as_the_workflow_itself(double: GitHubDouble) -> None:
    double.login = BOT


@pytest.fixture
def platform(tree: Tree) -> Platform:
    maintained = (
        EXAMPLE[ACCELERATOR]
        + "maintainers:\n  - {name: A Person, github: a-person, source: made-up}\n"
    )
    return loaded(tree({**EXAMPLE, ACCELERATOR: maintained})).by_id["example"]


def broken(platform: Platform, *days: dict[str, Outcome]) -> list[tuple[Platform, Breakage]]:
    history = history_of(*(made_up(day, outcomes) for day, outcomes in enumerate(days)))
    at = START + dt.timedelta(days=len(days))
    return [(platform, b) for b in open_breakages(history, at, dt.timedelta(hours=72))]


def one(platform: Platform, *more: dict[str, Outcome]) -> list[tuple[Platform, Breakage]]:
    return broken(platform, {"resnet18": "passed"}, {"resnet18": "crashed"}, *more)


def test_a_breakage_has_one_issue_from_its_beginning_to_its_end(
    double: GitHubDouble, client: GitHubClient, platform: Platform
) -> None:
    assert update_breakage_issues(client, HOME, one(platform)) == Issues(opened=1)
    (issue,) = double.issues[HOME]
    assert issue["title"] == "example: models/resnet18 crashed"
    assert issue["labels"] == [{"name": "breakage"}]
    assert issue["body"].splitlines()[2:-4] == [
        "`models/resnet18` passed on `Example` and now fails.",
        "",
        "- outcome: crashed",
        "- last passed: 2026-03-01 02:00 UTC",
        "- first failed: 2026-03-02 02:00 UTC",
        "- torch: `2.0` → `2.1`",
        "- contact: `a-person`",
    ]
    assert update_breakage_issues(client, HOME, one(platform)) == Issues()
    changed = one(platform, {"resnet18": "wrong-result"})
    assert update_breakage_issues(client, HOME, changed) == Issues(renewed=1)
    assert "- outcome: wrong-result" in double.issues[HOME][0]["body"]
    assert update_breakage_issues(client, HOME, broken(platform, {"resnet18": "passed"})) == Issues(
        closed=1
    )
    assert update_breakage_issues(client, HOME, []) == Issues()
    assert [issue["state"] for issue in double.issues[HOME]] == ["closed"]
    assert len(double.said("POST", ISSUES)) == 1


def test_what_a_maintainer_muted_or_closed_stays_so(
    double: GitHubDouble, client: GitHubClient, platform: Platform
) -> None:
    update_breakage_issues(client, HOME, one(platform))
    (issue,) = double.issues[HOME]
    issue["labels"].append({"name": "muted"})
    assert (
        update_breakage_issues(client, HOME, one(platform, {"resnet18": "wrong-result"}))
        == Issues()
    )
    issue["state"] = "closed"
    assert update_breakage_issues(client, HOME, one(platform)) == Issues()


def test_an_issue_that_a_person_edited_on_its_page_is_still_known(
    double: GitHubDouble, client: GitHubClient, platform: Platform
) -> None:
    update_breakage_issues(client, HOME, one(platform))
    (issue,) = double.issues[HOME]
    text = issue["body"]
    issue["body"] = f"{text}I look at it.\n".replace("\n", "\r\n")
    assert update_breakage_issues(client, HOME, one(platform)) == Issues(renewed=1)
    assert issue["body"] == text


def test_a_test_that_breaks_again_later_is_another_breakage(
    client: GitHubClient, platform: Platform
) -> None:
    update_breakage_issues(client, HOME, one(platform))
    again = one(platform, {"resnet18": "passed"}, {"resnet18": "failed"})
    assert update_breakage_issues(client, HOME, again) == Issues(opened=1, closed=1)


def test_nobody_else_can_be_the_automation(
    double: GitHubDouble, client: GitHubClient, platform: Platform
) -> None:
    update_breakage_issues(client, HOME, one(platform))
    double.issues[HOME][0]["user"] = {"login": "somebody"}
    assert update_breakage_issues(client, HOME, one(platform)) == Issues(opened=1)
    assert double.issues[HOME][0]["state"] == "open"


def test_of_two_issues_the_older_one_counts(
    double: GitHubDouble, client: GitHubClient, platform: Platform
) -> None:
    update_breakage_issues(client, HOME, one(platform))
    double.issues[HOME].append({**double.issues[HOME][0], "number": 2})
    assert update_breakage_issues(client, HOME, one(platform)) == Issues(closed=1)


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (Fault(f"POST {ISSUES}", cut=True, after=True), "did not respond"),
        (Fault(f"POST {ISSUES}", half=True), "was cut off"),
        (Fault(f"POST {ISSUES}", 200, "no issue", after=True), "has an unexpected format"),
    ],
)
def test_an_answer_that_was_lost_doubles_nothing(
    double: GitHubDouble, client: GitHubClient, platform: Platform, fault: Fault, words: str
) -> None:
    double.faults.append(fault)
    with pytest.raises(GitHubError, match=words):
        update_breakage_issues(client, HOME, one(platform))
    assert update_breakage_issues(client, HOME, one(platform)) == Issues()
    assert len(double.issues[HOME]) == 1


def test_what_nobody_looked_at_is_not_closed(
    double: GitHubDouble, client: GitHubClient, platform: Platform
) -> None:
    update_breakage_issues(client, HOME, one(platform))
    assert update_breakage_issues(client, HOME, [], unseen=["example"]) == Issues()
    assert update_breakage_issues(client, HOME, [], unseen=["exam"]) == Issues(closed=1)
    assert double.issues[HOME][0]["state"] == "closed"


def test_a_plugin_that_fails_everywhere_opens_a_few_issues_a_night(
    client: GitHubClient, platform: Platform
) -> None:
    names = [f"model{n}" for n in range(MOST_OPENED + 5)]
    before: dict[str, Outcome] = dict.fromkeys(names, "passed")
    after: dict[str, Outcome] = dict.fromkeys(names, "failed")
    first = update_breakage_issues(client, HOME, broken(platform, before, after))
    assert (first.opened, first.waiting) == (MOST_OPENED, 5)
    second = update_breakage_issues(client, HOME, broken(platform, before, after))
    assert (second.opened, second.waiting) == (5, 0)


@given(text=st.text(min_size=1, max_size=300).filter(lambda text: text.strip()))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])  # it changes nothing
def test_whatever_a_test_is_called_its_issue_can_do_nothing(platform: Platform, text: str) -> None:
    """`body` itself refuses what could act; it must never have to."""
    ((_, breakage),) = one(platform)
    made = body(platform, replace(breakage, key=text))
    assert made.startswith("<!-- accelerator-portal breakage example-")
