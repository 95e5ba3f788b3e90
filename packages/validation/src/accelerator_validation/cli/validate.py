"""`accelerator-portal validate` and `suites`: options, progress and exit status."""

from __future__ import annotations

import os
import re
import shlex
import signal
import sys
import time
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import click
from pydantic import TypeAdapter, ValidationError
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from accelerator_reports.cli.lazy_command import Extra, require_extra
from accelerator_reports.cli.main import INTERRUPTED_EXIT_STATUS
from accelerator_reports.cli.options import (
    ANY_ROOT,
    CHECK,
    INPUT,
    INPUT_FILE,
    INPUT_FOLDER,
    OUTPUT_FILE,
    SecondsText,
    WholeNumber,
    print_problems,
    refuse_unknown,
    values_by_name,
    write_or_check_files,
)
from accelerator_reports.cli.other_python import OTHER_PYTHON, given_command
from accelerator_reports.environment import ci_run_url, ci_trigger
from accelerator_reports.files.clock import utc_now
from accelerator_reports.files.folders import SUITES
from accelerator_reports.files.problem import ProblemsError, printable
from accelerator_reports.files.wording import count
from accelerator_reports.outcomes import (
    UNSUCCESSFUL,
    Outcome,
    RunLevel,
    TriggerKind,
    outcome_counts_text,
)
from accelerator_reports.report import MAX_SHARDS, Slug, TestEntry
from accelerator_reports.report_file import read_report
from accelerator_reports.report_views import (
    classification_counts,
    missing_operators,
    repeat_command,
    waiting_tests_text,
)
from accelerator_reports.validation_file import Validation
from accelerator_validation import launch
from accelerator_validation.case import Case, ExpressionError, Result, failed_keys
from accelerator_validation.executorch.registry import DEFAULT_BACKEND
from accelerator_validation.listing import list_tests
from accelerator_validation.matrix import read_matrix, suite_names
from accelerator_validation.plan import Plan, RunError
from accelerator_validation.platform_folder import PlatformFolder, read_platform_folder
from accelerator_validation.pytest_suites.source import PytestSource
from accelerator_validation.pytorch_tests.source import PYTORCH_SUITE as PYTORCH
from accelerator_validation.pytorch_tests.source import PytorchSource
from accelerator_validation.request import (
    DEFAULT_SUITES,
    TORCHBENCH,
    Request,
    ShardRequest,
    resources_for,
)
from accelerator_validation.run import FinishedRun, journal_cases
from accelerator_validation.sharding import recorded_times

if TYPE_CHECKING:
    from typing_extensions import Self

# Prints the progress and the summary of a run of `accelerator-portal validate`.

# The seconds between two lines in a log; on a terminal there is a bar.
_LOG_INTERVAL_S = 20.0

_MAX_LISTED = 20
_MAX_REASON_LENGTH = 160


class ProgressDisplay:
    """A progress bar of a run, with the number of tests by outcome.

    Without a terminal, a line with these numbers is printed at most every 20 seconds instead.
    """

    def __init__(self, total: int | None) -> None:
        self._total = total
        self._counts: Counter[Outcome] = Counter()
        self._last_log_time = time.monotonic()
        self._progress = Progress(
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            TextColumn("{task.description}"),
            console=Console(stderr=True),
            disable=not sys.stderr.isatty(),
        )
        self._task = self._progress.add_task("", total=total)

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def __call__(self, case: Case, result: Result | None) -> None:
        """Show that a test has started (`result` is None), or count its result."""
        if result is not None:
            self._counts[result.outcome] += 1
            if result.outcome in UNSUCCESSFUL:
                self._print_above_bar(_failure_line(case.id, result.outcome, result.reason))
        status = f"{outcome_counts_text(self._counts)} · {case.id}"
        self._progress.update(self._task, description=status, advance=result is not None)
        if self._progress.disable and time.monotonic() - self._last_log_time > _LOG_INTERVAL_S:
            self._last_log_time = time.monotonic()
            total_text = f" of {self._total}" if self._total else ""
            click.echo(f"{self._counts.total()}{total_text}: {status}", err=True)

    def _print_above_bar(self, line: str) -> None:
        """Print a line above the bar, without interpreting markup in it."""
        self._progress.console.print(line, markup=False, highlight=False, soft_wrap=True)


