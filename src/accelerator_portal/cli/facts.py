"""`accelerator-portal facts`: what the portal states, for auditing."""

from __future__ import annotations

import random
import sys
from pathlib import Path

import click

from accelerator_portal.catalog.clock import today
from accelerator_portal.catalog.facts import Fact, facts
from accelerator_portal.checks import errors, load_and_check
from accelerator_portal.cli.options import ROOT, tell


@click.command("facts")
@ROOT
@click.option(
    "--sample", type=click.IntRange(min=1), help="Print a random sample of this many facts."
)
@click.option("--seed", type=int, default=0, help="Seed of the random sample. Default: 0.")
def list_facts(root: Path, sample: int | None, seed: int) -> None:
    """List facts with their sources, all of them or a random sample."""
    catalog, problems = load_and_check(root, today())
    if (failed := errors(problems)) or catalog is None:
        tell(failed)
        sys.exit(1)
    found = list(facts(catalog))
    if sample is not None and sample < len(found):
        drawn = set(random.Random(seed).sample(range(len(found)), sample))  # noqa: S311 - no secret
        click.echo(f"{sample} of {len(found)} facts, seed {seed}")
        found = [fact for place, fact in enumerate(found) if place in drawn]
    for fact in found:
        click.echo(_shown(fact))


def _shown(fact: Fact) -> str:
    lines = [f"{fact.path}:{fact.line}: {fact.text}"]
    for source in fact.sources:
        place = source.url or f"the package {source.package} on PyPI"
        lines.append(f"    {source.title}, read {source.read}: {place}")
    return "\n".join(lines)
