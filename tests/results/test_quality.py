from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from accelerator_portal.catalog import Catalog
from accelerator_portal.results.quality import as_of, is_tested, quality
from tests.reports.examples import report

NOW = dt.datetime(2026, 2, 1, tzinfo=dt.UTC)


@pytest.mark.parametrize(
    ("changes", "met", "why"),
    [
        ({}, True, "a run of 2026-01-02 on torch 1.10.0"),
        ({"environment": {"torch": "1.10.1+cpu"}}, True, "a run of 2026-01-02 on torch 1.10.1+cpu"),
        ({"environment": {"torch": "1.9.1"}}, False, "the run is about torch 1.9.1, not 1.10.0"),
        ({"environment": {"torch": "main"}}, False, "the run is about torch main, not 1.10.0"),
        ({"started": "2025-12-01T00:00:00Z"}, False, "the run is 62 days old, more than 45"),
        ({"kind": "baseline"}, False, "no run of a required suite is known"),
        ({"tests": []}, False, "no run of a required suite is known"),
    ],
)
def test_a_recent_run_on_the_same_minor_release_counts(
    changes: dict[str, Any],
    met: bool,  # noqa: FBT001 - a parameter
    why: str,
    catalog: Catalog,
) -> None:
    assert catalog.criteria
    limits = catalog.criteria.tested.model_copy(update={"suites": ("made-up",)})
    criteria = catalog.criteria.model_copy(update={"tested": limits})
    answer = is_tested([report(**changes)], criteria, "1.10.0", NOW)
    assert (answer.met, answer.why) == (met, why)


def test_operators_that_must_pass_are_named(catalog: Catalog) -> None:
    assert catalog.criteria
    limits = catalog.criteria.tested.model_copy(
        update={"suites": ("made-up",), "must_pass": ("first", "add")}
    )
    criteria = catalog.criteria.model_copy(update={"tested": limits})
    answer = is_tested([report()], criteria, "1.10.0", NOW)
    assert not answer.met
    assert answer.why == "these operators did not pass: add"


def test_a_level_says_what_keeps_from_the_next(catalog: Catalog) -> None:
    assert catalog.criteria
    cuda = catalog.by_id["cuda"]
    none = quality(cuda, [], catalog.criteria, "2.15.0", NOW)
    assert none.level.id == "none"
    assert "Baseline only: no baseline is known" in none.missing
    expected = quality(cuda, [report(kind="baseline")], catalog.criteria, "2.15.0", NOW)
    assert expected.level.id == "expected"
    reported = quality(cuda, [report()], catalog.criteria, "2.15.0", NOW)
    assert reported.level.id == "reported"
    assert reported.missing == ("Tested: no run of a required suite is known",)
    ran = report({"suite": "timm"}, suites=[{"name": "timm", "kind": "model"}],
                 environment={"torch": "2.15.0"})  # fmt: skip
    assert quality(cuda, [ran], catalog.criteria, "2.15.0", NOW).level.id == "tested"


def test_ages_are_counted_to_the_newest_date_in_the_data(catalog: Catalog) -> None:
    newest = as_of(catalog, [])
    later = report(started="2030-01-01T00:00:00Z")
    assert as_of(catalog, [later]) == later.started
    assert newest < dt.datetime(2030, 1, 1, tzinfo=dt.UTC)
