"""A trend is told in words beside its picture."""

from __future__ import annotations

import pytest

from accelerator_portal.catalog import load_catalog
from accelerator_portal.site.pages.history import trend_group
from tests.folders import EXAMPLE, Tree
from tests.portal.results.made_up import Outcomes, history_of, made_up

DAYS: list[Outcomes] = [{"a": "passed", "b": "passed"}, {"a": "failed", "b": "passed"}]


@pytest.mark.parametrize(
    ("kind", "title", "words"),
    [
        ("self-reported", "Example", "passed"),
        ("baseline", "Example: baseline, not runs", "expected to pass"),
    ],
)
def test_a_trend_is_told_in_words(tree: Tree, kind: str, title: str, words: str) -> None:
    catalog, problems = load_catalog(tree(EXAMPLE))
    assert catalog is not None, problems
    history = history_of(*(made_up(day, tests, kind=kind) for day, tests in enumerate(DAYS)))
    group = trend_group(catalog, history)
    assert group.title == title
    assert [figure.caption for figure in group.figures] == [
        f"models: 2 of 2 {words} on 2026-03-01, 1 of 2 on 2026-03-02"
    ]
