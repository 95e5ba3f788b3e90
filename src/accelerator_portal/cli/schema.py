"""`accelerator-portal schema`: the JSON Schemas, from the models."""

from __future__ import annotations

from pathlib import Path

import click

from accelerator_portal.catalog.schema import schema_files
from accelerator_portal.cli.generated import CHECK, keep_current
from accelerator_portal.cli.options import ANY_ROOT


@click.command()
@ANY_ROOT
@CHECK
def schema(root: Path, check_only: bool) -> None:
    """Generate the JSON Schemas of contributed files in data/schema/."""
    fault = "the schema is out of date. Run: accelerator-portal schema"
    keep_current(root, schema_files(), check_only, fault)
