"""`accelerator-portal diff`: what readers will see differently."""

from __future__ import annotations

from pathlib import Path

import click

from accelerator_portal.cli.options import INPUT_FOLDER
from accelerator_portal.site.difference import compare, markdown, read_state


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
    """Compare two built sites and list the changes readers will see."""
    difference = compare(read_state(base), read_state(head))
    if form == "json":
        click.echo(difference.model_dump_json(exclude_none=True, indent=1))
    else:
        click.echo(markdown(difference), nl=False)
