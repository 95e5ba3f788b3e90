"""Builds all pages, styles, scripts and data files of the site from the catalog."""

from __future__ import annotations

import datetime as dt
import html
import json
import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import cache
from html import escape
from itertools import chain
from pathlib import Path

from accelerator_portal.catalog import Catalog, load_catalog
from accelerator_portal.catalog.catalog import platform_id_of
from accelerator_portal.checks import run_checks
from accelerator_portal.packages.fitting_releases import fill_versions
from accelerator_portal.site.languages import ENGLISH, LOCALE_FOLDER, Language
from accelerator_portal.site.pages import declared
from accelerator_portal.site.site import Edition, Page, Site
from accelerator_portal.site.site_file import SiteFile, to_root
from accelerator_portal.site.templates import TEMPLATES_FOLDER, Templates
from accelerator_reports.files.folders import ACCELERATORS
from accelerator_reports.files.problem import Problem, ProblemsError
from accelerator_reports.files.wording import count

# Joins the style sheets, removes scripts' comments, and lists the modules that a page loads.
#
# A page lists its JavaScript modules, so that a browser loads all of them at once. Without a list,
# a browser finds a module only after it has loaded the module that imports it: one round trip for
# each import.

ENTRY_MODULE = "portal"
STYLES_FOLDER = "site_src/styles"
SCRIPTS_FOLDER = "site_src/scripts"

# A line of the table in portal.js: which module makes which form work.
_FORM_MODULE = re.compile(r'"form\[(data-[a-z-]+)\]": \(\) => import\("\./([a-z-]+)\.js"\)')
_IMPORT = re.compile(r'^import [^;]+ from "\./([a-z-]+)\.js";', re.MULTILINE)
# Comments with lines of their own.
_SCRIPT_COMMENT = re.compile(r"^[ \t]*(?://[^\n]*|/\*.*?\*/)[ \t]*\n", re.MULTILINE | re.DOTALL)
_CSS_IMPORT = re.compile(r'@import "([^"]+)";\n')


@dataclass(frozen=True, slots=True)
class PageModules:
    """The JavaScript modules that pages load, as file names without `.js`."""

    common: tuple[str, ...]
    """The modules that every page with a form loads, whatever the kind of form."""
    parts: Mapping[str, tuple[str, ...]]
    """The modules that each kind of form needs. The keys are the HTML attributes that mark the
    kinds in pages, such as `data-selector`."""

    def of(self, texts: Iterable[str]) -> tuple[str, ...]:
        """Return the modules that a page lists: `common`, and those of one kind of form.

        `texts` joined together are the HTML of the page. If the page has several of the kinds of
        forms in `parts`, the kind that comes first in `parts` counts. Scripts load the modules for
        the page's other forms later. The result is empty if the page has none of these forms.
        """
        html = "".join(texts)
        for attribute, names in self.parts.items():
            if re.search(rf"<form[^>]*\s{attribute}[\s=>]", html):
                return tuple(dict.fromkeys([*self.common, *names]))
        return ()


def read_page_modules(folder: Path) -> PageModules:
    """Return the modules that each kind of form needs, from the table in `portal.js`.

    `folder` is the folder with the scripts. Raises OSError if a script cannot be read.
    """
    parts = dict(_FORM_MODULE.findall((folder / f"{ENTRY_MODULE}.js").read_text(encoding="utf-8")))
    modules = {attribute: _with_imports(folder, name) for attribute, name in parts.items()}
    return PageModules(_with_imports(folder, ENTRY_MODULE), modules)


def _with_imports(folder: Path, name: str) -> tuple[str, ...]:
    """Return the names of a module and of all its direct and indirect imports."""
    modules: dict[str, None] = {}
    unread_modules = [name]
    while unread_modules:
        module = unread_modules.pop()
        if module not in modules:
            modules[module] = None
            unread_modules += _IMPORT.findall((folder / f"{module}.js").read_text(encoding="utf-8"))
    return tuple(modules)


