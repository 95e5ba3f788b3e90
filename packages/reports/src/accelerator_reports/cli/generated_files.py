"""Part of `accelerator_portal.cli.generated_files`: CHECK, outdated_files, write_or_check_files."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

import click

from accelerator_reports.files.atomic_write import write_text_atomically

CHECK = click.option(
    "--check", "check_only", is_flag=True, help="Write nothing and fail if a file is out of date."
)


def outdated_files(root: Path, files: Mapping[str, str]) -> dict[str, str]:
    """Return the part of `files` that is out of date: the file is missing or has another text.

    `files` maps the paths of generated files, relative to `root`, to their expected texts.
    """
    return {path: text for path, text in files.items() if not _has_text(root / path, text)}


def write_or_check_files(
    root: Path, files: Mapping[str, str], check_only: bool, fault: str
) -> None:
    """Write the files below `root` that are missing or out of date, and print their paths.

    `files` maps the paths of generated files to their expected texts. With `check_only`, nothing is
    written. Instead, each path is printed with the message `fault`. If a path was printed, the
    process then exits with status 1.
    """
    if not check_only:
        write_outdated_files(root, files)
        return
    outdated = outdated_files(root, files)
    for path in outdated:
        click.echo(f"{path}:1: {fault}")
    if outdated:
        sys.exit(1)


def write_outdated_files(root: Path, files: Mapping[str, str]) -> None:
    """Write the part of `files` that `outdated_files` returns, and print the paths.

    Raises OSError if a file cannot be written.
    """
    for path, text in outdated_files(root, files).items():
        write_text_atomically(root / path, text)
        click.echo(f"Wrote {path}")


def _has_text(path: Path, text: str) -> bool:
    try:
        return path.read_bytes() == text.encode()
    except OSError:
        return False
