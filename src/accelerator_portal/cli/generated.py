"""Writes generated files of the repository, or reports those that are out of date."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

import click

from accelerator_portal.catalog.atomic_write import write_text_atomically

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
