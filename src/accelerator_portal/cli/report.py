"""`accelerator-portal report`: reports from other formats, checked, shown, and back again."""

from __future__ import annotations

import datetime as dt
import re
import sys
from pathlib import Path
from typing import Any, cast, get_args

import click
from pydantic import ValidationError

from accelerator_portal.catalog import Problem, ProblemsError, load_catalog
from accelerator_portal.catalog.atomic_write import write_text_atomically
from accelerator_portal.catalog.problem import printable
from accelerator_portal.catalog.wording import count
from accelerator_portal.cli.options import ROOT, tell
from accelerator_portal.cli.outcome_words import outcome_counts
from accelerator_portal.cli.report_compare import compare
from accelerator_portal.cli.report_merge import merge
from accelerator_portal.reports.formats import READERS, WRITERS, found_format
from accelerator_portal.reports.merge import merged
from accelerator_portal.reports.outcomes import Kind, TriggerKind
from accelerator_portal.reports.reading import Found, Options
from accelerator_portal.reports.report import Environment, Origin, Report, Trigger
from accelerator_portal.reports.report_check import Known, report_problems
from accelerator_portal.reports.report_file import line_of_tests, read_report, report_text

_COMMIT = re.compile(r"([\w.-]+/[\w.-]+)@([0-9a-f]{7,40})")
_ORIGIN = re.compile(rf"{_COMMIT.pattern}:(.+)")


@click.group()
def report() -> None:
    """Import, check, merge, show, compare and export test reports."""


report.add_command(compare)
report.add_command(merge)


@report.command("import")
@ROOT
@click.option("--accelerator", required=True, help="Id of the accelerator.")
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), required=True)
@click.option("--kind", type=click.Choice(["self-reported", "baseline"]), default="self-reported")
@click.option(
    "--format",
    "format_name",
    type=click.Choice(sorted(READERS)),
    help="By default what it looks like.",
)
@click.option("--suite", help="Name of the suite, where the files do not say it.")
@click.option("--parameter", multiple=True, metavar="NAME=VALUE", help="A parameter of all tests.")
@click.option(
    "--origin",
    "origins",
    multiple=True,
    metavar="OWNER/NAME@COMMIT:PATH",
    help="Where a file comes from; once for each.",
)
@click.option("--started", type=click.DateTime(["%Y-%m-%d", "%Y-%m-%dT%H:%M:%S"]), help="In UTC.")
@click.option(
    "--trigger", type=click.Choice(get_args(TriggerKind)), default="unknown", help="The occasion."
)
@click.option(
    "--commit", metavar="OWNER/NAME@COMMIT", help="The upstream repository and commit under test."
)
@click.option("--hardware", help="The model of the device.")
@click.option("--note", help="What a reader must know to read it rightly.")
@click.argument("inputs", nargs=-1, required=True, type=click.Path(path_type=Path))
def import_report(root: Path, inputs: tuple[Path, ...], out: Path, **said: Any) -> None:  # noqa: ANN401
    """Make one report of test results in other formats."""
    try:
        founds = [_read(path, said) for path in inputs]
        made = _made(merged(founds), said)
    except ProblemsError as error:
        tell(error.problems)
        sys.exit(1)
    problems = list(report_problems(made, out.name, _known(root), dt.datetime.now(dt.timezone.utc)))
    if problems:
        tell(problems)
        sys.exit(1)
    try:
        write_text_atomically(out, report_text(made))
    except OSError as error:
        raise click.ClickException(f"{out} cannot be written: {error.strerror}") from None
    click.echo(f"wrote {out}: {outcome_counts(made.tests)}")


@report.command("check")
@ROOT
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
def check_reports(root: Path, files: tuple[Path, ...]) -> None:
    """Check reports: their form, and what a schema cannot see."""
    problems: list[Problem] = []
    known, now = _known(root), dt.datetime.now(dt.timezone.utc)
    for file in files:
        try:
            made = read_report(file)
        except ProblemsError as error:
            problems += error.problems
            continue
        problems += report_problems(made, file.name, known, now, line_of_tests(file))
    if problems:
        tell(problems)
        sys.exit(1)
    click.echo(f"{count(len(files), 'report')}, no problems.")