def style_sheet(root: Path) -> SiteFile:
    """Return the site's style sheet, joined from the files in `site_src/styles`.

    `root` is the folder of the repository.
    """
    folder = root / STYLES_FOLDER

    def text(found: re.Match[str]) -> str:
        return (folder / found[1]).read_text(encoding="utf-8")

    css = _CSS_IMPORT.sub(text, (folder / "portal.css").read_text(encoding="utf-8"))
    return SiteFile("assets/portal.css", css)


def published_scripts(root: Path) -> Iterator[SiteFile]:
    """Yield the JavaScript modules without their comments, so that readers download less.

    `root` is the folder of the repository.
    """
    for file in sorted((root / SCRIPTS_FOLDER).glob("*.js")):
        code = _SCRIPT_COMMENT.sub("", file.read_text(encoding="utf-8"))
        yield SiteFile(f"assets/scripts/{file.name}", code)


# Renders pages in English or a translation, and redirects links in translated pages.

# One file for all pages of a language: browsers load it once.
_MESSAGES_FILE = "messages.json"


def render_page(page: Page, all_templates: Iterable[Templates]) -> Iterator[SiteFile]:
    """Yield a page in English and, if it is translated, in the other languages.

    `all_templates` has the templates of each language.
    """
    for templates in all_templates:
        language = templates.language
        if page.language not in (None, language):
            continue
        if language == ENGLISH:
            file = templates.page(page.path, edit=page.edit, template=page.template, **page.context)
            yield replace(file, platform=page.platform)
        elif _is_translated(page.path):
            yield replace(_translated_page(page, templates), platform=page.platform)


def _translated_page(page: Page, templates: Templates) -> SiteFile:
    language = templates.language
    path = language.path(page.path)
    file = templates.page(
        path,
        edit=page.edit or f"{LOCALE_FOLDER}/{language.code}.po",
        template=page.template or f"{page.path}.j2",
        **page.context,
    )
    root_address = to_root(path)
    content = redirect_links(file.content, page.path, root_address, language) + _messages_box(
        language, root_address
    )
    return replace(file, content=content, language=language.code)


def redirect_links(content: str, path: str, root_address: str, language: Language) -> str:
    """Return a translated page's content with its links redirected.

    A link to a page that is translated leads to the translation. A link to any other page leads to
    the English page and is marked as English. A link to a data file still leads to this file.
    `path` is the path of the English page. `root_address` is the relative address of the site's
    root from the translated page. HTML links of templates start with `root_address`. HTML links in
    vendors' texts start with the relative address of the root from the English page.
    """

    def replace_html_link(match: re.Match[str]) -> str:
        address, rest = match[1], match[2]
        if address and not address.endswith("/"):
            return f'href="{root_address}{address}{rest}"'  # data, not a page
        if _is_translated(f"{address}index.md") or _is_translated(f"{address.rstrip('/')}.md"):
            return f'href="{root_address}{language.code}/{address}{rest}"'
        return f'href="{root_address}{address}{rest}" {english_attributes}'

    def replace_markdown_link(match: re.Match[str]) -> str:
        text, link_path, anchor = match.groups(default="")
        target = posixpath.normpath(posixpath.join(posixpath.dirname(path), link_path))
        if _is_translated(target):
            return match[0]
        address = re.sub(r"(?:(?<=/)index)?\.md$", "", target).rstrip("/")
        return f'<a href="{root_address}{address}/{anchor}" {english_attributes}>{text}</a>'

    note = escape(language.gettext("{title} (English)").format(title=""))
    english_attributes = f'hreflang="en" data-language="{note}"'
    roots = rf"(?:{re.escape(root_address)}|{re.escape(to_root(path))}(?!\.\./))"
    content = re.sub(rf'href="{roots}([^"?#]*)([^"]*)"', replace_html_link, content)
    return re.sub(r"\[([^\]]*)\]\(([\w./-]+\.md)(#[\w-]+)?\)", replace_markdown_link, content)


