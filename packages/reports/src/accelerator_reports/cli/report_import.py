"""`accelerator-portal report import`: converts results in other formats to one report."""

from __future__ import annotations

import datetime as dt
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, get_args

import click
from packaging.version import InvalidVersion, Version
from pydantic import ValidationError

from accelerator_reports.cli.options import (
    ANY_ROOT,
    INPUT_FILE,
    OUTPUT_FILE,
    DateText,
    ReportCommand,
    names_known_in,
    refuse_unknown,
    values_by_name,
)
from accelerator_reports.environment import installed_facts
from accelerator_reports.file_reading import ImportOptions, ImportResult, with_entry_counts
from accelerator_reports.files.clock import utc_now
from accelerator_reports.files.problem import (
    Problem,
    ProblemsError,
    first_error_text,
    printable,
)
from accelerator_reports.files.text_file import write_chunks_atomically
from accelerator_reports.files.wording import count
from accelerator_reports.formats.format_list import READERS, read_as
from accelerator_reports.formats.imported_tests import suite_name_fault
from accelerator_reports.merge import merged_results
from accelerator_reports.outcomes import Outcome, TriggerKind, outcome_counts_text
from accelerator_reports.report import Origin, Report, TestEntry, Trigger
from accelerator_reports.report_file import (
    KnownNames,
    full_imported_name,
    name_warnings,
    report_lines,
    report_problems,
)
from accelerator_reports.run_environment import (
    ENVIRONMENT_OPTIONS,
    IMPORT_REMEDIES,
    merged_environment,
    read_environment,
)
from accelerator_reports.shortened_text import shortened_text
from accelerator_reports.test_ids import IdentityValues, identity_values

_COMMIT = re.compile(r"([\w.-]+/[\w.-]+)@([0-9a-f]{7,40})")
_ORIGIN = re.compile(rf"{_COMMIT.pattern}:(.+)")


def _validated_version(
    _context: click.Context, _option: click.Parameter, value: str | None
) -> str | None:
    if value is None:
        return None
    try:
        Version(value)
    except InvalidVersion:
        error_text = f'"{value[:60]}" is not a version. Write it like 2.9.0 or 2.9.0+cu128'
        raise click.BadParameter(printable(error_text)) from None
    return value.strip()


def _validated_suite(
    _context: click.Context, _option: click.Parameter, value: str | None
) -> str | None:
    if value and (fault := suite_name_fault(value)):
        raise click.BadParameter(printable("; ".join(fault)))
    return value


def _past_time(
    _context: click.Context, _option: click.Parameter, value: dt.datetime | None
) -> dt.datetime | None:
    time = value.replace(tzinfo=dt.timezone.utc) if value else None
    if time and time > utc_now():
        raise click.BadParameter(f"the time is in the future ({time:%Y-%m-%d}). Correct it")
    return time


@click.command("import", cls=ReportCommand)
@ANY_ROOT
@click.option(
    "--accelerator", required=True, metavar="ID", help="Name the accelerator that was tested."
)
@click.option("--out", type=OUTPUT_FILE, required=True, help="Write the report to this file.")
@click.option(
    "--kind",
    type=click.Choice(["self-reported", "baseline"]),
    default="self-reported",
    help="State whether the results are from a run or expected by a CI. Default: self-reported.",
)
@click.option(
    "--format",
    "format_name",
    type=click.Choice(sorted(READERS)),
    help="Read this format. Default: detected.",
)
@click.option(
    "--suite", callback=_validated_suite, help="Name the suite, if the files do not state it."
)
@click.option(
    "--parameter",
    multiple=True,
    metavar="NAME=VALUE",
    help="Add a parameter to all tests. Repeatable.",
)
@click.option(
    "--origin",
    "origins",
    multiple=True,
    metavar="OWNER/NAME@COMMIT:PATH",
    help="State where a file comes from. Repeat for each file.",
)
@click.option(
    "--started",
    type=DateText(["%Y-%m-%d", "%Y-%m-%dT%H:%M:%S"]),
    callback=_past_time,
    help="State the start time of the run, in UTC.",
)
@click.option(
    "--trigger",
    type=click.Choice(get_args(TriggerKind)),
    default="unknown",
    help="State what triggered the run. Default: unknown.",
)
@click.option(
    "--commit",
    metavar="OWNER/NAME@COMMIT",
    help="State the upstream repository and commit under test.",
)
@click.option(
    "--torch",
    metavar="VERSION",
    callback=_validated_version,
    help="State the PyTorch version that the run used.",
)
@click.option("--os", help="State the operating system with its version.")
@click.option("--arch", help="State the processor architecture, for example x86_64.")
@click.option("--python", metavar="VERSION", help="State the Python version.")
@click.option("--hardware", help="State the model of the device.")
@click.option("--driver", metavar="VERSION", help="State the version of the driver.")
@click.option(
    "--environment",
    "environment_file",
    type=INPUT_FILE,
    help="Read the environment from this JSON or YAML file, written as in a report.",
)
@click.option("--here", is_flag=True, help="Add this machine's environment, if the tests ran here.")
@click.option("--note", help="Add a note that readers need to interpret the results.")
@click.argument("inputs", nargs=-1, required=True, type=INPUT_FILE)
def import_report(root: Path, inputs: tuple[Path, ...], out: Path, **arguments: Any) -> None:  # noqa: ANN401
    """Convert test results in other formats to one report.

    If several sources state a value of the environment, the first of these is used: the options,
    the --environment file, the input files, --here.
    """
    if out.resolve() in {path.resolve() for path in inputs}:
        raise click.UsageError(f"{out} is one of the files to import; name another file with --out")
    names = replace(names_known_in(root), remedies=IMPORT_REMEDIES)
    if names.accelerators:
        refuse_unknown(arguments["accelerator"], names.accelerators)
    options = _import_options(arguments, names)
    format_name = arguments["format_name"]
    file_results = [read_as(format_name, path, options) for path in inputs]
    more = f" and {len(inputs) - 1} more" if len(inputs) > 1 else ""
    input_names = f"{inputs[0].name}{more}"
    results = _without_future_times(merged_results(file_results), input_names)
    new_report = _imported_report(results, arguments, names)
    problems = list(_repeated_in_files(inputs, file_results)) or list(
        report_problems(new_report, input_names, names, utc_now())
    )
    if problems:
        raise ProblemsError(problems)
    folder_problems = names.unread.get(arguments["accelerator"], ())
    left_out = (replace(problem, level="warning") for problem in results.warnings)
    warnings = [*left_out, *folder_problems, *name_warnings(new_report, out.name, names)]
    write_chunks_atomically(out, report_lines(new_report))
    for warning in warnings:
        click.echo(f"warning: {warning}", err=True)
    click.echo(
        f"Created {out}: {outcome_counts(Counter(test.outcome for test in new_report.tests))}"
    )


