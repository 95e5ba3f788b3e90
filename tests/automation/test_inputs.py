from __future__ import annotations

import datetime as dt
from dataclasses import replace
from pathlib import Path

import pytest

from accelerator_automation.archive_store import is_published, open_archive, store_published_digest
from accelerator_automation.building import inputs_digest
from accelerator_portal.catalog import Catalog
from accelerator_reports.files.problem import Problem
from tests.folders import EXAMPLE, GUIDE, Tree, loaded

PROBLEM = Problem("accelerators/broken/guide.md", 1, "made up", "mend it")


@pytest.fixture
def root(tree: Tree, tmp_path: Path) -> Path:
    """A clone in a hidden folder, all of whose files count."""
    hidden = tmp_path / ".work"
    hidden.mkdir()
    return tree(EXAMPLE).rename(hidden / "portal")


@pytest.fixture
def catalog(root: Path) -> Catalog:
    return loaded(root)


def test_the_same_is_the_same_and_is_remembered(root: Path, catalog: Catalog) -> None:
    archive = open_archive(str(root / "archive"))
    digest = inputs_digest(root, catalog, {})
    assert not is_published(archive, digest)
    store_published_digest(archive, digest)
    assert is_published(archive, inputs_digest(root, loaded(root), {}))


def test_each_file_of_a_site_counts_by_its_place_and_content(root: Path, catalog: Catalog) -> None:
    before = inputs_digest(root, catalog, {})
    (root / GUIDE).write_text("other", "utf-8")
    changed = inputs_digest(root, catalog, {})
    (root / GUIDE).rename(root / GUIDE.replace("guide", "guise"))
    moved = inputs_digest(root, catalog, {})
    (root / "data/releases.yaml").write_text("other", "utf-8")
    shared = inputs_digest(root, catalog, {})
    (root / "packages").mkdir()
    (root / "packages/module.py").write_text("other", "utf-8")
    assert len({before, changed, moved, shared, inputs_digest(root, catalog, {})}) == 5


def test_what_no_site_is_made_of_does_not_count(root: Path, catalog: Catalog) -> None:
    before = inputs_digest(root, catalog, {})
    for path in ("README.md", "data/.hidden", "accelerators/example/.guide.md.swp"):
        (root / path).write_text("other", "utf-8")
    assert inputs_digest(root, catalog, {}) == before


def test_what_is_set_aside_counts_and_what_stands_in_for_it(root: Path, catalog: Catalog) -> None:
    """An exception may end overnight: the files are the same, and the site is another one."""
    aside = replace(catalog, set_aside={"broken": (PROBLEM,)})
    found = {
        inputs_digest(root, catalog, {}),
        inputs_digest(root, aside, {}),
        inputs_digest(root, aside, {"broken": dt.date(2026, 11, 20)}),
        inputs_digest(root, aside, {"broken": dt.date(2026, 11, 21)}),
    }
    assert len(found) == 4
