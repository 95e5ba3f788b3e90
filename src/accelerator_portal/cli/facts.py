"""`accelerator-portal facts`: lists the portal's facts with their sources, for auditing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from accelerator_portal.catalog import Catalog
from accelerator_portal.catalog.catalog import platform_id_of
from accelerator_portal.catalog.facts import (
    TRUST_LEVELS,
    Fact,
    aged_facts,
    facts,
    facts_by_platform,
    trust_level,
    vendor_sites,
)
from accelerator_portal.cli.options import ROOT, checked_catalog
from accelerator_reports.cli.options import JSON, WholeNumber, print_json
from accelerator_reports.files.clock import today
from accelerator_reports.files.wording import count


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
    sites_by_platform = {p.id: vendor_sites(p.accelerator) for p in catalog.platforms}
    selection = (
        list(facts(catalog)) if stale is None else _stale_facts(catalog, stale, quiet=as_json)
    )
    facts_and_sites = [
        (fact, sites_by_platform.get(platform_id_of(fact.path), frozenset())) for fact in selection
    ]
    if as_json:
        print_json([_fact_record(*fact_and_sites) for fact_and_sites in facts_and_sites])
    else:
        for fact_and_sites in facts_and_sites:
            click.echo(_fact_text(*fact_and_sites))


def _stale_facts(catalog: Catalog, days: int, *, quiet: bool) -> list[Fact]:
    """Return the facts whose source was read more than `days` days ago, oldest first.

    Unless `quiet`, print the number of these facts, in total and for each platform.
    """
    aged, day = aged_facts(catalog), today()
    stale_facts = [aged_fact for aged_fact in aged if aged_fact.is_stale(day, days)]
    if quiet:
        return [aged_fact.fact for aged_fact in stale_facts]
    total = f"{len(stale_facts)} of {count(len(aged), 'fact')}"
    click.echo(f"{total} were read more than {count(days, 'day')} ago.")
    if not stale_facts and aged:
        click.echo(f"The oldest fact was read on {aged[0].read}: {aged[0].fact.path}")
    for platform, platform_facts in facts_by_platform(stale_facts).items():
        stale = count(len(platform_facts), "stale fact")
        click.echo(
            f"{platform or 'shared data'}: {stale}, the oldest read on {platform_facts[0].read}"
        )
    return [aged_fact.fact for aged_fact in stale_facts]


def _fact_text(fact: Fact, sites: frozenset[str]) -> str:
    lines = [f"{fact.path}:{fact.line}: {fact.text}"]
    for source in fact.sources:
        address = source.address or f"the package {source.package} on PyPI"
        level = TRUST_LEVELS[trust_level(source, sites)].lower()
        lines.append(f"    {source.title}, read {source.read} ({level}): {address}")
    return "\n".join(lines)


def _fact_record(fact: Fact, sites: frozenset[str]) -> dict[str, Any]:
    sources = [
        {**source.model_dump(exclude_none=True), "trust": trust_level(source, sites)}
        for source in fact.sources
    ]
    return {"path": fact.path, "line": fact.line, "text": fact.text, "sources": sources}
