"""The commands, thin: each calls one function of the library and reports."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from accelerator_portal.catalog.schema import schema_files
from accelerator_portal.checks import load_and_check

_ROOT = click.option(
    "--root",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    default=".",
    help="The repository; by default the folder you are in.",
)


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="accelerator-portal")
def main() -> None:
    """Look after the PyTorch accelerator portal's data."""


@main.command()
@_ROOT
def check(root: Path) -> None:
    """Check every vendor's folder and the shared data; print all problems at once."""
    catalog, problems = load_and_check(root)
    for problem in problems:
        click.echo(problem)
    if problems or catalog is None:
        click.echo(f"{_count(len(problems), 'problem')} found.", err=True)
        sys.exit(1)
    click.echo(f"{_count(len(catalog.platforms), 'platform')}, no problems.")


@main.command()
@_ROOT
@click.option("--check", "check_only", is_flag=True, help="Write nothing; fail if one is stale.")
def schema(root: Path, check_only: bool) -> None:
    """Write the JSON Schemas of the contributed files into data/schema/."""
    stale = {path: text for path, text in schema_files().items() if not _holds(root / path, text)}
    for path, text in stale.items():
        if check_only:
            click.echo(f"{path}:1: the schema is not current; run accelerator-portal schema")
            continue
        try:
            _write(root / path, text)
        except OSError as error:
            raise click.ClickException(f"{path} cannot be written: {error.strerror}") from None
        click.echo(f"wrote {path}")
    if stale and check_only:
        sys.exit(1)


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def _holds(path: Path, text: str) -> bool:
    try:
        return path.read_bytes() == text.encode()
    except OSError:
        return False


def _write(path: Path, text: str) -> None:
    """Write beside and rename, so that an interruption leaves the old file whole."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(path.name + ".new")
    beside.write_text(text, encoding="utf-8")
    beside.replace(path)