@report.command("show")
@click.argument("file", type=click.Path(path_type=Path))
def show(file: Path) -> None:
    """Say what a report holds: what it is, where it was made, and how often what happened."""
    made = _report(file)
    click.echo(f"{made.accelerator}, {made.kind}, {made.started or 'no date'}")
    for name, value in made.environment.model_dump(exclude_none=True).items():
        if value:
            click.echo(f"  {name}: {printable(str(value))}")
    for suite in made.suites:
        tests = [test for test in made.tests if test.suite == suite.name]
        click.echo(f"{suite.name} ({suite.kind}): {outcome_counts(tests)}")


@report.command("export")
@click.option("--format", "format_name", type=click.Choice(sorted(WRITERS)), required=True)
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), required=True)
@click.argument("file", type=click.Path(path_type=Path))
def export_report(file: Path, format_name: str, out: Path) -> None:
    """Write a report in another format."""
    try:
        write_text_atomically(out, WRITERS[format_name](_report(file)))
    except OSError as error:
        raise click.ClickException(f"{out} cannot be written: {error.strerror}") from None
    click.echo(f"wrote {out}")


def _read(path: Path, said: dict[str, Any]) -> Found:
    pairs = [parameter.partition("=") for parameter in said["parameter"]]
    for name, equals, _ in pairs:
        if not equals:
            raise click.BadParameter(f'"{name}" has no value', param_hint="--parameter")
    options = Options(said["suite"], {name: value for name, _, value in pairs})
    reader = READERS[said["format_name"] or found_format(path)]
    return reader(path, options)


def _made(found: Found, said: dict[str, Any]) -> Report:
    started = said["started"].replace(tzinfo=dt.timezone.utc) if said["started"] else found.started
    environment = found.environment
    if said["hardware"]:
        environment = environment.model_copy(update={"hardware": said["hardware"]})
    try:
        return Report(
            schema_version=1,
            accelerator=said["accelerator"],
            kind=cast("Kind", said["kind"]),
            trigger=_trigger(said),
            started=started,
            finished=found.finished,
            environment=Environment.model_validate(environment.model_dump()),
            origins=_origins(said),
            note=said["note"] or found.note,
            suites=found.suites,
            tests=found.tests,
        )
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(map(str, first["loc"]))
        raise click.ClickException(f"{place}: {first['msg']}") from None


def _trigger(said: dict[str, Any]) -> Trigger:
    kind = cast("TriggerKind", said["trigger"])
    if not said["commit"]:
        return Trigger(kind=kind)
    match = _COMMIT.fullmatch(said["commit"])
    if not match:
        what = f'"{said["commit"]}" is not of the form OWNER/NAME@COMMIT'
        raise click.BadParameter(what, param_hint="--commit")
    return Trigger(kind=kind, repository=match[1], commit=match[2])


def _origins(said: dict[str, Any]) -> tuple[Origin, ...]:
    found = []
    for text in said["origins"]:
        match = _ORIGIN.fullmatch(text)
        if not match:
            form = "OWNER/NAME@COMMIT:PATH"
            raise click.BadParameter(f'"{text}" is not of the form {form}', param_hint="--origin")
        found.append(Origin(repository=match[1], commit=match[2], path=match[3]))
    return tuple(found)


def _known(root: Path) -> Known:
    catalog, _ = load_catalog(root)
    if catalog is None:
        raise click.ClickException(f"{root} has no usable data/; see accelerator-portal check")
    return Known(frozenset(catalog.by_id), catalog.suites)


def _report(file: Path) -> Report:
    try:
        return read_report(file)
    except ProblemsError as error:
        tell(error.problems)
        sys.exit(1)