@cache  # pages have thousands of links to the same few hundred pages
def _is_translated(path: str) -> bool:
    return any(fnmatchcase(path, pattern) for pattern in _translated_paths())


def _translated_paths() -> Iterator[str]:
    """Yield the paths of the pages that other languages have; `*` stands for any name."""
    return chain.from_iterable(declared("TRANSLATED"))


def messages_file(language: Language) -> SiteFile:
    """Return `messages.json`, which scripts read on all pages of a language.

    It has the keys `texts` and `pages`. `texts` has the translated messages. `pages` has patterns
    of the addresses of translated pages, such as `results/by-model/*/`.
    """
    pages = [
        re.sub(r"(^|/)index\.md$|\.md$", "/", path).lstrip("/") for path in _translated_paths()
    ]
    data = {"texts": language.in_scripts, "pages": pages}
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":")) + "\n"
    return SiteFile(language.path(_MESSAGES_FILE), text)


def _messages_box(language: Language, root_address: str) -> str:
    file = f"{root_address}{language.path(_MESSAGES_FILE)}"
    box = f'<div id="messages" data-file="{file}" data-root="{root_address}" hidden></div>'
    return f"\n<!--raw html-->\n{box}\n<!--end of raw html-->\n"


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


# Makes the preview of a developer's edits fast, and shows their problems in the browser.
#
# A preview of edited vendor folders contains only these platforms, so that it takes seconds.

_SOURCES = (ACCELERATORS, "data", "site_src")

FileTimes = Mapping[str, int]
"""When each source file of the site was changed, in nanoseconds, by path in the repository."""


def source_times(root: Path) -> FileTimes:
    """Return when each source file of the site was changed."""
    files = (file for folder in _SOURCES for file in (root / folder).rglob("*") if file.is_file())
    return {file.relative_to(root).as_posix(): file.stat().st_mtime_ns for file in files}


def edited_platforms(before: FileTimes, now: FileTimes) -> frozenset[str]:
    """Return the ids of the platforms whose folders were edited; empty if other files were, too."""
    names = {path for path, _ in before.items() ^ now.items()}
    ids = {platform_id_of(name) for name in names}
    return frozenset(ids) if "" not in ids else frozenset()


def load_platforms(
    root: Path, today: dt.date, ids: frozenset[str]
) -> tuple[Catalog | None, list[Problem]]:
    """Return a catalog with these platforms only, and the problems of their folders."""
    catalog, problems = load_catalog(root, ids.__contains__)
    if catalog:
        found = run_checks(catalog, today)
        problems = [*problems, *(p for p in found if platform_id_of(p.path) in ids)]
    return catalog, sorted(set(problems))


def require_templates(root: Path) -> None:
    """Raise ProblemsError if a template has a syntax error, which rendering would find late."""
    if problems := list(Templates(root / TEMPLATES_FOLDER).syntax_problems()):
        raise ProblemsError(problems)


def problems_site(root: Path, problems: Sequence[Problem]) -> Iterator[SiteFile]:
    """Yield a home page that lists the problems of the sources, with its style and scripts."""
    yield style_sheet(root)
    yield from published_scripts(root)
    items = "".join(f"<li><code>{html.escape(str(problem))}</code></li>\n" for problem in problems)
    title = f"{count(len(problems), 'problem')} found"
    text = "Correct the files. This page reloads when the site was built again."
    yield SiteFile("index.md", f"# {title}\n\n{text}\n\n<ul>\n{items}</ul>\n")


def preview_note(ids: Iterable[str]) -> str:
    """Return the text that says which platforms a preview contains."""
    folders = ", ".join(f"{ACCELERATORS}/{name}" for name in sorted(ids))
    return (
        f"Preview of your changes in {folders}. The other platforms are left out until you restart"
        " the server or change a shared file."
    )
