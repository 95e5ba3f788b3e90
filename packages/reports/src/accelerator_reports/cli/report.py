"""`accelerator-portal report`: imports, exports, checks, shows, compares and merges reports."""

from __future__ import annotations

import datetime as dt
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import click

from accelerator_reports.cli.options import (
    ANY_ROOT,
    INPUT_FILE,
    JSON,
    OUTPUT_FILE,
    ReportCommand,
    WholeNumber,
    names_known_in,
    print_json,
    print_problems,
)
from accelerator_reports.cli.report_import import outcome_counts
from accelerator_reports.comparison import (
    DIFFERENCE_TITLES,
    PAIR_NOTES,
    OutcomeDifference,
    ReportComparison,
    ReportPair,
    compare_reports,
    environment_differences,
    report_pair,
)
from accelerator_reports.files.clock import utc_now
from accelerator_reports.files.problem import Problem, ProblemsError, printable
from accelerator_reports.files.text_file import write_chunks_atomically, write_text_atomically
from accelerator_reports.files.wording import count
from accelerator_reports.formats.format_list import WRITERS
from accelerator_reports.merge import ShardFile, merged_shards, shard_problems
from accelerator_reports.outcomes import Outcome
from accelerator_reports.report import Report
from accelerator_reports.report_file import (
    first_test_line,
    name_warnings,
    read_report,
    report_lines,
    report_problems,
)
from accelerator_reports.report_views import classification_counts


@click.command(cls=ReportCommand)
@click.option("--out", type=OUTPUT_FILE, required=True, help="Write the report to this file.")
@click.argument("shards", nargs=-1, required=True, type=INPUT_FILE)
def merge(shards: tuple[Path, ...], out: Path) -> None:
    """Merge the reports of all shards of a run into one report."""
    if out.resolve() in {path.resolve() for path in shards}:
        raise click.UsageError(f"{out} is one of the shards; name another file with --out")
    merged_report = merged_shards(_read_shards(shards))
    write_chunks_atomically(out, report_lines(merged_report))
    outcomes = outcome_counts(Counter(test.outcome for test in merged_report.tests))
    click.echo(f"Created {out} from {count(len(shards), 'shard')}. {outcomes}.")


def _read_shards(paths: Sequence[Path]) -> list[ShardFile]:
    """Return the reports of the shards at `paths`.

    If a report cannot be read or is invalid, raises ProblemsError with the problems of all reports.
    """
    files: list[ShardFile] = []
    problems: list[Problem] = []
    for path in paths:
        try:
            files.append(ShardFile(str(path), read_report(path)))
        except ProblemsError as error:
            problems += (replace(problem, path=str(path)) for problem in error.problems)
    if problems:
        raise ProblemsError([*problems, *shard_problems(files, all_read=False)])
    return files


_NOT_STATED = "not stated"


@click.command(cls=ReportCommand)
@click.option(
    "--limit",
    type=WholeNumber(min=0),
    default=50,
    show_default=True,
    help="List at most this many tests for each kind of difference.",
)
@click.argument("first", type=INPUT_FILE)
@click.argument("second", type=INPUT_FILE)
@JSON
def compare(first: Path, second: Path, limit: int, as_json: bool) -> None:
    """List new failures, fixes and other differences.

    FIRST and SECOND are reports. The differences are changes from FIRST to SECOND.
    """
    first_report, second_report = read_report(first), read_report(second)
    if as_json:
        print_json(_comparison_record(first_report, second_report))
        return
    click.echo(f"first:  {_report_title(first, first_report)}")
    click.echo(f"second: {_report_title(second, second_report)}")
    for line in _comparison_lines(first_report, second_report, limit):
        click.echo(printable(line))


def _comparison_lines(first: Report, second: Report, limit: int) -> Iterator[str]:
    pair = report_pair(first, second)
    comparison = compare_reports(first, second)
    if PAIR_NOTES[pair]:
        yield PAIR_NOTES[pair]
    if first.accelerator != second.accelerator:
        yield "The reports are of different platforms."
    yield from _environment_lines(first, second)
    for position, counts in (("first", comparison.only_first), ("second", comparison.only_second)):
        if counts:
            suite_texts = (f"{name}: {count(number, 'test')}" for name, number in counts.items())
            yield f"Only the {position} report has: {'; '.join(suite_texts)}."
    if not comparison.unchanged:
        yield "The reports have no suite with the same settings."
    yield from _suite_lines(comparison, pair)
    for kind, titles in DIFFERENCE_TITLES.items():
        tests = comparison.of_kind(kind)
        if tests:
            yield f"{titles[pair]} ({len(tests):,}):"
            yield from (f"  {_difference_text(test)}" for test in tests[:limit])
            if len(tests) > limit:
                yield f"  and {len(tests) - limit:,} more; --limit {len(tests)} lists all"