def run_summary(finished: FinishedRun, out: Path) -> str:
    """Return the text that is printed at the end of a run.

    The text lists the commands that run failed tests again, then the missing operators, the number
    of tests by outcome, and the path `out` of the report. Each list has at most _MAX_LISTED items.
    """
    failed_tests = [
        t for t in finished.report.tests if t.outcome in UNSUCCESSFUL and not t.known_issue
    ]
    commands = {suite.name: suite.command for suite in finished.report.suites}
    listed_tests = failed_tests[:_MAX_LISTED]
    lines = [f"  {repeat_command(test, commands[test.suite])}" for test in listed_tests]
    if len(failed_tests) > _MAX_LISTED:
        lines.append(f"  and {len(failed_tests) - _MAX_LISTED} more; --only-failed {out} runs all")
    if lines:
        lines.insert(0, "Tests that did not pass, each with the command that runs it again:")
    lines += _missing_operator_lines(failed_tests)
    if finished.stop_reason:
        lines.append(f"The run stopped early: {printable(finished.stop_reason)}")
    if finished.all_skipped:
        lines.append("Nothing was tested: all tests were skipped. The report has the reasons.")
    if classifications := classification_counts(finished.report.tests):
        lines.append("PyTorch's own tests, by the hardware that they are for:")
        lines += [f"  {classification.text}" for classification in classifications]
    tests = count(len(finished.report.tests), "test")
    lines.append(f"{outcome_counts_text(finished.outcomes)} ({tests}). Report: {out}")
    return "\n".join(lines)


def _missing_operator_lines(tests: list[TestEntry]) -> list[str]:
    """Return a title line, then a line for each missing operator at which some of `tests` stopped.

    The operators that affect most tests come first. After _MAX_LISTED operators, one line has the
    number of operators that are not listed. Returns an empty list if no operator is missing.
    """
    operators = missing_operators(tests)
    if not operators:
        return []
    lines = [f"  {waiting_tests_text(operator)}" for operator in operators[:_MAX_LISTED]]
    if len(operators) > _MAX_LISTED:
        lines.append(f"  and {len(operators) - _MAX_LISTED} more")
    return ["Missing operators, by number of affected tests:", *lines]


def _failure_line(key: str, outcome: Outcome, reason: str | None) -> str:
    reason_text = printable(" ".join((reason or "").split()))
    return f"{outcome}: {key}: {reason_text[:_MAX_REASON_LENGTH]}"


# The task `suites` of the command: writes the lists of tests of each suite.

_TESTS_HEADING = "\ntests:\n"


@click.command()
@ANY_ROOT
@CHECK
@click.option(
    "--suite", "wanted", multiple=True, metavar="NAME", help="Update only this suite. Repeatable."
)
def suites(root: Path, check_only: bool, wanted: tuple[str, ...]) -> None:
    """Add the harness's test names to data/suites.

    Requires torch.

    For a new suite, first write data/suites/NAME.yaml with one test name in the list `tests:`. The
    command adds the other names to the list.

    Names that this torch version doesn't have stay, because reports on other releases use them. The
    lines above the list `tests:` are edited by hand and stay unchanged.
    """
    names_with_file = [name for name in suite_names() if (root / SUITES / f"{name}.yaml").is_file()]
    for name in wanted:
        refuse_unknown(name, suite_names(), "suite")
        if name not in names_with_file:
            remedy = "Create it like those of other suites, with at least one test name"
            raise click.ClickException(f"{SUITES}/{name}.yaml: file not found. {remedy}")
    if not names_with_file:
        error_text = f"{root / SUITES} has no file for a suite of the harness. Correct --root"
        raise click.UsageError(error_text)
    names = [name for name in names_with_file if not wanted or name in wanted]
    tests_by_suite = list_tests({name: read_matrix(name) for name in names})
    files = {}
    for name in filter(tests_by_suite.get, names):  # some suites have their tests in a checkout
        path = f"{SUITES}/{name}.yaml"
        head, separator, tests_text = (root / path).read_text("utf-8").partition(_TESTS_HEADING)
        if not separator:
            raise click.ClickException(
                f'{path} has no list "tests:". Add one with at least one test name'
            )
        matrix = read_matrix(name)
        known_tests = {line.removeprefix("  - ") for line in tests_text.splitlines()}
        harness_tests = {o.name for o in tests_by_suite[name] if not matrix.excludes(o.name, {})}
        tests = sorted(harness_tests | known_tests)
        files[path] = f"{head}{_TESTS_HEADING}" + "".join(f"  - {test}\n" for test in tests)
    fault = "the list of tests is out of date. Run: accelerator-portal suites"
    write_or_check_files(root, files, check_only, fault)


