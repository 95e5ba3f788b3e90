"""The commands, thin: each calls one function of the library and reports."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from accelerator_portal.catalog.schema import schema_files
from accelerator_portal.cli.check import check
from accelerator_portal.cli.export import export
from accelerator_portal.cli.facts import list_facts
from accelerator_portal.cli.history import history
from accelerator_portal.cli.import_platforms import import_platforms
from accelerator_portal.cli.options import ROOT
from accelerator_portal.cli.output import write_file
from accelerator_portal.cli.report import report


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="accelerator-portal")
def main() -> None:
    """Look after the PyTorch accelerator portal's data."""


@main.command()
@ROOT
@click.option("--check", "check_only", is_flag=True, help="Write nothing; fail if one is stale.")
def schema(root: Path, check_only: bool) -> None:
    """Write the JSON Schemas of the contributed files into data/schema/."""
    stale = {path: text for path, text in schema_files().items() if not _holds(root / path, text)}
    for path, text in stale.items():
        if check_only:
            click.echo(f"{path}:1: the schema is not current; run accelerator-portal schema")
            continue
        try:
            write_file(root / path, text)
        except OSError as error:
            raise click.ClickException(f"{path} cannot be written: {error.strerror}") from None
        click.echo(f"wrote {path}")
    if stale and check_only:
        sys.exit(1)


main.add_command(check)
main.add_command(export)
main.add_command(history)
main.add_command(import_platforms)
main.add_command(list_facts)
main.add_command(report)


def _holds(path: Path, text: str) -> bool:
    try:
        return path.read_bytes() == text.encode()
    except OSError:
        return False
