"""`accelerator-portal schema` and `owners`: write generated files, or list those out of date."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

import click

from accelerator_portal.catalog.atomic_write import write_text_atomically
from accelerator_portal.catalog.schema import schema_files
from accelerator_portal.cli.options import ANY_ROOT, ROOT, whole_catalog
from accelerator_portal.vendors.github_files import github_files

CHECK = click.option(
    "--check", "check_only", is_flag=True, help="Write nothing and fail if a file is out of date."
)


def stale_files(root: Path, files: Mapping[str, str]) -> dict[str, str]:
    """Return those of `files` that do not stand below `root` as they should."""
    return {path: text for path, text in files.items() if not _holds(root / path, text)}


def keep_current(root: Path, files: Mapping[str, str], check_only: bool, fault: str) -> None:
    """Write what is stale; or, with `check_only`, say `fault` of each and leave the program."""
    old = stale_files(root, files)
    for path, text in old.items():
        if check_only:
            click.echo(f"{path}:1: {fault}")
            continue
        write_text_atomically(root / path, text)
        click.echo(f"Wrote {path}")
    if old and check_only:
        sys.exit(1)


def _holds(path: Path, text: str) -> bool:
    try:
        return path.read_bytes() == text.encode()
    except OSError:
        return False


@click.command()
@ROOT
@CHECK
def owners(root: Path, check_only: bool) -> None:
    """Generate .github/CODEOWNERS and the issue forms that list platforms.

    Owners are the maintainers in each platform's accelerator.yaml. If a folder has problems,
    nothing is written, because its owners would be lost.
    """
    fault = "the file is out of date. Run: make owners"
    keep_current(root, github_files(whole_catalog(root)), check_only, fault)


@click.command()
@ANY_ROOT
@CHECK
def schema(root: Path, check_only: bool) -> None:
    """Generate the JSON Schemas of contributed files in data/schema/."""
    fault = "the schema is out of date. Run: accelerator-portal schema"
    keep_current(root, schema_files(), check_only, fault)
