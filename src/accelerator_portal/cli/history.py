"""`accelerator-portal history`: writes, summarizes and checks the archive of test results."""

from __future__ import annotations

import datetime as dt
import logging
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, get_args

import click

from accelerator_portal.cli.options import ROOT, progress_bar, require_repository
from accelerator_portal.results.folding import (
    fold_reports,
    folder_reports,
    read_reports,
    without_future_reports,
)
from accelerator_portal.results.partitions.checking import check_accelerator
from accelerator_portal.results.partitions.compaction import compact_all
from accelerator_portal.results.partitions.manifest import (
    archived_accelerators,
    month_of,
    read_manifest,
)
from accelerator_portal.results.rollups import (
    MOST_ROWS_IN_MEMORY,
    ROLLUPS,
    PartitionFiles,
    Rollup,
    RollupEngine,
    dask_rollup,
    engine_for,
    pandas_rollup,
    result_partitions,
)
from accelerator_reports.cli.extras import Extra, require_extra
from accelerator_reports.cli.options import (
    ANY_ROOT,
    INPUT_FILE,
    OUTPUT_FILE,
    DateText,
    print_problems,
    refuse_unknown,
)
from accelerator_reports.files.atomic_write import write_bytes_atomically
from accelerator_reports.files.clock import utc_now
from accelerator_reports.files.folders import ACCELERATORS
from accelerator_reports.files.problem import Problem
from accelerator_reports.files.wording import count

if TYPE_CHECKING:
    import pandas as pd
    from distributed import Client


_CONNECT_TIMEOUT_S = 20


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
    "--engine",
    type=click.Choice(get_args(RollupEngine)),
    help=f"Use this engine. Default: pandas up to {MOST_ROWS_IN_MEMORY:,} results, Dask for more.",
)
@click.option("--scheduler", metavar="ADDRESS", help="Use the workers of this Dask cluster.")
@click.option(
    "--out", type=OUTPUT_FILE, help="Write this .csv, .json or .parquet file. Default: print CSV."
)
@click.argument("name", type=click.Choice(tuple(ROLLUPS)))
def rollup(  # noqa: PLR0913, PLR0917 - click hands over each option
    root: Path,
    name: str,
    accelerators: tuple[str, ...],
    engine: RollupEngine | None,
    scheduler: str | None,
    out: Path | None,
) -> None:
    """Summarize the results of all archived runs.

    Each row is about one accelerator, suite and month.

    Dask workers read the files themselves: the repository must have the same path on each worker.
    """
    if out and out.suffix not in _WRITERS:
        raise click.UsageError(f"{out}: use a name that ends with {', '.join(_WRITERS)}")
    if scheduler and engine == "pandas":
        raise click.UsageError("--scheduler requires Dask. Remove --engine pandas")
    for accelerator in accelerators:
        refuse_without_history(root, accelerator)
    partitions = result_partitions(root, accelerators or archived_accelerators(root))
    engine = "dask" if scheduler else engine or engine_for(partitions)
    frame = _rollup_frame(ROLLUPS[name], partitions, engine, scheduler)
    if out is None:
        click.echo(frame.to_csv(index=False), nl=False)
        return
    write_bytes_atomically(out, _WRITERS[out.suffix](frame))
    click.echo(f"Wrote {count(len(frame), 'row')} to {out}.")


def _rollup_frame(
    rollup: Rollup, partitions: list[PartitionFiles], engine: RollupEngine, scheduler: str | None
) -> pd.DataFrame:
    if engine == "pandas":
        return pandas_rollup(rollup, partitions)
    require_extra(Extra("accelerator-portal", "cluster"), "history rollup with Dask")
    with _dask_client(scheduler) as client:
        return dask_rollup(rollup, partitions, client)


@contextmanager
def _dask_client(scheduler: str | None) -> Iterator[Client]:
    """Yield a client of the Dask cluster at the address `scheduler`.

    If `scheduler` is None, start a local cluster that ends with the `with` block. Raises
    click.ClickException if the scheduler does not respond.
    """
    from distributed import Client, LocalCluster

    # Dask raises the errors of a computation. What it logs beside them, also while its processes
    # end, says nothing about the result.
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    os.environ["DASK_LOGGING__DISTRIBUTED"] = "critical"  # for the workers
    if scheduler is None:
        with (
            LocalCluster(
                threads_per_worker=1,
                dashboard_address="127.0.0.1:0",
                silence_logs=logging.CRITICAL,
            ) as cluster,
            Client(cluster) as client,
        ):
            yield client
        return
    try:
        client = Client(scheduler, timeout=_CONNECT_TIMEOUT_S)
    except (OSError, ValueError):
        error_text = (
            f"the Dask scheduler {scheduler} doesn't respond. Start it, or correct --scheduler"
        )
        raise click.ClickException(error_text) from None
    with client:
        yield client


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
    _exit_if_problems(compact_all(root, month, click.echo))


@history.command()
@ROOT
@click.argument("accelerators", nargs=-1)
def check(root: Path, accelerators: tuple[str, ...]) -> None:
    """Check the archive's files against their manifests.

    The latest outcomes are checked, too.
    """
    problems: list[Problem] = []
    for accelerator in accelerators:
        refuse_without_history(root, accelerator)
    for accelerator in accelerators or archived_accelerators(root):
        accelerator_problems = list(check_accelerator(root, accelerator))
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
        raise click.UsageError(f"{error_text}. To add them: accelerator-portal history fold")
    refuse_unknown(accelerator, archived)


def _intact_archive_text(root: Path, accelerator: str) -> str:
    manifest = read_manifest(root, accelerator)
    files, rows = len(manifest.files), sum(file.rows for file in manifest.files)
    return f"{accelerator}: {count(files, 'file')}, {count(rows, 'row')}, no damage"


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
def fold(root: Path, files: tuple[Path, ...], rebuild: bool, quarantine: bool) -> None:
    """Add reports to the histories in data/history.

    Without FILES, the reports in vendor folders are added.

    Reports that were added before are skipped, so you can interrupt the command and run it again.
    """
    if not files:
        require_repository(root)
    all_reports, problems = read_reports(root, files) if files else folder_reports(root)
    reports, future_problems = without_future_reports(all_reports, utc_now())
    if not quarantine:
        _exit_if_problems(problems)
    folding = fold_reports(root, reports, anew=rebuild, on_result=click.echo, progress=progress_bar)
    if folding.total:
        click.echo(folding.total)
    _exit_if_problems([*future_problems, *folding.problems])
