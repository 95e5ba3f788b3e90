"""`accelerator-portal history compact`, `check` and `repair`: the files of the archive."""

from __future__ import annotations

import datetime as dt
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from accelerator_portal.catalog import Problem
from accelerator_portal.catalog.catalog import ACCELERATORS
from accelerator_portal.catalog.wording import count
from accelerator_portal.cli.options import INPUT_FILE, ROOT, print_problems, refuse_unknown
from accelerator_portal.results.folding import NamedReport, folder_reports, read_reports
from accelerator_portal.results.partitions.compaction import Compaction, compact_all
from accelerator_portal.results.partitions.layout import archived_accelerators, month_of
from accelerator_portal.results.partitions.manifest import read_manifest
from accelerator_portal.results.partitions.repairing import check_accelerator, repair_accelerator
from accelerator_portal.results.partitions.writing import locked


@click.command()
@ROOT
@click.option(
    "--before",
    metavar="YYYY-MM",
    help="Merge the months before this one. Default: the current month.",
)
def compact(root: Path, before: str | None) -> None:
    """Merge the archive's files of past months into fewer files with the same results.

    Without --before, merge all months before the current one.
    """
    month = before or month_of(dt.datetime.now(dt.timezone.utc))
    _end(compact_all(root, month, _tell_compaction))


@click.command()
@ROOT
@click.argument("accelerators", nargs=-1)
def check(root: Path, accelerators: tuple[str, ...]) -> None:
    """Check the archive's files against their manifests and the latest outcomes."""
    problems: list[Problem] = []
    for accelerator in accelerators:
        refuse_without_history(root, accelerator)
    for accelerator in accelerators or archived_accelerators(root):
        found = list(check_accelerator(root, accelerator))
        problems += found
        if not found:
            click.echo(_whole(root, accelerator))
    _end(problems)


@click.command()
@ROOT
@click.argument("accelerator")
@click.argument("files", nargs=-1, type=INPUT_FILE)
def repair(root: Path, accelerator: str, files: tuple[Path, ...]) -> None:
    """Repair an accelerator's archive from its undamaged files and from reports.

    FILES are reports. Without FILES, use the reports in vendor folders.
    """
    refuse_without_history(root, accelerator)
    reports, _ = read_reports(root, files) if files else folder_reports(root)
    with locked(root, accelerator):
        done = repair_accelerator(root, accelerator, _of(accelerator, reports))
    for sentence in done.done or ("Nothing to repair.",):
        click.echo(sentence)
    _end(list(check_accelerator(root, accelerator)))


def _tell_compaction(accelerator: str, done: Compaction) -> None:
    click.echo(
        f"{accelerator}: {count(done.files, 'file')} to {done.merged:,}, "
        f"{count(done.rows, 'row')}, {done.bytes:,} to {done.merged_bytes:,} bytes"
    )


def refuse_without_history(root: Path, accelerator: str) -> None:
    """Refuse an accelerator that has no archive; raises click.UsageError."""
    archived = archived_accelerators(root)
    folders = {place.name for place in (root / ACCELERATORS).glob("*/")}
    if accelerator in folders.difference(archived):
        what = f"{accelerator} has no history, because none of its reports was added"
        raise click.UsageError(f"{what}. To add them: accelerator-portal history fold")
    refuse_unknown(accelerator, archived)


def _of(accelerator: str, reports: list[NamedReport]) -> Iterator[NamedReport]:
    return (named for named in reports if named[1].accelerator == accelerator)


def _whole(root: Path, accelerator: str) -> str:
    manifest = read_manifest(root, accelerator)
    files, rows = len(manifest.files), sum(file.rows for file in manifest.files)
    lost = count(len(manifest.lost), "damaged file")
    note = f"; {lost} could not be restored (see the manifest)" if manifest.lost else ""
    return f"{accelerator}: {count(files, 'file')}, {count(rows, 'row')}, no damage{note}"


def _end(problems: Sequence[Problem]) -> None:
    if problems:
        print_problems(problems)
        sys.exit(1)
