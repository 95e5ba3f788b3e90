from __future__ import annotations

import datetime as dt

from accelerator_portal.catalog.catalog import aged_facts, facts_by_platform
from tests.folders import EXAMPLE, INSTALL, RELEASES, Tree, edited, loaded

OLD = "title: Example data, made up for the tests\n    read: 2025-10-01"
NEW = "title: Example data, made up for the tests\n    read: 2026-01-02"


def test_the_oldest_reading_comes_first_and_is_stale_first(tree: Tree) -> None:
    catalog = loaded(tree(edited((INSTALL, NEW, OLD))))
    found = aged_facts(catalog)
    assert found[0].fact.path == INSTALL
    days = [one.read for one in found]
    assert days == sorted(days)
    limit = dt.date(2025, 10, 1) + dt.timedelta(days=90)
    assert not found[0].is_stale(limit)
    assert found[0].is_stale(limit + dt.timedelta(days=1))
    assert not found[-1].is_stale(limit + dt.timedelta(days=1))


def test_a_fact_is_as_old_as_its_oldest_source_and_as_good_as_its_best(tree: Tree) -> None:
    second = (
        "  wheel:\n    package: torch\n    title: Metadata\n    read: 2025-10-01\n"
        "variants:\n  - {id: ex2"
    )
    both = "check: python\n    source: [made-up, wheel]\n  - id: nightly"
    files = edited(
        (INSTALL, "variants:\n  - {id: ex2", second),
        (INSTALL, "check: python\n    source: made-up\n  - id: nightly", both),
    )
    found = [one for one in aged_facts(loaded(tree(files))) if one.fact.path == INSTALL]
    (aged,) = [one for one in found if len(one.fact.sources) == 2]
    assert (aged.read, aged.trust) == (dt.date(2025, 10, 1), "metadata")
    assert {one.trust for one in found if one is not aged} == {"vendor"}


def test_facts_belong_to_a_folder_or_to_all(tree: Tree) -> None:
    groups = facts_by_platform(aged_facts(loaded(tree(EXAMPLE))))
    assert set(groups) == {"example", ""}
    assert {one.fact.path for one in groups[""]} == {RELEASES}


def test_a_source_may_have_the_id_source(tree: Tree) -> None:
    files = {**EXAMPLE, INSTALL: EXAMPLE[INSTALL].replace("made-up", "source")}
    renamed, usual = (
        [one.fact.text for one in aged_facts(loaded(tree(f)))] for f in (files, EXAMPLE)
    )
    assert renamed == usual
