"""`accelerator-portal report merge`: the shards of a run as one report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import click

from accelerator_portal.catalog import Problem, ProblemsError
from accelerator_portal.catalog.atomic_write import write_text_atomically
from accelerator_portal.catalog.wording import count
from accelerator_portal.cli.options import INPUT_FILE, OUTPUT_FILE
from accelerator_portal.cli.outcome_words import outcome_counts
from accelerator_portal.reports.report_file import read_report, report_text
from accelerator_portal.reports.shard_check import ShardFile, shard_problems
from accelerator_portal.reports.shard_merge import merged_shards


@click.command()
@click.option("--out", type=OUTPUT_FILE, required=True, help="Write the report to this file.")
@click.argument("shards", nargs=-1, required=True, type=INPUT_FILE)
def merge(shards: tuple[Path, ...], out: Path) -> None:
    """Merge the reports of all shards of a run into one report."""
    if out.resolve() in {path.resolve() for path in shards}:
        raise click.UsageError(f"{out} is one of the shards; name another file with --out")
    made = merged_shards(_read(shards))
    write_text_atomically(out, report_text(made))
    outcomes = outcome_counts(Counter(test.outcome for test in made.tests))
    click.echo(f"Created {out} from {count(len(shards), 'shard')}. {outcomes}.")


def _read(paths: Sequence[Path]) -> list[ShardFile]:
    """Read reports; raises ProblemsError, also with what is wrong with those that can be read."""
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
