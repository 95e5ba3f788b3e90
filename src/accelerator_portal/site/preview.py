"""Makes the preview of a developer's edits fast, and shows their problems in the browser.

A preview of edited vendor folders contains only these platforms, so that it takes seconds.
"""

from __future__ import annotations

import datetime as dt
import html
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from accelerator_portal.catalog import Catalog, load_catalog
from accelerator_portal.catalog.catalog import platform_id_of
from accelerator_portal.checks import run_checks
from accelerator_portal.site.assets import published_scripts, style_sheet
from accelerator_portal.site.site_file import SiteFile
from accelerator_portal.site.templates import TEMPLATES_FOLDER, Templates
from accelerator_reports.files.folders import ACCELERATORS
from accelerator_reports.files.problem import Problem, ProblemsError
from accelerator_reports.files.wording import count

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
