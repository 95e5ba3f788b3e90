"""`accelerator-portal owners`: what GitHub reads follows from the vendors' folders."""

from __future__ import annotations

from pathlib import Path

import click

from accelerator_portal.cli.generated import CHECK, keep_current
from accelerator_portal.cli.options import ROOT, whole_catalog
from accelerator_portal.vendors.github_files import github_files


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
