"""`accelerator-portal build`, `export` and `diff`: build, export and compare sites."""

from __future__ import annotations

import re
from itertools import chain
from pathlib import Path

import click

from accelerator_portal.checks import errors
from accelerator_portal.checks.quarantine import load_with_quarantine
from accelerator_portal.cli.options import ROOT, checked_catalog
from accelerator_portal.site import Edition, RepositoryLinks, build_site
from accelerator_portal.site.commonmark_export import EXPORT_INDEX, export_files
from accelerator_portal.site.difference import (
    Difference,
    compare,
    compare_pages,
    markdown,
    page_digests,
    site_content,
)
from accelerator_portal.site.languages import published_languages
from accelerator_reports.cli.options import INPUT_FOLDER, OUTPUT_FOLDER
from accelerator_reports.files.clock import today
from accelerator_reports.files.text_file import write_folder_atomically
from accelerator_reports.files.wording import count

_ASSETS = "site_src/pages"
_MKDOCS_SETTINGS = "mkdocs.yml"


@click.command()
@ROOT
@click.option(
    "--out",
    type=OUTPUT_FOLDER,
    required=True,
    help="Write to this folder. It must be new, empty or an earlier export.",
)
def export(root: Path, out: Path) -> None:
    """Export the site for another site generator.

    The export contains plain Markdown, data and assets.
    """
    refuse_other_files(out, EXPORT_INDEX, "export")
    languages = published_languages(root, _configured_languages(root))
    edition = Edition(_repository_links(root), today(), languages=languages)
    pages = build_site(checked_catalog(root), root, edition)
    files: dict[str, str | Path] = {file.path: file.content for file in export_files(pages)}
    assets = root / _ASSETS
    files |= {
        file.relative_to(assets).as_posix(): file
        for file in sorted(assets.rglob("*"))
        if file.is_file()
    }
    write_folder_atomically(out, files)
    page_count = sum(path.endswith(".md") for path in files)
    other_files = count(len(files) - page_count, "other file")
    click.echo(f"Wrote {count(page_count, 'page')} and {other_files} to {out}.")


def refuse_other_files(out: Path, marker: str, earlier: str) -> None:
    """Raise click.ClickException if a folder has files, but not the file `marker`.

    `earlier` says what a folder with this file is, such as `export`.
    """
    if out.is_dir() and any(out.iterdir()) and not (out / marker).is_file():
        message = f"{out} contains other files. Choose a folder that is new, empty or an earlier"
        raise click.ClickException(f"{message} {earlier}")


def _configured_languages(root: Path) -> list[str]:
    """Return the codes of the languages that mkdocs.yml lists."""
    text = (root / _MKDOCS_SETTINGS).read_text("utf-8")
    match = re.search(r"^  languages: \[(.*)\]", text, re.MULTILINE)
    return re.findall(r"[\w-]+", match[1]) if match else []


def _repository_links(root: Path) -> RepositoryLinks:
    """Return the addresses of the GitHub repository, from `repo_url` in mkdocs.yml.

    Raises click.ClickException if mkdocs.yml has none.
    """
    match = re.search(
        r"^repo_url: (https://\S+)$", (root / _MKDOCS_SETTINGS).read_text("utf-8"), re.MULTILINE
    )
    if not match:
        raise click.ClickException(
            f"{_MKDOCS_SETTINGS} has no repo_url. Add a line: repo_url: https://…"
        )
    return RepositoryLinks(match[1], f"{match[1]}/edit/main/")


@click.command()
@click.argument("base", type=INPUT_FOLDER)
@click.argument("head", type=INPUT_FOLDER)
@click.option(
    "--format",
    "form",
    type=click.Choice(["markdown", "json"]),
    default="markdown",
    help="Print Markdown or JSON. Default: markdown.",
)
def diff(base: Path, head: Path, form: str) -> None:
    """List what readers will see of a change.

    BASE and HEAD are two clones of the repository. Their data is compared. Pages are compared, too,
    if both clones have a built site (make site).
    """
    click.echo("Reading HEAD.", err=True)
    after = site_content(checked_catalog(head))
    click.echo("Reading BASE.", err=True)
    catalog, problems = load_with_quarantine(base, today())
    problems += chain.from_iterable(catalog.set_aside.values() if catalog else ())
    unread = catalog is None or catalog.set_aside
    sites = [folder / "site" for folder in (base, head)]
    difference = Difference(
        not_compared=f"BASE cannot be read: {errors(problems)[0]}" if unread else None,
        parts=() if catalog is None or unread else compare(site_content(catalog), after),
        pages=compare_pages(*map(page_digests, sites)) if all(map(Path.is_dir, sites)) else None,
    )
    if form == "json":
        click.echo(difference.model_dump_json(exclude_none=True, indent=1))
    else:
        click.echo(markdown(difference), nl=False)
