"""`accelerator-portal import-platforms`: pytorch.org's Additional Platforms as vendor folders."""

from __future__ import annotations

from pathlib import Path

import click

from accelerator_portal.catalog import Problem, ProblemsError
from accelerator_portal.catalog.atomic_write import write_folder_atomically
from accelerator_portal.catalog.catalog import ACCELERATORS
from accelerator_portal.catalog.clock import today
from accelerator_portal.catalog.wording import count
from accelerator_portal.checks import load_and_check
from accelerator_portal.cli.options import INPUT_FILE, ROOT, usable_catalog
from accelerator_portal.install.additional_platforms import (
    platforms_by_listed_id,
    read_additional_platforms,
)
from accelerator_portal.install.pip_command import UnreadableCommandError
from accelerator_portal.vendors.draft import folder_files
from accelerator_portal.vendors.entry import (
    entry_draft,
    folder_name,
    with_all_headings,
    with_releases,
)


@click.command("import-platforms")
@ROOT
@click.argument("file", type=INPUT_FILE)
def import_platforms(root: Path, file: Path) -> None:
    """Create vendor folders from FILE, pytorch.org's additional-platforms.json.

    Existing folders are not changed. Fields that FILE doesn't provide are listed at the end, for
    the vendor to complete.
    """
    catalog = usable_catalog(root)
    data, problems = read_additional_platforms(file.parent, file.name)
    if data is None:
        raise ProblemsError(problems)
    drafts: dict[str, dict[str, str]] = {}
    day, listed = today(), platforms_by_listed_id(catalog)
    for platform_id in data.platforms:
        try:
            draft = entry_draft(data, platform_id, catalog.releases, day)
            files = folder_files(with_all_headings(with_releases(draft)))
            known = listed.get(platform_id)
            drafts[known.id if known else folder_name(platform_id)] = files
        except UnreadableCommandError as error:
            what = f"platforms.{platform_id}: {error}"
            remedy = "use packages, --index-url, --extra-index-url and --pre only"
            problems.append(Problem(file.name, 1, what, remedy))
    if problems:
        raise ProblemsError(problems)
    made = [name for name, files in drafts.items() if _write(root, name, files)]
    if made:
        _tell_what_is_missing(root, made)


def _write(root: Path, name: str, files: dict[str, str]) -> bool:
    folder = root / ACCELERATORS / name
    if folder.exists():
        click.echo(f"{ACCELERATORS}/{name} exists; not changed")
        return False
    write_folder_atomically(folder, files)
    click.echo(f"Wrote {ACCELERATORS}/{name}")
    return True


def _tell_what_is_missing(root: Path, made: list[str]) -> None:
    _, problems = load_and_check(root, today())
    places = tuple(f"{ACCELERATORS}/{name}/" for name in made)
    missing = [problem for problem in problems if problem.path.startswith(places)]
    click.echo(
        f"\nThe file doesn't provide all fields. {count(len(missing), 'field')} to complete:"
    )
    for problem in missing:
        click.echo(problem)
