from __future__ import annotations

import asyncio
import gc
import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import settings
from packaging.version import Version

from accelerator_portal.catalog import Catalog
from accelerator_portal.catalog.files.versions_file import Releases
from accelerator_portal.install import Selector, expand, make_selector
from tests.day import ENVIRONMENT
from tests.folders import (
    EXAMPLE,
    REPOSITORY,
    Edit,
    ProblemsAfter,
    Tree,
    edited,
    loaded,
    problems_in,
    write_tree,
)
from tests.temporary_files import keep_in_memory

os.environ.update(ENVIRONMENT)
keep_in_memory()

# A busy machine is no failure; what must be fast has a test that measures it.
settings.register_profile("portal", deadline=None)
# Once in a while: pytest --hypothesis-profile=many
settings.register_profile("many", deadline=None, max_examples=5000, database=None)
settings.load_profile("portal")


# No object made while tests are collected is garbage before the run ends: nobody looks for any.
gc.disable()


def pytest_collection_finish() -> None:
    """Leave what there is now out of every later search for garbage, and search less often.

    With Python's own limits, an eighth of the processor time of tests that load catalogs is spent
    on searches that find nothing.
    """
    gc.freeze()
    gc.set_threshold(50_000, 20, 100)
    gc.enable()


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    """Write files below an empty folder and return it."""

    def write(files: Mapping[str, str | bytes] = EXAMPLE) -> Path:
        return write_tree(tmp_path / "repository", files)

    return write


@pytest.fixture
def problems_after(tree: Tree) -> ProblemsAfter:
    """Return the problems of the example repository after edits (path, old, new)."""

    def check(*edits: Edit) -> list[str]:
        return problems_in(tree(edited(*edits)))

    return check


@pytest.fixture(scope="session")
def catalog() -> Catalog:
    """This repository's own data."""
    return loaded(REPOSITORY)


FROZEN = "2.15.0"
"""The newest release in tests that name what a reader gets: a new one changes no expectation."""


@pytest.fixture(scope="session")
def frozen(catalog: Catalog) -> Catalog:
    """This repository's own data, without the releases that are newer than FROZEN."""
    releases = catalog.releases
    kept = tuple(r for r in releases.releases if Version(r.version) <= Version(FROZEN))
    # Not model_copy: it would have what was computed from all releases.
    others = {name: getattr(releases, name) for name in Releases.model_fields}
    return replace(catalog, releases=Releases(**{**others, "releases": kept}))


@pytest.fixture(scope="session")
def selector(catalog: Catalog) -> Selector:
    """The selector of this repository's own data."""
    return make_selector(catalog, expand(catalog)[0])


@pytest.fixture(autouse=True)
def _no_loop_of_the_browser(request: pytest.FixtureRequest) -> Iterator[None]:
    """Playwright leaves a loop that counts as running; no other test of the process needs it."""
    if request.node.get_closest_marker("browser"):
        yield
        return
    loop = asyncio.events._get_running_loop()
    asyncio.events._set_running_loop(None)
    yield
    asyncio.events._set_running_loop(loop)
