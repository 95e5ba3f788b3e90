"""What broke together is told once, with all that a maintainer needs to act."""

from __future__ import annotations

import datetime as dt
from urllib.parse import parse_qs

import pytest
import yaml

from accelerator_portal.catalog import Catalog, load_catalog
from accelerator_portal.results.evidence_level import open_breakages
from accelerator_portal.results.history import History
from accelerator_portal.site.pages.dashboard import Regression, regressions
from accelerator_portal.site.results.results_view import make_results_view
from tests.folders import ACCELERATOR, EXAMPLE, Tree
from tests.portal.results.made_up import START, Outcomes, history_of, made_up

GOOD: Outcomes = {"a": "passed", "b": "passed"}
BAD: Outcomes = {"a": "failed", "b": "passed"}
AT = START + dt.timedelta(days=5, hours=3, minutes=59)
COMMANDS = {"models/a": "run it"}


@pytest.fixture
def catalog(tree: Tree) -> Catalog:
    found, problems = load_catalog(tree(EXAMPLE))
    assert found is not None, problems
    return found


def found_in(
    catalog: Catalog, history: History, at: dt.datetime = AT, hours: int = 72
) -> list[Regression]:
    breakages = open_breakages(history, at, dt.timedelta(hours=hours))
    results = make_results_view(catalog)
    return list(regressions(catalog.by_id["example"], breakages, results, COMMANDS, at))


def one(catalog: Catalog, hours: int = 72, **second: object) -> Regression:
    history = history_of(made_up(0, GOOD), made_up(1, BAD, **second))
    (found,) = found_in(catalog, history, hours=hours)
    return found


@pytest.mark.parametrize(("hours", "overdue"), [(72, True), (100, False)])
def test_a_regression_has_a_deadline_that_may_have_passed(
    catalog: Catalog,
    hours: int,
    overdue: bool,  # noqa: FBT001 - a parameter
) -> None:
    found = one(catalog, hours)
    assert found.due == found.first_bad.started + dt.timedelta(hours=hours)
    assert found.overdue == overdue


def test_after_a_week_it_is_news_no_more(catalog: Catalog) -> None:
    history = history_of(made_up(0, GOOD), made_up(1, BAD))
    (early,) = found_in(catalog, history, START + dt.timedelta(days=7, hours=23))
    (late,) = found_in(catalog, history, START + dt.timedelta(days=8))
    assert (early.is_new, late.is_new) == (True, False)


def test_what_differs_is_told(catalog: Catalog) -> None:
    assert one(catalog).differences == ("torch: 2.0 → 2.1",)
    both = one(catalog, environment={"hardware": "a card"}).differences
    assert set(both) == {"torch: 2.0 → not stated", "hardware: not stated → a card"}
    assert one(catalog, environment={"torch": "2.0"}).differences == ()


def test_a_test_that_no_report_has_any_more_leads_to_its_history(catalog: Catalog) -> None:
    """A run of part of a suite does not end a test, but its page needs a report that has it."""
    found = one(catalog)
    history = "test-history/?platform=example-runs&test=models%2Fa"
    assert (found.address, found.tests[0].address) == (history, history)


def test_tests_that_broke_between_the_same_runs_are_one_regression(catalog: Catalog) -> None:
    names = [f"t{number:02}" for number in range(12)]
    first = made_up(0, dict.fromkeys(names, "passed"))
    second = made_up(1, dict.fromkeys(names, "crashed"))
    history = history_of(first, second)
    (found,) = found_in(catalog, history)
    assert [test.breakage.key for test in found.tests] == [f"models/{name}" for name in names]
    body = parse_qs(found.issue.removeprefix("?"))["body"][0]
    assert "models/t09" in body
    assert "models/t10" not in body
    assert "- and 2 more" in body


def test_tests_that_broke_in_different_runs_are_apart(catalog: Catalog) -> None:
    reports = [made_up(0, GOOD), made_up(1, BAD), made_up(2, {"a": "failed", "b": "failed"})]
    history = history_of(*reports)
    found = found_in(catalog, history)
    assert [[test.breakage.key for test in one.tests] for one in found] == [
        ["models/a"],
        ["models/b"],
    ]
    assert found[0].anchor != found[1].anchor


def test_the_commits_between_are_a_link_where_both_runs_state_them(catalog: Catalog) -> None:
    one_commit, other = "1" * 40, "2" * 40
    first = made_up(
        0,
        GOOD,
        environment={"torch_commit": one_commit},
        trigger={"kind": "nightly", "repository": "acme/plugin", "commit": one_commit},
    )
    second = made_up(
        1,
        BAD,
        environment={"torch_commit": other},
        trigger={"kind": "nightly", "repository": "acme/plugin", "commit": other},
    )
    (found,) = found_in(catalog, history_of(first, second))
    assert [(commits.name, commits.url) for commits in found.commits] == [
        (f"{name} 111111111…222222222", f"https://github.com/{name}/compare/{one_commit}...{other}")
        for name in ("pytorch/pytorch", "acme/plugin")
    ]
    assert one(catalog).commits == ()


def plugin(name: str, commit: str | None) -> dict[str, object]:
    return {"plugin": {"name": name, "version": "1.0", "commit": commit}}


@pytest.mark.parametrize(
    ("before", "after", "repository", "linked"),
    [
        (plugin("x", "1" * 40), plugin("x", "2" * 40), "repository: acme/x, ", True),
        (plugin("x", "1" * 40), plugin("x", "1" * 40), "repository: acme/x, ", False),
        (plugin("x", "1" * 40), plugin("y", "2" * 40), "repository: acme/x, ", False),
        (plugin("x", None), plugin("x", "2" * 40), "repository: acme/x, ", False),
        (plugin("x", "1" * 40), {}, "repository: acme/x, ", False),
        (plugin("x", "1" * 40), plugin("x", "2" * 40), "", False),
    ],
)
def test_the_plugins_commits_are_a_link_where_its_repository_is_known(
    tree: Tree,
    before: dict[str, object],
    after: dict[str, object],
    repository: str,
    linked: bool,  # noqa: FBT001 - a parameter
) -> None:
    old = "import: torch_example, "
    files = {**EXAMPLE, ACCELERATOR: EXAMPLE[ACCELERATOR].replace(old, f"{old}{repository}")}
    catalog, problems = load_catalog(tree(files))
    assert catalog is not None, problems
    runs = made_up(0, GOOD, environment=before), made_up(1, BAD, environment=after)
    (found,) = found_in(catalog, history_of(*runs))
    url = f"https://github.com/acme/x/compare/{'1' * 40}...{'2' * 40}"
    assert [commits.url for commits in found.commits] == [url] * linked


def test_the_form_of_an_issue_holds_the_facts(catalog: Catalog) -> None:
    form = parse_qs(one(catalog).issue.removeprefix("?"))
    assert form["title"] == ["Example: models/a regressed"]
    assert form["body"][0].splitlines() == [
        "Passed on 2026-03-01, failed since 2026-03-02.",
        "",
        "- `models/a`",
        "",
        "Differences between the two runs:",
        "- torch: 2.0 → 2.1",
        "",
        "To reproduce the first failure: `run it`",
    ]


def test_the_form_of_a_known_issue_is_filled(catalog: Catalog) -> None:
    (test,) = one(catalog).tests
    form = parse_qs(test.declare.removeprefix("?"))
    assert form["filename"] == ["accelerators/example/known-issues.yaml"]
    (issue,) = yaml.safe_load(form["value"][0])["issues"]
    assert (issue["test"], issue["expires"]) == ("models/a", AT.date() + dt.timedelta(days=30))
