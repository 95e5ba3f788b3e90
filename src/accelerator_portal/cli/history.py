"""`accelerator-portal history`: writes, summarizes and checks the archive of test results."""

from __future__ import annotations

import datetime as dt
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from accelerator_portal.cli.options import ROOT, progress_bar, require_repository
from accelerator_portal.results.report_intake import (
    add_reports,
    folder_reports,
    read_reports,
    without_future_reports,
)
from accelerator_portal.results.result_files import (
    archive_problems,
    archived_accelerators,
    listed_files,
    merge_months,
    month_of,
    row_counts,
)
from accelerator_portal.results.result_table import ROLLUPS
from accelerator_portal.results.result_table import rollup as rollup_frame
from accelerator_reports.cli.options import (
    ANY_ROOT,
    INPUT_FILE,
    OUTPUT_FILE,
    DateText,
    print_problems,
    refuse_unknown,
)
from accelerator_reports.files.clock import utc_now
from accelerator_reports.files.folders import ACCELERATORS
from accelerator_reports.files.problem import Problem
from accelerator_reports.files.text_file import write_bytes_atomically
from accelerator_reports.files.wording import count

if TYPE_CHECKING:
    import pandas as pd


@click.group()
def history() -> None:
    """Manage the history of test results."""


@history.command()
@ROOT
@click.option(
    "--accelerator",
    "accelerators",
    multiple=True,
    metavar="ID",
    help="Include only this accelerator. Repeatable.",
)
@click.option(
    "--out", type=OUTPUT_FILE, help="Write this .csv, .json or .parquet file. Default: print CSV."
)
@click.argument("name", type=click.Choice(ROLLUPS))
def rollup(root: Path, name: str, accelerators: tuple[str, ...], out: Path | None) -> None:
    """Summarize the results of all archived runs.

    Each row is about one accelerator, suite and month.
    """
    if out and out.suffix not in _WRITERS:
        raise click.UsageError(f"{out}: use a name that ends with {', '.join(_WRITERS)}")
    for accelerator in accelerators:
        refuse_without_history(root, accelerator)
    frame = rollup_frame(root, name, accelerators or archived_accelerators(root))
    if out is None:
        click.echo(frame.to_csv(index=False), nl=False)
        return
    write_bytes_atomically(out, _WRITERS[out.suffix](frame))
    click.echo(f"Wrote {count(len(frame), 'row')} to {out}.")


_WRITERS: dict[str, Callable[[pd.DataFrame], bytes]] = {
    ".csv": lambda frame: frame.to_csv(index=False).encode(),
    ".json": lambda frame: frame.to_json(orient="records", indent=1).encode(),
    ".parquet": lambda frame: frame.to_parquet(index=False, compression="zstd"),
}


@history.command()
@ROOT
@click.option(
    "--before",
    type=DateText(["%Y-%m"]),
    metavar="YYYY-MM",
    help="Merge the months before this one. Default: the current month.",
)
def compact(root: Path, before: dt.datetime | None) -> None:
    """Merge the archive's files of past months.

    The results stay the same.

    Without --before, merge all months before the current one.
    """
    month = f"{before:%Y-%m}" if before else month_of(utc_now())
    _exit_if_problems(merge_months(root, month, click.echo))


@history.command()
@ROOT
@click.argument("accelerators", nargs=-1)
def check(root: Path, accelerators: tuple[str, ...]) -> None:
    """Check the archive's files against their checksums."""
    problems: list[Problem] = []
    for accelerator in accelerators:
        refuse_without_history(root, accelerator)
    for accelerator in accelerators or archived_accelerators(root):
        accelerator_problems = list(archive_problems(root, accelerator))
        problems += accelerator_problems
        if not accelerator_problems:
            click.echo(_intact_archive_text(root, accelerator))
    _exit_if_problems(problems)


def refuse_without_history(root: Path, accelerator: str) -> None:
    """Raise click.UsageError if an accelerator has no results in the archive below `root`."""
    archived = archived_accelerators(root)
    folders = {folder.name for folder in (root / ACCELERATORS).glob("*/")}
    if accelerator in folders.difference(archived):
        error_text = f"{accelerator} has no history, because none of its reports was added"
        raise click.UsageError(f"{error_text}. To add them: accelerator-portal history add")
    refuse_unknown(accelerator, archived)


def _intact_archive_text(root: Path, accelerator: str) -> str:
    files = listed_files(root, accelerator)
    rows = sum(row_counts(root, files).values())
    return f"{accelerator}: {count(len(files), 'file')}, {count(rows, 'row')}, no damage"


def _exit_if_problems(problems: Sequence[Problem]) -> None:
    """If there are problems, print the problems and exit with status 1."""
    if problems:
        print_problems(problems)
        sys.exit(1)


@history.command()
@ANY_ROOT
@click.option(
    "--rebuild", is_flag=True, help="Delete the existing history and rebuild it from these reports."
)
@click.option("--quarantine", is_flag=True, help="Skip folders and reports with errors.")
@click.argument("files", nargs=-1, type=INPUT_FILE)
def add(root: Path, files: tuple[Path, ...], rebuild: bool, quarantine: bool) -> None:
    """Add reports to the archive in data/history.

    Without FILES, the reports in vendor folders are added.

    Reports that were added before are skipped, so you can interrupt the command and run it again.
    """
    if not files:
        require_repository(root)
    all_reports, problems = read_reports(root, files) if files else folder_reports(root)
    reports, future_problems = without_future_reports(all_reports, utc_now())
    if not quarantine:
        _exit_if_problems(problems)
    intake = add_reports(root, reports, anew=rebuild, on_result=click.echo, progress=progress_bar)
    if intake.total:
        click.echo(intake.total)
    _exit_if_problems([*future_problems, *intake.problems])
