"""Builds all pages and data files of the site from the catalog."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from accelerator_portal.catalog import Catalog
from accelerator_portal.packages.newest_versions import fill_versions
from accelerator_portal.site.assets import published_scripts, style_sheet
from accelerator_portal.site.pages import declared
from accelerator_portal.site.site import Edition, Site
from accelerator_portal.site.site_file import SiteFile
from accelerator_portal.site.translated_pages import messages_file, render_page


def build_site(catalog: Catalog, root: Path, edition: Edition) -> Iterator[SiteFile]:
    """Yield every generated page and data file, with the newest versions in their placeholders.

    `root` is the folder of the repository. Stored verification results and histories that cannot be
    read are left out; `checks.stored_data` says what is wrong with them.
    """
    unlinked = _links_to_absent_platforms(catalog)
    for file in _site_files(Site(catalog, root, edition)):
        explains_placeholders = file.path.startswith("contribute/")
        content = file.content if explains_placeholders else fill_versions(catalog, file.content)
        yield replace(file, content=unlinked.sub(r"\1", content) if unlinked else content)


def _links_to_absent_platforms(catalog: Catalog) -> re.Pattern[str] | None:
    """Return a pattern of links, in HTML, to quarantined platforms that the site does not show.

    Answers of other platforms can contain such links. The first group is the tag before the link.
    None if the site shows all platforms.
    """
    absent = "|".join(name for name in catalog.set_aside if name not in catalog.by_id)
    return (
        re.compile(rf'(<a\b[^>]*) href="[^"]*compute-platforms/(?:{absent})/[^"]*"')
        if absent
        else None
    )


def _site_files(site: Site) -> Iterator[SiteFile]:
    yield style_sheet(site.root)
    yield from published_scripts(site.root)
    for pages in declared("pages"):
        for page in pages(site):
            yield from render_page(page, site.templates)
    for data in declared("data"):
        yield from data(site)
    for language in site.languages[1:]:
        yield messages_file(language)
