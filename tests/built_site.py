"""The built site: for the tests that read its files and those that open it in a browser."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest
from mkdocs.commands.build import build
from mkdocs.config import load_config
from selectolax.lexbor import LexborHTMLParser, LexborNode

from accelerator_portal.catalog import Catalog, load_catalog
from accelerator_portal.install.expand import expand
from accelerator_portal.install.selector import Selector, make_selector
from accelerator_portal.site.findings import read_all, with_findings

REPOSITORY = Path(__file__).parents[1]
EXAMPLE = Path(__file__).parent / "site" / "example"

# What a build reads, beside the data.
SITE_SOURCES = ("mkdocs.yml", "hooks", "site_src")
DATA = ("accelerators", "data")

MKDOCS_ENVIRONMENT = {"NO_MKDOCS_2_WARNING": "1", "PYTHONUNBUFFERED": "1"}


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
    """Build strictly, as `mkdocs build --strict` does."""
    config: Any = load_config(str(repository / "mkdocs.yml"), site_dir=str(out), strict=True)
    config.plugins.on_startup(command="build", dirty=False)
    try:
        build(config)
    finally:
        config.plugins.on_shutdown()
    catalog, problems = load_catalog(repository)
    assert catalog is not None, problems
    rows = with_findings(expand(catalog)[0], read_all(catalog, repository))
    return Site(out, catalog, make_selector(catalog, rows))


_SITE = pytest.StashKey[Site]()


@pytest.fixture(scope="session")
def site(pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory) -> Site:
    """The site of this repository, built once."""
    if _SITE not in pytestconfig.stash:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("NO_MKDOCS_2_WARNING", "1")
            pytestconfig.stash[_SITE] = build_site(REPOSITORY, tmp_path_factory.mktemp("site"))
    return pytestconfig.stash[_SITE]