def _import_options(arguments: dict[str, Any], names: KnownNames) -> ImportOptions:
    """Return what the user states about the tests.

    A suite that the user names keeps a slash in its name: `other/kernels`.
    """
    parameters = values_by_name(arguments["parameter"], "--parameter", "dtype=float32")
    try:
        TestEntry(suite="s", name="n", parameters=parameters, outcome="passed")
    except ValidationError as error:
        raise click.BadParameter(
            printable(first_error_text(error)), param_hint="--parameter"
        ) from None
    suite, accelerator = arguments["suite"], arguments["accelerator"]
    full_name = (
        partial(names.suite_names.full_name, accelerator=accelerator)
        if suite
        else partial(full_imported_name, accelerator=accelerator, known=names)
    )
    return ImportOptions(suite, parameters, accelerator, full_name)


def _without_future_times(results: ImportResult, input_names: str) -> ImportResult:
    """Return the results with a warning instead of each time that is in the future."""
    times = (results.started, results.finished)
    started, finished = (None if time and time > utc_now() else time for time in times)
    warnings = (
        Problem(
            input_names,
            1,
            f"the time {time:%Y-%m-%d} is in the future, so it is not used",
            "correct it in the file, or state the start with --started",
        )
        for time in times
        if time and time not in {started, finished}
    )
    return replace(
        results, started=started, finished=finished, warnings=(*results.warnings, *warnings)
    )


def _imported_report(results: ImportResult, arguments: dict[str, Any], names: KnownNames) -> Report:
    started = arguments["started"] or results.started
    own_note = (arguments["note"] or "").strip()
    if own_note and own_note[-1] not in ".!?":
        own_note += "."
    note = " ".join(filter(None, (own_note, results.note)))
    file, accelerator = arguments["environment_file"], arguments["accelerator"]
    try:
        return Report(
            schema_version=1,
            accelerator=accelerator,
            kind=arguments["kind"],
            trigger=_trigger(arguments),
            started=started,
            finished=results.finished,
            environment=merged_environment(
                {name: arguments[name] for name in ENVIRONMENT_OPTIONS},
                read_environment(file) if file else {},
                results.environment,
                installed_facts(names.plugin_packages.get(accelerator))
                if arguments["here"]
                else {},
            ),
            origins=_origins(arguments),
            note=with_entry_counts(shortened_text(note), results.entries),
            suites=results.suites,
            tests=results.tests,
        )
    except ValidationError as error:  # the files are valid: an option is not
        raise click.UsageError(printable(first_error_text(error))) from None


def _repeated_in_files(
    inputs: Sequence[Path], results: Sequence[ImportResult]
) -> Iterator[Problem]:
    """Yield a problem for each two files that contain the same tests."""
    first_files: dict[IdentityValues, Path] = {}
    repeated: dict[tuple[Path, Path], list[str]] = defaultdict(list)
    for path, result in zip(inputs, results, strict=True) if len(inputs) > 1 else ():
        for test in result.tests:
            first_file = first_files.setdefault(identity_values(test), path)
            if first_file is not path:
                repeated[path, first_file].append(test.name)
    for (path, first_file), tests in repeated.items():
        what = f'{count(len(tests), "test")} of {first_file}, such as "{tests[0]}", again'
        remedy = "import each file to its own report, with --parameter if the settings differ"
        yield Problem(str(path), 1, f"the file contains {what}", remedy)


def _trigger(arguments: dict[str, Any]) -> Trigger:
    if not arguments["commit"]:
        return Trigger(kind=arguments["trigger"])
    match = _COMMIT.fullmatch(arguments["commit"])
    if not match:
        error_text = f'"{arguments["commit"]}" is not in the form OWNER/NAME@COMMIT'
        raise click.BadParameter(error_text, param_hint="--commit")
    return Trigger(kind=arguments["trigger"], repository=match[1], commit=match[2])


def _origins(arguments: dict[str, Any]) -> tuple[Origin, ...]:
    parsed_origins = []
    for text in arguments["origins"]:
        match = _ORIGIN.fullmatch(text)
        if not match:
            form = "OWNER/NAME@COMMIT:PATH"
            raise click.BadParameter(f'"{text}" is not in the form {form}', param_hint="--origin")
        parsed_origins.append(Origin(repository=match[1], commit=match[2], path=match[3]))
    return tuple(parsed_origins)


def outcome_counts(outcomes: Counter[Outcome]) -> str:
    """Return a text with the number of tests by outcome, such as `2 tests: 1 passed, 1 failed`."""
    counts_text = outcome_counts_text(outcomes)
    return f"{count(outcomes.total(), 'test')}: {counts_text}" if counts_text else "no tests"
