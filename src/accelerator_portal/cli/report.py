"""`accelerator-portal report`: reports from other formats, checked, shown, and back again."""

from __future__ import annotations

import datetime as dt
import sys
from collections import Counter
from pathlib import Path

import click

from accelerator_portal.catalog import Problem, ProblemsError
from accelerator_portal.catalog.atomic_write import write_text_atomically
from accelerator_portal.catalog.problem import printable
from accelerator_portal.catalog.wording import count
from accelerator_portal.cli.options import (
    ANY_ROOT,
    INPUT_FILE,
    JSON,
    OUTPUT_FILE,
    print_json,
    print_problems,
)
from accelerator_portal.cli.outcome_words import outcome_counts
from accelerator_portal.cli.report_compare import compare
from accelerator_portal.cli.report_import import catalog_of, import_report
from accelerator_portal.cli.report_merge import merge
from accelerator_portal.reports.formats import WRITERS
from accelerator_portal.reports.report_check import KnownNames, known_names, report_problems
from accelerator_portal.reports.report_file import line_of_tests, read_report
from accelerator_portal.reports.report_names import name_warnings


@click.group()
def report() -> None:
    """Import, check, merge, show, compare and export test reports."""


report.add_command(compare)
report.add_command(import_report)
report.add_command(merge)


@report.command("check")
@ANY_ROOT
@click.argument("files", nargs=-1, required=True, type=INPUT_FILE)
def check_reports(root: Path, files: tuple[Path, ...]) -> None:
    """Check reports against the schema and for consistency."""
    problems: list[Problem] = []
    warnings: list[Problem] = []
    catalog = catalog_of(root)
    known = known_names(catalog) if catalog else KnownNames()
    now = dt.datetime.now(dt.timezone.utc)
    for file in files:
        try:
            made = read_report(file)
        except ProblemsError as error:
            problems += error.problems
            continue
        first_test = line_of_tests(file)
        problems += report_problems(made, file.name, known, now, first_test)
        warnings += name_warnings(made, file.name, known, first_test)
    for warning in warnings:
        click.echo(f"warning: {warning}", err=True)
    if problems:
        print_problems(problems)
        sys.exit(1)
    click.echo(f"{count(len(files), 'report')}, no problems.")


@report.command("show")
@click.argument("file", type=INPUT_FILE)
@JSON
def show(file: Path, as_json: bool) -> None:
    """Show a report: its origin, environment and number of tests per outcome."""
    made = read_report(file)
    outcomes: dict[str, Counter[str]] = {suite.name: Counter() for suite in made.suites}
    for test in made.tests:
        outcomes[test.suite][test.outcome] += 1
    if as_json:
        head = made.model_dump(mode="json", exclude_none=True, exclude={"tests", "suites"})
        suites = [{**suite.model_dump(), "outcomes": outcomes[suite.name]} for suite in made.suites]
        print_json({**head, "suites": suites})
        return
    click.echo(f"{made.accelerator}, {made.kind}, {made.started or 'no date'}")
    for name, value in made.environment.model_dump(exclude_none=True).items():
        if value:
            click.echo(f"  {name}: {printable(str(value))}")
    for suite in made.suites:
        click.echo(f"{suite.name} ({suite.kind}): {outcome_counts(outcomes[suite.name])}")


@report.command("export")
@click.option(
    "--format",
    "format_name",
    type=click.Choice(sorted(WRITERS)),
    required=True,
    help="Write this format.",
)
@click.option("--out", type=OUTPUT_FILE, required=True, help="Write to this file.")
@click.argument("file", type=INPUT_FILE)
def export_report(file: Path, format_name: str, out: Path) -> None:
    """Write a report in another format."""
    write_text_atomically(out, WRITERS[format_name](read_report(file)))
    click.echo(f"Wrote {out}.")
