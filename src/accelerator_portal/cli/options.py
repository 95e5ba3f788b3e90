"""Provides options that several commands share, loads the catalog for them, and prints results."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from accelerator_portal.catalog import Catalog, load_catalog
from accelerator_portal.catalog.catalog import platform_id_of
from accelerator_portal.catalog.loader import is_clone
from accelerator_portal.catalog.progress import Advance
from accelerator_portal.checks import errors, load_and_check
from accelerator_reports.cli.options import refuse_unknown, root_option
from accelerator_reports.files.clock import today
from accelerator_reports.files.folders import ACCELERATORS
from accelerator_reports.files.problem import ProblemsError


def require_repository(root: Path) -> None:
    """Raise click.BadParameter if a folder contains no data of the portal."""
    if not is_clone(root):
        error_text = (
            f"{root.absolute()} is not a repository of the portal: it has no {ACCELERATORS}/"
        )
        remedy = "Run the command in a clone, or pass its folder"
        raise click.BadParameter(f"{error_text}. {remedy}", param_hint="'--root'")


def _checked_root(_context: click.Context, _option: click.Parameter, root: Path) -> Path:
    require_repository(root)
    return root


ROOT = root_option(_checked_root)

ARCHIVE = click.option(
    "--archive",
    metavar="PLACE",
    help="Keep older runs and last valid folders in this archive: a folder or an fsspec URL.",
)


def usable_catalog(root: Path, *needed: str) -> Catalog:
    """Return the catalog below a folder, without vendor folders that have problems.

    Raises ProblemsError if the PyTorch releases, the selector's defaults or the folder of a
    platform in `needed` cannot be used. Raises click.UsageError if there is no such folder.
    """
    catalog, problems = load_catalog(root)
    if catalog is None:
        raise ProblemsError(problems)
    for name in needed:
        if name in catalog.unread_folders:
            raise ProblemsError(p for p in problems if platform_id_of(p.path) == name)
        refuse_unknown(name, catalog.by_id)
    return catalog


def catalog_of_main(root: Path) -> Catalog:
    """Return the catalog of a checkout of the main branch.

    Raises click.ClickException if the catalog cannot be loaded.
    """
    catalog, _ = load_catalog(root)
    if catalog is None:
        raise click.ClickException(
            f"{root} has no valid data. Use a checkout of the repository's main branch"
        )
    return catalog


def whole_catalog(root: Path) -> Catalog:
    """Return the complete catalog below a folder, without running the rules of the check.

    Raises ProblemsError if any file cannot be read or is invalid.
    """
    catalog, problems = load_catalog(root)
    if problems or catalog is None:
        raise ProblemsError(problems)
    return catalog


def checked_catalog(root: Path) -> Catalog:
    """Return the catalog below a folder. Raises ProblemsError if the check finds errors."""
    catalog, problems = load_and_check(root, today())
    if (error_problems := errors(problems)) or catalog is None:
        raise ProblemsError(error_problems)
    return catalog


@contextmanager
def progress_bar(label: str, length: int) -> Iterator[Advance]:
    """Show a progress bar on a terminal, and nothing in a log.

    Yields a function without arguments. Call this function after each of the `length` items.
    """
    quiet = not sys.stderr.isatty()
    with click.progressbar(length=length, label=label, hidden=quiet, file=sys.stderr) as bar:
        yield lambda: bar.update(1)
