"""`accelerator-portal schema`, `owners` and `suites`: generate files in the repository."""

from __future__ import annotations

from pathlib import Path

import click

from accelerator_portal.catalog.schema import schema_files
from accelerator_portal.cli.options import ROOT, whole_catalog
from accelerator_portal.vendors.derived_files import derived_files
from accelerator_reports.cli.options import ANY_ROOT, CHECK, write_or_check_files


@click.command()
@ROOT
@CHECK
def owners(root: Path, check_only: bool) -> None:
    """Generate the code owners and issue forms.

    The files are .github/CODEOWNERS, the issue forms that list platforms, and the harness's list of
    plugins. In the forms, only the list of platforms is generated. Edit the rest by hand.

    Owners are the maintainers in each platform's accelerator.yaml. If a folder has problems,
    nothing is written, because its owners would be lost.
    """
    fault = "the file is out of date. Run: make owners"
    write_or_check_files(root, derived_files(root, whole_catalog(root)), check_only, fault)


@click.command()
@ANY_ROOT
@CHECK
def schema(root: Path, check_only: bool) -> None:
    """Generate the JSON Schemas in data/schema/.

    They describe the files that vendors contribute.
    """
    fault = "the schema is out of date. Run: accelerator-portal schema"
    write_or_check_files(root, schema_files(), check_only, fault)
