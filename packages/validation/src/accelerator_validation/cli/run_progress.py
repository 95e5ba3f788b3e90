"""Prints the progress and the summary of a run of `accelerator-portal validate`."""

from __future__ import annotations

import sys
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from accelerator_reports.files.problem import printable
from accelerator_reports.files.wording import count
from accelerator_reports.hw_classification import classification_counts
from accelerator_reports.missing_operators import missing_operators, waiting_tests_text
from accelerator_reports.outcomes import UNSUCCESSFUL, Outcome, outcome_counts_text
from accelerator_reports.repetition import repeat_command
from accelerator_reports.report import TestEntry
from accelerator_validation.case import Case, Result
from accelerator_validation.run import FinishedRun

if TYPE_CHECKING:
    from typing_extensions import Self  # Python 3.10 has none of its own

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
