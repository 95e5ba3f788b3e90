from __future__ import annotations

import datetime as dt
from urllib.parse import parse_qs

import pytest
import yaml

from accelerator_portal.catalog import Catalog, load_catalog
from accelerator_portal.results.archive import History
from accelerator_portal.results.breakages import open_breakages
from accelerator_portal.results.standing import Basis
from accelerator_portal.site.dashboard_view import BreakageRow, breakage_row, trend_group
from accelerator_portal.site.history_pages import trends
from tests.folders import EXAMPLE, Tree
from tests.results.made_up import START, Outcomes, folded, made_up

DAYS: list[Outcomes] = [{"a": "passed", "b": "passed"}, {"a": "failed", "b": "passed"}]
AT = START + dt.timedelta(days=5, hours=3, minutes=59)


@pytest.fixture
def catalog(tree: Tree) -> Catalog:
    found, problems = load_catalog(tree(EXAMPLE))
    assert found is not None, problems
    return found


def row(catalog: Catalog, hours: int = 72, **second: object) -> BreakageRow:
    state, _ = folded(made_up(0, DAYS[0]), made_up(1, DAYS[1], **second))
    (breakage,) = open_breakages(state, AT, dt.timedelta(hours=hours))
    return breakage_row(catalog.by_id["example"], breakage, "run it", AT)


@pytest.mark.parametrize(("hours", "age"), [(72, "99 h, overdue"), (100, "99 h")])
def test_an_age_is_in_whole_hours(catalog: Catalog, hours: int, age: str) -> None:
    assert row(catalog, hours).age == age


def test_what_differs_is_told(catalog: Catalog) -> None:
    assert row(catalog).differences == "torch: 2.0 → 2.1"
    both = row(catalog, environment={"hardware": "a card"}).differences
    assert set(both.split("; ")) == {"torch: 2.0 → not stated", "hardware: not stated → a card"}
    assert row(catalog, environment={"torch": "2.0"}).differences == "nothing that is stated"


def test_the_form_is_filled_with_a_known_issue(catalog: Catalog) -> None:
    form = parse_qs(row(catalog).declare.removeprefix("?"))
    assert form["filename"] == ["accelerators/example/known-issues.yaml"]
    (issue,) = yaml.safe_load(form["value"][0])["issues"]
    assert (issue["test"], issue["expires"]) == ("models/a", AT.date() + dt.timedelta(days=30))


@pytest.mark.parametrize(
    ("basis", "kind", "title", "words"),
    [
        ("runs", "self-reported", "Example", "passed"),
        ("baselines", "baseline", "Example: expectations, no runs", "expected to pass"),
    ],
)
def test_a_trend_is_told_in_words(
    catalog: Catalog, basis: Basis, kind: str, title: str, words: str
) -> None:
    state, changes = folded(*(made_up(day, tests, kind=kind) for day, tests in enumerate(DAYS)))
    found = trends(History(state, tuple(changes)))
    group = trend_group(catalog, catalog.by_id["example"], basis, found)
    assert group.title == title
    assert [figure.caption for figure in group.figures] == [
        f"models: 2 of 2 {words} on 2026-03-01, 1 of 2 on 2026-03-02"
    ]
