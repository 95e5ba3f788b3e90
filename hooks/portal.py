"""Adds the generated pages to the site, and a Content-Security-Policy to each page.

This module contains only what needs MkDocs, such as its files, its configuration and its logger.
"""

from __future__ import annotations

import gc
import json
import os
import posixpath
import shutil
import tempfile
import weakref
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.plugins import event_priority, get_plugin_logger
from mkdocs.structure.files import File, Files, InclusionLevel
from mkdocs.structure.pages import Page

from accelerator_portal.catalog import Catalog
from accelerator_portal.checks import errors, load_and_check
from accelerator_portal.checks.quarantine import load_with_quarantine
from accelerator_portal.checks.stored_data import stored_data_problems
from accelerator_portal.site import Edition, RepositoryLinks, build_site
from accelerator_portal.site.build import (
    SCRIPTS_FOLDER,
    FileTimes,
    edited_platforms,
    load_platforms,
    preview_note,
    problems_site,
    read_page_modules,
    require_templates,
    source_times,
)
from accelerator_portal.site.languages import published_languages
from accelerator_portal.site.page_html import (
    FINISHED_HTML,
    RAW_HTML,
    add_security_policy,
    html_ids,
    without_blank_lines,
)
from accelerator_portal.site.pages.archive import archive_files
from accelerator_portal.site.site import read_nights
from accelerator_portal.site.site_file import PLATFORMS, SiteFile, write_files
from accelerator_reports.files.clock import today
from accelerator_reports.files.problem import Problem, ProblemsError, system_error_text

# With more platforms, the sidebar lists none of them: each page would contain links to all.
MOST_IN_NAVIGATION = 60

# The theme's own search: hooks/search.py replaces it.
UNUSED = ("assets/javascripts/lunr/", "assets/javascripts/workers/")

# The key of the configuration under which the generated files are stored until `on_files`.
PAGES_KEY = "portal_pages"

# The key of a page's metadata for HTML that Markdown and the search don't process.
KEPT_HTML_KEY = "portal_kept_html"

# The key of the configuration for the JavaScript modules of each kind of form.
IMPORTS_KEY = "portal_imports"

# The key of a page's metadata for the modules that main.html loads.
MODULES_KEY = "portal_modules"

# The key of the configuration for the note on the pages of a preview.
PREVIEW_KEY = "preview_note"

# The environment variable for the setting `strict`.
STRICT = "PORTAL_STRICT"

_serving = False

# While serving: when the sources of the last complete site were changed.
_built_sources: FileTimes = {}

_log = get_plugin_logger("portal")


def on_pre_build(*, config: MkDocsConfig) -> None:
    """Generate the pages. MkDocs clears the existing site later, so it stays if this fails.

    Raises PluginError if the catalog or the languages have errors.
    """
    folder = Path(tempfile.mkdtemp(prefix="portal-site-"))
    weakref.finalize(config, shutil.rmtree, folder, ignore_errors=True)  # each build has its own
    # Almost all objects are needed until the end. The garbage collector would search through them
    # again and again, which takes up to a fifth of the build.
    gc.disable()
    try:
        generate = _generate_preview if _serving else _generate_whole_site
        config.extra[PAGES_KEY] = generate(config, folder)
    except ProblemsError as error:
        raise PluginError(f"Problems found: {len(error.problems)}\n{error}") from None
    finally:
        gc.enable()
    config.extra[IMPORTS_KEY] = read_page_modules(
        Path(config.config_file_path).parent / SCRIPTS_FOLDER
    )
    gc.collect()  # the catalog and the templates refer to each other, and MkDocs needs the room


@event_priority(100)  # before plugins that look for pages, such as the search
def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    """Add the generated pages, the data files and the files of the archive.

    Files of the theme that no reader needs are left out.
    """
    unused = [f for f in files if f.src_uri.startswith(UNUSED) or f.src_uri.endswith(".map")]
    for file in unused:
        files.remove(file)
    pages: list[tuple[SiteFile, Path]] = config.extra.pop(PAGES_KEY)
    if config.nav is None:  # a page of problems is the whole site
        files = Files([file for file in files if not file.is_documentation_page()])
    platforms = {
        page.platform: page.path for page, _ in pages if page.platform and not page.language
    }
    listed = len(platforms) <= MOST_IN_NAVIGATION
    if listed:
        _add_platforms_to_nav(config.nav, platforms)
    for page, place in pages:
        hidden = page.language is not None or (page.platform is not None and not listed)
        files.append(_mkdocs_file(config, page, place, hidden=hidden))
    root = Path(config.config_file_path).parent
    for path, source in archive_files(root).items():
        files.append(File.generated(config, path, abs_src_path=str(source)))
    return files


def on_startup(*, command: str, dirty: bool) -> None:
    """Store whether the command is `mkdocs serve`, whose inline script the policy would forbid."""
    global _serving  # noqa: PLW0603 - set once, before any build
    _serving = command == "serve"
    if _serving:  # after a warning, the server would show nothing until the next edit
        os.environ[STRICT] = "false"


def on_page_markdown(markdown: str, *, page: Page, **_: Any) -> str:  # noqa: ANN401 - unused
    """Take HTML out of generated pages, because Markdown processes it slowly."""
    if page.file.generated_by is None:
        return markdown
    markdown, raw = RAW_HTML.take_out(markdown)
    markdown, finished = FINISHED_HTML.take_out(markdown)
    page.meta[KEPT_HTML_KEY] = raw, finished
    return markdown


