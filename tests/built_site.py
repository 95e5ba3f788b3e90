"""The built site: for the tests that read its files and those that open it in a browser."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from mkdocs.__main__ import cli as mkdocs_command
from mkdocs.commands.build import build
from mkdocs.config import load_config
from selectolax.lexbor import LexborHTMLParser, LexborNode

from accelerator_portal.catalog import Catalog, load_catalog
from accelerator_portal.install.commands import with_derived_formats
from accelerator_portal.install.expand import expand
from accelerator_portal.install.selector import Selector, make_selector
from accelerator_portal.site.results.findings import read_all_verdicts, with_findings
from tests.made_once import made_once

REPOSITORY = Path(__file__).parents[1]
EXAMPLE = Path(__file__).parent / "portal/site/example"

# What a build reads, beside the data.
SITE_SOURCES = ("mkdocs.yml", "hooks", "site_src")
DATA = ("accelerators", "data")

# Also for builds in this process: pytest would show the notice, as often as there are builds.
MKDOCS_ENVIRONMENT = {"NO_MKDOCS_2_WARNING": "1", "PYTHONUNBUFFERED": "1"}
os.environ.update(MKDOCS_ENVIRONMENT)


@dataclass(frozen=True)
class Page:
    """One page: its address relative to the site's root, and what stands in it."""

    address: str
    html: str

    @cached_property
    def tree(self) -> LexborHTMLParser:
        """The page as a browser reads it."""
        return LexborHTMLParser(self.html)

    @cached_property
    def ids(self) -> list[str]:
        """Every id, as often as it stands there."""
        return [attribute(node, "id") for node in self.tree.css("[id]")]

    @property
    def is_moved(self) -> bool:
        """Whether the page only leads to another one, as old addresses of tests do."""
        return bool(self.tree.css("[data-moved]"))

    def one(self, selector: str) -> LexborNode:
        """The only element that the selector finds."""
        (found,) = self.tree.css(selector)
        return found


@dataclass(frozen=True)
class Site:
    """A built site and the data that it was built from."""

    root: Path
    catalog: Catalog
    selector: Selector

    @cached_property
    def pages(self) -> dict[str, Page]:
        """Every page by address: ``, `get-started/`, `404.html`."""
        files = sorted(self.root.rglob("*.html"))
        addresses = [f.relative_to(self.root).as_posix().removesuffix("index.html") for f in files]
        return {
            address: Page(address, file.read_text("utf-8"))
            for address, file in zip(addresses, files, strict=True)
        }

    def platform_pages(self) -> Iterator[Page]:
        """The page of each platform."""
        for platform in self.catalog.platforms:
            yield self.pages[f"compute-platforms/{platform.id}/"]


def attribute(node: LexborNode, name: str) -> str:
    """The attribute's value; it must be there and have one."""
    value = node.attributes[name]
    assert value is not None, f"{name} without a value in {(node.html or '')[:200]}"
    return value


def ids_of_tests(site: Site, address: str) -> set[str]:
    """The ids on a page of tests, and those in the files that it loads."""
    ids = set(site.pages[f"results/{address}"].ids)
    folder = site.root / "api/v1/suite-tests" / address.partition("/")[0]
    for file in folder.glob("[!i]*.json"):
        for anchor, test in json.loads(file.read_text("utf-8"))["tests"].items():
            ids |= {anchor, *(anchor + result["id"] for result in test["results"])}
    return ids


def grid_cells(page: Page) -> dict[tuple[str, str], LexborNode]:
    """The cells of a page's grid about which something is known, by row and column."""
    (table,) = page.tree.css(".grid-table")
    columns = [attribute(head, "data-column") for head in table.css("[data-column]")]
    return {
        (attribute(row, "data-row"), column): cell
        for row in table.css("[data-row]")
        for column, cell in zip(columns, row.css("td"), strict=True)
        if cell.text(strip=True) or cell.css(".mark")
    }


def marks(cell: LexborNode) -> list[str]:
    """The classes of the marks in a cell of a grid: `run pass train`."""
    return [attribute(mark, "class").removeprefix("mark ") for mark in cell.css(".mark")]


def copy_sources(target: Path, data: Path = REPOSITORY) -> Path:
    """Copy what a build reads; the vendors' folders and the shared data come from `data`."""
    target.mkdir(exist_ok=True)
    for name in (*SITE_SOURCES, *DATA):
        source = (data if name in DATA else REPOSITORY) / name
        if source.is_dir():
            ignored = shutil.ignore_patterns("__pycache__")
            shutil.copytree(source, target / name, ignore=ignored, dirs_exist_ok=True)
        else:
            shutil.copy2(source, target / name)
    return target


def build_site(repository: Path, out: Path) -> Site:
    """Build strictly, as `mkdocs build --strict` does, in this process."""
    build_files(repository, out)
    return site_in(out, repository)


def build_files(repository: Path, out: Path) -> None:
    """Build strictly; whoever needs no more than the files saves reading the data again."""
    config: Any = load_config(str(repository / "mkdocs.yml"), site_dir=str(out), strict=True)
    config.plugins.on_startup(command="build", dirty=False)
    try:
        build(config)
    finally:
        config.plugins.on_shutdown()


def mkdocs_build(repository: Path) -> Result:
    """Run MkDocs' own command in this process; the site is in `site/` below the repository."""
    configuration = str(repository / "mkdocs.yml")
    return CliRunner().invoke(mkdocs_command, ["build", "--strict", "--config-file", configuration])


def site_in(out: Path, repository: Path) -> Site:
    """Return the site in a folder, with the data of the repository that it was built from."""
    catalog, problems = load_catalog(repository)
    assert catalog is not None, problems
    rows = with_findings(expand(catalog)[0], read_all_verdicts(catalog, repository))
    return Site(out, catalog, make_selector(catalog, with_derived_formats(catalog, rows)))


_SITES = pytest.StashKey[dict[str, Site]]()


def site_of(
    config: pytest.Config, factory: pytest.TempPathFactory, name: str, sources: Callable[[], Path]
) -> Site:
    """Return the site `name`: built once in a run, its data read once in a process.

    `sources` returns the repository to build from, the same each time.
    """
    sites = config.stash.setdefault(_SITES, {})
    if name not in sites:
        repository = sources()
        out = made_once(factory, f"{name}-site", lambda folder: build_files(repository, folder))
        sites[name] = site_in(out, repository)
    return sites[name]


@pytest.fixture(scope="session")
def site(pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory) -> Site:
    """The site of this repository: the one in `PORTAL_SITE` if that is set, or else a new one."""
    if made := os.environ.get("PORTAL_SITE"):
        return site_in(Path(made), REPOSITORY)
    return site_of(pytestconfig, tmp_path_factory, "portal", lambda: REPOSITORY)
