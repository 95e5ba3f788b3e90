"""`accelerator-portal diff`: what readers will see differently."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from accelerator_portal.catalog import ProblemsError
from accelerator_portal.cli.options import print_problems
from accelerator_portal.site.difference import compare, markdown, read_state

_SITE = click.Path(file_okay=False, path_type=Path)


@click.command()
@click.argument("base", type=_SITE)
@click.argument("head", type=_SITE)
@click.option(
    "--format",
    "form",
    type=click.Choice(["markdown", "json"]),
    default="markdown",
    help="Output format. Default: markdown.",
)
def diff(base: Path, head: Path, form: str) -> None:
    """Compare two built sites and list the changes readers will see."""
    try:
        difference = compare(read_state(base), read_state(head))
    except ProblemsError as error:
        print_problems(error.problems)
        sys.exit(1)
    if form == "json":
        click.echo(difference.model_dump_json(exclude_none=True, indent=1))
    else:
        click.echo(markdown(difference), nl=False)