_RESUME = "--resume"
_SHARD_FORM = re.compile(r"([1-9]\d{0,8})/([1-9]\d{0,8})")


def _shard_numbers(
    context: click.Context, parameter: click.Parameter, value: str | None
) -> tuple[int, int] | None:
    """Return the shard number K (from 1) and the number of shards N, from the option's `K/N`.

    Returns None without the option. Raises click.BadParameter if the value is invalid.
    """
    del context, parameter
    if value is None:
        return None
    match = _SHARD_FORM.fullmatch(value)
    if not match:
        raise click.BadParameter(f'"{value}" is not in the form K/N, for example 2/4')
    index, number = int(match[1]), int(match[2])
    if index > number:
        raise click.BadParameter(f"there is no shard {index} of {number}; the last is {number}")
    if number > MAX_SHARDS:
        raise click.BadParameter(f"there can be at most {MAX_SHARDS} shards, not {number}")
    return index, number


SHARD = click.option(
    "--shard",
    metavar="K/N",
    callback=_shard_numbers,
    help="Run shard K of N. Merge the reports of all shards with `report merge`.",
)

TIMES = click.option(
    "--times",
    type=INPUT_FILE,
    metavar="REPORT",
    help="Balance shards by this report's times. Default: the platform's reports.",
)


@click.command()
@OTHER_PYTHON
@click.option(
    "--device", required=True, help="Test this device of torch.device, such as cpu, cuda or xpu."
)
@click.option(
    "--suite",
    "suites",
    multiple=True,
    metavar="NAME",
    help=f"Run this suite. Repeatable. Default: {', '.join(DEFAULT_SUITES)}.",
)
@click.option("--plan", "plan_only", is_flag=True, help="List the tests without running them.")
@click.option(
    "-k",
    "matching",
    metavar="EXPR",
    help='Select tests by words in their IDs, as in "llama and not training".',
)
@click.option("--test", "tests", multiple=True, metavar="ID", help="Run this test. Repeatable.")
@click.option(
    "--only",
    multiple=True,
    metavar="NAME=A,B",
    help="Run only these values of a parameter. Repeatable.",
)
@click.option(
    "--dtype", metavar="A,B", help="Run only these data types. Short for --only dtype=A,B."
)
@click.option(
    "--only-failed",
    type=INPUT_FILE,
    metavar="REPORT",
    help="Run only the tests that failed in this report.",
)
@click.option(
    _RESUME, "go_on", is_flag=True, help="Continue the interrupted run of the report --out."
)
@click.option(
    "--out",
    type=OUTPUT_FILE,
    help="Write the report to this file. Default: validation-ACCELERATOR.json.",
)
@SHARD
@TIMES
@click.option(
    "--timeout", "timeout_s", type=SecondsText(min=0.1), help="Stop a test after this many seconds."
)
@click.option(
    "--scheduler", metavar="ADDRESS", help="Run the tests on the workers of this Dask cluster."
)
@click.option(
    "--workers",
    type=WholeNumber(1, 256),
    help="Run this many worker processes. Default: at most 2.",
)
@click.option(
    "--threads",
    type=WholeNumber(1, 256),
    help="Use this many threads per worker. Default: 1. For the suite speed: one per processor.",
)
@click.option(
    "--level",
    type=click.Choice(get_args(RunLevel)),
    help="Run this much of each test. Default: the level in validation.yaml, or else quick.",
)
@click.option(
    "--record-operators/--no-record-operators",
    "records_operators",
    default=True,
    help="Record the ATen operators of each test (default), or save that time.",
)
@click.option(
    "--all", "everything", is_flag=True, help="Run the tests that are not selected by default, too."
)
@click.option(
    "--backend",
    default=DEFAULT_BACKEND,
    metavar="NAME",
    help="Test these ExecuTorch backends, separated by commas. Default: xnnpack.",
)
@click.option(
    "--import",
    "imports",
    metavar="MODULE",
    help="Import this module first, for plugins without autoload.",
)
@click.option(
    "--accelerator",
    metavar="ID",
    help="Name the accelerator in the report. Default: the device string.",
)
@click.option(
    "--kind",
    type=click.Choice(["self-reported", "made-here"]),
    default="self-reported",
    help="State who ran the tests: you, or this project. Default: self-reported.",
)
@click.option(
    "--trigger",
    type=click.Choice(get_args(TriggerKind)),
    help="State what triggered the run. Default: what your CI says, or else manual.",
)
@click.option(
    "--run-url",
    metavar="URL",
    help="State the address of the CI run. Default: what your CI says.",
)
@click.option(
    "--lock",
    "locks",
    multiple=True,
    type=INPUT_FILE,
    metavar="FILE",
    help="State the SHA-256 of this environment's lock file in the report. Repeatable.",
)
@click.option(
    "--known-issues",
    type=INPUT_FOLDER,
    metavar="ROOT",
    help="Read known-issues.yaml, validation.yaml and reports from this clone of the portal.",
)
@click.option(
    "--torchbench",
    type=INPUT_FOLDER,
    metavar="CHECKOUT",
    help="Use this clone of pytorch/benchmark for the suite torchbench.",
)
@click.option(
    "--pytorch",
    type=INPUT_FOLDER,
    metavar="CHECKOUT",
    help="Use this clone of pytorch/pytorch, at your torch version's tag, for the suite "
    "pytorch-tests.",
)
@click.option(
    "--pytorch-files",
    metavar="A,B",
    help="Run only these files in the clone's test/ folder. With --all, the default is larger.",
)
@click.option(
    "--pytest", type=INPUT, metavar="PATH", help="Run your own pytest suite in this folder or file."
)
@click.option(
    "--suite-name", metavar="NAME", help="Name the pytest suite. Default: the folder's name."
)
@click.option("--run-scripts", is_flag=True, help="Run the platform's scripts in the suite deploy.")
def validate(plan_only: bool, go_on: bool, **arguments: Any) -> None:  # noqa: ANN401
    """Run test suites on a device and write a test report."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that a report is written
    if arguments["scheduler"]:
        require_extra(Extra("accelerator-validation", "cluster"), "validate --scheduler")
    try:
        accelerator = arguments["accelerator"] or arguments["device"].partition(":")[0].lower()
        root = arguments["known_issues"]
        _require_valid_id(accelerator)
        platform = read_platform_folder(root, accelerator) if root else None
        pytest = PytestSource(arguments["pytest"], arguments["suite_name"])
        request = _run_request(arguments, accelerator, platform, pytest.suite)
        files = tuple(filter(None, (arguments["pytorch_files"] or "").split(",")))
        pytorch = PytorchSource(arguments["pytorch"], files)
        _reject_contradictions(arguments, request.suites, plan_only=plan_only, go_on=go_on)
        sources = launch.SuiteSources(
            platform=platform, checkout=arguments["torchbench"], pytorch=pytorch, pytest=pytest
        )
        today = utc_now().date()
        if plan_only:
            _print_plan(launch.make_plan(request, sources, today))
            return
        print_line = partial(click.echo, err=True)
        if go_on:
            request = _resumed_request(request, arguments)
            finished = launch.resume_run(request, sources, ProgressDisplay, print_line)
        else:
            finished = launch.start_run(request, sources, today, ProgressDisplay, print_line)
    except ExpressionError as error:
        raise click.UsageError(f'-k "{arguments["matching"]}": {error}') from None
    except RunError as error:
        raise click.UsageError(str(error)) from None
    except ProblemsError as error:
        print_problems(error.problems)
        sys.exit(2)
    except KeyboardInterrupt:
        click.echo("Interrupted before the first test. To continue, run it again.", err=True)
        sys.exit(INTERRUPTED_EXIT_STATUS)
    click.echo(run_summary(finished, request.out))
    if finished.interrupted:
        click.echo(f"To continue, run: {resume_command(given_command())}")
    sys.exit(finished.exit_code)


def resume_command(words: Sequence[str]) -> str:
    """Return the command that continues the run that the command line `words` started."""
    return shlex.join([*words, *([] if _RESUME in words else [_RESUME])])


def _require_valid_id(accelerator: str) -> None:
    try:
        TypeAdapter(Slug).validate_python(accelerator)
    except ValidationError:
        problem = (
            f'the accelerator\'s id "{accelerator}", from --accelerator or --device, is not valid'
        )
        remedy = "use lower-case letters, digits and hyphens, as in --accelerator ascend"
        raise RunError(f"{problem}; {remedy}") from None


def _reject_contradictions(
    arguments: dict[str, Any], suites: Collection[str], *, plan_only: bool, go_on: bool
) -> None:
    """Raise RunError for options that cannot be used together, or that would have no effect."""
    if plan_only and go_on:
        raise RunError("--plan lists the tests of a new run. Remove --plan or --resume")
    if arguments["pytorch_files"] and not arguments["pytorch"]:
        raise RunError("--pytorch-files names files of a clone. Add --pytorch CHECKOUT")
    for option, suite in (("torchbench", TORCHBENCH), ("pytorch", PYTORCH)):
        if arguments[option] and arguments["suites"] and suite not in suites:
            problem = f"--{option} has no effect without the suite {suite}"
            raise RunError(f"{problem}. Add --suite {suite}, or remove --{option}")


def _resumed_request(request: Request, arguments: dict[str, Any]) -> Request:
    """Return `request` with the numbers of workers and threads for the run to resume.

    The defaults depend on the suites in the run's journal. `workers` and `threads` in `arguments`
    override them. Raises RunError if the journal cannot be read, or if the number of workers would
    distort measured speeds.
    """
    suites = {case.suite for case in journal_cases(request)}
    run_resources = resources_for(suites, arguments["workers"], arguments["threads"])
    return replace(request, workers=run_resources.workers, threads=run_resources.threads)


def _print_plan(plan: Plan) -> None:
    for case in plan.cases:
        issue = plan.skipped.get(case.id)
        click.echo(f"{case.id}  skipped: {issue.reason}" if issue else case.id)
    click.echo(f"{count(len(plan.cases_to_run), 'test')} to run.", err=True)


def _run_request(
    arguments: dict[str, Any],
    accelerator: str,
    platform: PlatformFolder | None,
    own_suite: str | None,
) -> Request:
    tests = frozenset(arguments["tests"])
    if report := arguments["only_failed"]:
        failed_tests = failed_keys(read_report(report))
        if not failed_tests:
            raise RunError(f"no test failed in {report}. Use a report with failed tests")
        tests |= failed_tests
    suites = arguments["suites"] or tuple(sorted({key.partition("/")[0] for key in tests}))
    suite_sources = {
        TORCHBENCH: arguments["torchbench"],
        PYTORCH: arguments["pytorch"],
        own_suite: own_suite,
    }
    suites = (
        suites
        or tuple(name for name, source in suite_sources.items() if name and source)
        or DEFAULT_SUITES
    )
    if arguments["scheduler"] and arguments["workers"]:
        raise RunError("--scheduler uses Dask's own workers. Remove --workers")
    resources = resources_for(suites, arguments["workers"], arguments["threads"])
    return Request(
        device=arguments["device"],
        out=arguments["out"] or Path(f"validation-{accelerator}.json"),
        accelerator=accelerator,
        suites=tuple(suites),
        only=_allowed_parameter_values(arguments),
        matching=arguments["matching"],
        tests=tests,
        imports=arguments["imports"],
        kind=arguments["kind"],
        trigger=arguments["trigger"] or ci_trigger(os.environ),
        run_url=arguments["run_url"] or ci_run_url(os.environ),
        timeout_s=arguments["timeout_s"],
        workers=resources.workers,
        threads=resources.threads,
        level=arguments["level"] or (platform.validation.level if platform else "quick"),
        records_operators=arguments["records_operators"],
        everything=arguments["everything"],
        backend=arguments["backend"],
        locks=arguments["locks"],
        issues=platform.known_issues if platform else (),
        settings=platform.validation if platform else Validation(),
        scripts=arguments["run_scripts"],
        scheduler=arguments["scheduler"],
        shard=_shard_request(arguments["shard"], arguments["times"], platform),
    )


def _shard_request(
    shard_numbers: tuple[int, int] | None, times: Path | None, platform: PlatformFolder | None
) -> ShardRequest | None:
    if shard_numbers is None:
        if times:
            raise RunError("--times works only with shards. Add --shard K/N, or remove --times")
        return None
    return ShardRequest(*shard_numbers, recorded_times(times, platform))


def _allowed_parameter_values(arguments: dict[str, Any]) -> dict[str, tuple[str, ...]]:
    pairs = [*arguments["only"], *([f"dtype={arguments['dtype']}"] if arguments["dtype"] else [])]
    allowed_values = values_by_name(pairs, "--only", "dtype=float32,bfloat16")
    return {name: tuple(values.split(",")) for name, values in allowed_values.items()}