def on_page_content(html: str, *, page: Page, config: MkDocsConfig, **_: Any) -> str:  # noqa: ANN401
    """Put back the HTML that the search reads, and set the page's anchors and modules."""
    raw, finished = page.meta.get(KEPT_HTML_KEY, ((), ()))
    page.meta[KEPT_HTML_KEY] = raw, ()
    page.present_anchor_ids = (page.present_anchor_ids or set()).union(*map(html_ids, finished))
    html = FINISHED_HTML.put_back(html, finished)
    page.meta[MODULES_KEY] = config.extra[IMPORTS_KEY].of((html, *raw))
    return html


def on_post_page(output: str, *, page: Page, **_: Any) -> str:  # noqa: ANN401 - unused
    """Put raw HTML back, remove blank lines, and add the policy unless this is `mkdocs serve`."""
    output = RAW_HTML.put_back(output, page.meta.pop(KEPT_HTML_KEY, ((), ()))[0])
    output = without_blank_lines(output)
    return output if _serving else add_security_policy(output)


def on_post_template(output_content: str, *, template_name: str, **_: Any) -> str:  # noqa: ANN401
    """Add the policy to pages that MkDocs renders from a template only, such as 404.html."""
    is_page = template_name.endswith(".html") and not _serving
    return add_security_policy(output_content) if is_page else output_content


def on_build_error(*, error: Exception, **_: Any) -> None:  # noqa: ANN401 - unused
    """Say in one line what a full disk or a missing permission prevents, without a traceback."""
    if isinstance(error, OSError):
        raise PluginError(system_error_text(error)) from None


def _generate_whole_site(config: MkDocsConfig, folder: Path) -> list[tuple[SiteFile, Path]]:
    return _generate_site(config, _catalog(config), folder)


def _generate_preview(config: MkDocsConfig, folder: Path) -> list[tuple[SiteFile, Path]]:
    """Generate the site for `mkdocs serve`.

    If only vendors' folders were edited since the last complete site, generate these platforms
    only. If there are problems, generate a page that lists them.
    """
    global _built_sources  # noqa: PLW0603 - what the server has built
    root = Path(config.config_file_path).parent
    now = source_times(root)
    ids = edited_platforms(_built_sources, now) if _built_sources else frozenset()
    try:
        require_templates(root)
        catalog = _without_errors(*load_platforms(root, today(), ids)) if ids else _catalog(config)
        if ids:
            config.extra[PREVIEW_KEY] = preview_note(ids)
        files = _generate_site(config, catalog, folder)
    except ProblemsError as error:
        _log.info("Problems found: %d\n%s", len(error.problems), error)
        config.nav, config.extra["languages"] = None, []
        return list(write_files(problems_site(root, error.problems), folder))
    if not ids:
        _built_sources = now
    return files


def _catalog(config: MkDocsConfig) -> Catalog:
    """Return the catalog of the whole site. Raises ProblemsError."""
    root = Path(config.config_file_path).parent
    if config.extra.get("quarantine"):
        kept, excluded = (
            config.extra.get("last_good"),
            json.loads(config.extra.get("excluded") or "{}"),
        )
        catalog, problems = load_with_quarantine(
            root, today(), Path(kept) if kept else None, excluded
        )
    else:
        catalog, problems = load_and_check(root, today())
    try:
        published_languages(root, config.extra.get("languages"))
    except ProblemsError as error:
        problems = [*problems, *error.problems]
    return _without_errors(catalog, problems)


def _without_errors(catalog: Catalog | None, problems: Iterable[Problem]) -> Catalog:
    if catalog is None or errors(problems):
        raise ProblemsError(errors(problems))
    return catalog


def _generate_site(
    config: MkDocsConfig, catalog: Catalog, folder: Path
) -> list[tuple[SiteFile, Path]]:
    root = Path(config.config_file_path).parent
    languages = published_languages(root, config.extra.get("languages"))
    for name, found in catalog.set_aside.items():
        _log.info("Set aside: %s\n%s", name, "\n".join(map(str, found)))
    if PREVIEW_KEY not in config.extra:
        for problem in stored_data_problems(catalog, root):
            _log.info("Set aside: %s", problem)
    edit = posixpath.join(config.repo_url or "", config.edit_uri or "")
    repository = RepositoryLinks(config.repo_url or "", edit.partition("site_src/")[0])
    nights = read_nights(config.extra.get("nights") or "")
    edition = Edition(repository, today(), nights, languages)
    return list(write_files(build_site(catalog, root, edition), folder))


def _add_platforms_to_nav(nav: Any, platforms: dict[str, str]) -> None:  # noqa: ANN401 - from YAML
    """Add the platforms' pages to their section of the navigation in mkdocs.yml."""
    for entry in nav or ():
        for section in entry.values():
            if isinstance(section, list) and f"{PLATFORMS}/index.md" in section:
                own = next((e["Platforms"] for e in section if "Platforms" in e), section)
                own.extend({name: path} for name, path in platforms.items())


def _mkdocs_file(config: MkDocsConfig, page: SiteFile, place: Path, *, hidden: bool) -> File:
    inclusion = InclusionLevel.NOT_IN_NAV if hidden else InclusionLevel.UNDEFINED
    file = File.generated(config, page.path, abs_src_path=str(place), inclusion=inclusion)
    if page.edit:
        # MkDocs joins this to edit_uri, which ends in the folder of the hand-written pages.
        root = Path(config.config_file_path).parent
        above = "../" * len(Path(config.docs_dir).relative_to(root).parts)
        file.edit_uri = above + page.edit
    return file
