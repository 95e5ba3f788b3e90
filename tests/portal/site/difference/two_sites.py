"""The data of small sites, without their pages."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from accelerator_portal.catalog import load_catalog
from accelerator_portal.site import Edition, RepositoryLinks, build_site
from accelerator_portal.site.difference import Difference, compare, read_state
from accelerator_portal.site.difference.shapes import PlatformDifference
from accelerator_reports.report_file import report_text
from tests.day import TODAY
from tests.folders import EXAMPLE, REPOSITORY, Edit, edited, write_tree
from tests.portal.results.made_up import Outcomes, made_up

RESULTS = "accelerators/example/results"

Compare = Callable[..., Difference]


def data_of(root: Path) -> Path:
    """Write `api/v1` of the repository at `root`, as a build does, and return the folder of it."""
    (root / "site_src").symlink_to(REPOSITORY / "site_src")
    catalog, _ = load_catalog(root)  # the suites of reports that are made up are not known
    assert catalog is not None
    assert len(catalog.platforms) == len([*root.glob("accelerators/*")])
    repository = RepositoryLinks("https://example.org/r", "https://e.org/")
    files = build_site(catalog, root, Edition(repository, TODAY))
    data = {file.path: file.content for file in files if file.path.startswith("api/")}
    return write_tree(root / "built", data)


def site_of(root: Path, files: Mapping[str, str]) -> Path:
    """Return the data of a repository with these files."""
    return data_of(write_tree(root, files))


def report(day: int, outcomes: Outcomes) -> dict[str, str]:
    """The report of a day, by its path."""
    return {f"{RESULTS}/day-{day}.json": report_text(made_up(day, outcomes))}


def one(difference: Difference) -> PlatformDifference:
    """The only platform that is different."""
    (found,) = difference.platforms
    return found


def rewrite(site: Path, path: str, change: Callable[[Any], Any]) -> None:
    """Change a data file."""
    file = site / "api/v1" / path
    data = json.loads(file.read_text("utf-8"))
    file.write_text(json.dumps(change(data)), "utf-8")


@pytest.fixture(scope="session")
def example(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The data of the example repository, not to be changed."""
    return site_of(tmp_path_factory.mktemp("example"), EXAMPLE)


@pytest.fixture
def after(example: Path, tmp_path: Path) -> Compare:
    """Return what edits of a repository, and further files, make different."""

    def found(*edits: Edit, before: Mapping[str, str] = EXAMPLE, **more: str) -> Difference:
        old = example if before is EXAMPLE else site_of(tmp_path / "old", before)
        new = site_of(tmp_path / "new", {**edited(*edits, files=before), **more})
        return compare(read_state(old), read_state(new))

    return found