def _report_title(file: Path, report: Report) -> str:
    day = f"{report.started:%Y-%m-%d}" if report.started else "no date"
    return printable(f"{file} ({report.accelerator}, {report.kind}, {day})")


def _environment_lines(first: Report, second: Report) -> Iterator[str]:
    environment_changes = environment_differences(first.environment, second.environment)
    yield "Environment:" if environment_changes else "Environment: no difference stated"
    for change in environment_changes:
        yield f"  {change.what}: {change.before or _NOT_STATED} → {change.after or _NOT_STATED}"


def _suite_lines(comparison: ReportComparison, pair: ReportPair) -> Iterator[str]:
    for suite, unchanged in comparison.unchanged.items():
        counts = [
            f"{titles[pair].lower()}: {comparison.counts[suite, kind]:,}"
            for kind, titles in DIFFERENCE_TITLES.items()
            if (suite, kind) in comparison.counts
        ]
        yield f"{suite}: {', '.join([*counts, f'unchanged: {unchanged:,}'])}"


def _difference_text(difference: OutcomeDifference) -> str:
    if difference.first and difference.second:
        return f"{difference.test.key}: {difference.first} → {difference.second}"
    return f"{difference.test.key}: {difference.first or difference.second}"


def _comparison_record(first: Report, second: Report) -> dict[str, Any]:
    """Return all differences between two reports, as `report compare --json` prints them.

    The result has these keys:

    - `first` and `second`: the platform, the kind and the start of each report.
    - `environment`: the changes of the environment.
    - `only_first`: the number of tests, by suite, in suites that only the first report has. A suite
      whose settings differ counts as another suite.
    - `only_second`: the same for suites that only the second report has.
    - `unchanged`: the number of tests with equal outcomes, by suite.
    - `differences`: the tests on which the reports differ.
    """
    comparison = compare_reports(first, second)
    heads = [
        {"accelerator": r.accelerator, "kind": r.kind, "started": r.started}
        for r in (first, second)
    ]
    return {
        "first": heads[0],
        "second": heads[1],
        "environment": [
            asdict(one) for one in environment_differences(first.environment, second.environment)
        ],
        "only_first": comparison.only_first,
        "only_second": comparison.only_second,
        "unchanged": comparison.unchanged,
        "differences": [
            {"kind": one.kind, "test": one.test.key, "first": one.first, "second": one.second}
            for one in comparison.differences
        ],
    }


@click.command("check", cls=ReportCommand)
@ANY_ROOT
@click.argument("files", nargs=-1, required=True, type=INPUT_FILE)
def check_reports(root: Path, files: tuple[Path, ...]) -> None:
    """Check reports against the schema and for consistency."""
    problems: list[Problem] = []
    warnings: list[Problem] = []
    names = names_known_in(root)
    now = utc_now()
    for file in files:
        try:
            checked_report = read_report(file)
        except ProblemsError as error:
            problems += error.problems
            continue
        first_test = first_test_line(file)
        problems += report_problems(checked_report, file.name, names, now, first_test)
        warnings += name_warnings(checked_report, file.name, names, first_test)
    for warning in warnings:
        click.echo(f"warning: {warning}", err=True)
    if problems:
        print_problems(problems)
        sys.exit(1)
    click.echo(f"{count(len(files), 'report')}, no problems.")


@click.command(cls=ReportCommand)
@click.argument("file", type=INPUT_FILE)
@JSON
def show(file: Path, as_json: bool) -> None:
    """Show origin, environment and outcomes of a report."""
    shown_report = read_report(file)
    outcomes: dict[str, Counter[Outcome]] = {suite.name: Counter() for suite in shown_report.suites}
    for test in shown_report.tests:
        outcomes[test.suite][test.outcome] += 1
    if as_json:
        header = shown_report.model_dump(
            mode="json", exclude_none=True, exclude={"tests", "suites"}
        )
        suites = [
            {**suite.model_dump(), "outcomes": outcomes[suite.name]}
            for suite in shown_report.suites
        ]
        print_json({**header, "suites": suites})
        return
    started = "no date"
    if shown_report.started:
        started = f"{shown_report.started.astimezone(dt.timezone.utc):%Y-%m-%d %H:%M} UTC"
    click.echo(f"{shown_report.accelerator}, {shown_report.kind}, {started}")
    for name, value in shown_report.environment.model_dump(exclude_none=True).items():
        if value:
            click.echo(f"  {name}: {printable(str(value))}")
    for suite in shown_report.suites:
        click.echo(f"{suite.name} ({suite.kind}): {outcome_counts(outcomes[suite.name])}")
    for classification in classification_counts(shown_report.tests):
        click.echo(f"  {classification.text}")


@click.command("export", cls=ReportCommand)
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
    """Write a report in another format, for CI or another tool.

    Keep the report: the other formats don't have all of its fields.
    """
    write_text_atomically(out, WRITERS[format_name](read_report(file)))
    click.echo(f"Wrote {out}.")
