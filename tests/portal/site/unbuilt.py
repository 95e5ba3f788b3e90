"""A site as the modules of its pages get it, and the pages that they yield."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from pathlib import Path

from accelerator_portal.catalog import Catalog
from accelerator_portal.site import Edition, RepositoryLinks, SiteFile
from accelerator_portal.site.build import render_page
from accelerator_portal.site.site import NightMetrics, Page, Site
from tests.folders import REPOSITORY

LINKS = RepositoryLinks("https://example.org", "https://example.org/edit/")


def unbuilt(
    catalog: Catalog, *nights: NightMetrics, root: Path = REPOSITORY, **known: object
) -> Site:
    """Return the site of a catalog; `known` are values that it would compute otherwise."""
    site = Site(catalog, root, Edition(LINKS, dt.date(2026, 3, 2), nights))
    site.__dict__.update(known)
    return site


def rendered(site: Site, pages: Iterable[Page]) -> dict[str, SiteFile]:
    """Return the English pages by path."""
    files = [file for page in pages for file in render_page(page, site.templates[:1])]
    return {file.path: file for file in files}
