"""`accelerator-portal facts`: lists the portal's facts with their sources, for auditing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from accelerator_portal.catalog import Catalog
from accelerator_portal.catalog.catalog import platform_id_of
from accelerator_portal.catalog.clock import today
from accelerator_portal.catalog.source_ages import (
    TRUST_LEVELS,
    Fact,
    aged_facts,
    facts,
    facts_by_platform,
    trust_level,
    vendor_sites,
)
from accelerator_portal.catalog.wording import count
from accelerator_portal.cli.options import JSON, ROOT, WholeNumber, checked_catalog, print_json


@click.command("facts")
@ROOT
@click.option(
    "--stale",
    type=WholeNumber(min=0),
    metavar="DAYS",
    help="Print only facts whose source was read more than DAYS days ago, oldest first.",
)
@JSON
def list_facts(root: Path, stale: int | None, *, as_json: bool) -> None:
    """List facts with their sources.

    Each source has a level of trust: package metadata, own test, vendor's document, third-party
    document or issue thread.
    """
    catalog = checked_catalog(root)
    vendors = {p.id: vendor_sites(p.accelerator) for p in catalog.platforms}
    found = list(facts(catalog)) if stale is None else _stale_facts(catalog, stale, quiet=as_json)
    listed = [(fact, vendors.get(platform_id_of(fact.path), frozenset())) for fact in found]
    if as_json:
        print_json([_fact_record(*fact_and_places) for fact_and_places in listed])
    else:
        for fact_and_places in listed:
            click.echo(_fact_text(*fact_and_places))


def _stale_facts(catalog: Catalog, days: int, *, quiet: bool) -> list[Fact]:
    """Return the facts whose source was read more than `days` days ago, oldest first.

    Unless `quiet`, print the number of these facts, in total and for each platform.
    """
    aged, day = aged_facts(catalog), today()
    found = [one for one in aged if one.is_stale(day, days)]
    if quiet:
        return [one.fact for one in found]
    total = f"{len(found)} of {count(len(aged), 'fact')}"
    click.echo(f"{total} were read more than {count(days, 'day')} ago.")
    if not found and aged:
        click.echo(f"The oldest fact was read on {aged[0].read}: {aged[0].fact.path}")
    for platform, own in facts_by_platform(found).items():
        stale = count(len(own), "stale fact")
        click.echo(f"{platform or 'shared data'}: {stale}, the oldest read on {own[0].read}")
    return [one.fact for one in found]


def _fact_text(fact: Fact, vendor: frozenset[str]) -> str:
    lines = [f"{fact.path}:{fact.line}: {fact.text}"]
    for source in fact.sources:
        place = source.address or f"the package {source.package} on PyPI"
        level = TRUST_LEVELS[trust_level(source, vendor)].lower()
        lines.append(f"    {source.title}, read {source.read} ({level}): {place}")
    return "\n".join(lines)


def _fact_record(fact: Fact, vendor: frozenset[str]) -> dict[str, Any]:
    sources = [
        {**source.model_dump(exclude_none=True), "trust": trust_level(source, vendor)}
        for source in fact.sources
    ]
    return {"path": fact.path, "line": fact.line, "text": fact.text, "sources": sources}
