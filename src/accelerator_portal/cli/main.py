"""The commands, thin: each calls one function of the library and reports."""

from __future__ import annotations

from pathlib import Path

import click

from accelerator_portal.catalog.schema import schema_files
from accelerator_portal.cli.archive import archive
from accelerator_portal.cli.build import build
from accelerator_portal.cli.check import check
from accelerator_portal.cli.diff import diff
from accelerator_portal.cli.export import export
from accelerator_portal.cli.facts import list_facts
from accelerator_portal.cli.generated import CHECK, keep_current
from accelerator_portal.cli.history import history
from accelerator_portal.cli.import_platforms import import_platforms
from accelerator_portal.cli.install import install
from accelerator_portal.cli.new import new
from accelerator_portal.cli.nightly import nightly
from accelerator_portal.cli.options import ROOT
from accelerator_portal.cli.owners import owners
from accelerator_portal.cli.packages import packages
from accelerator_portal.cli.pull_request_comment import pull_request_comment
from accelerator_portal.cli.report import report
from accelerator_portal.cli.suites import suites
from accelerator_portal.cli.upstream import upstream
from accelerator_portal.cli.validate import validate


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="accelerator-portal")
def main() -> None:
    """Look after the PyTorch accelerator portal's data."""


@main.command()
@ROOT
@CHECK
def schema(root: Path, check_only: bool) -> None:
    """Write the JSON Schemas of the contributed files into data/schema/."""
    fault = "the schema is not current; run accelerator-portal schema"
    keep_current(root, schema_files(), check_only, fault)


main.add_command(archive)
main.add_command(build)
main.add_command(check)
main.add_command(diff)
main.add_command(export)
main.add_command(history)
main.add_command(import_platforms)
main.add_command(install)
main.add_command(list_facts)
main.add_command(new)
main.add_command(owners)
main.add_command(packages)
main.add_command(pull_request_comment)
main.add_command(nightly)
main.add_command(report)
main.add_command(suites)
main.add_command(upstream)
main.add_command(validate)
