"""`accelerator-portal facts` lists facts with sources; `plugin-release` adds a plugin release."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
from pydantic import ValidationError

from accelerator_portal.catalog import Catalog, Platform
from accelerator_portal.catalog.catalog import (
    TRUST_LEVELS,
    Fact,
    aged_facts,
    facts,
    facts_by_platform,
    platform_id_of,
    trust_level,
    vendor_sites,
)
from accelerator_portal.cli.options import ROOT, checked_catalog, usable_catalog
from accelerator_portal.packages.compatibility_edit import with_row
from accelerator_portal.packages.plugin_releases import (
    PluginRelease,
    RowProposal,
    VendorAnswers,
    final_plugin_releases,
    new_releases,
    proposal,
)
from accelerator_portal.packages.portal_packages import TORCH
from accelerator_reports.cli.options import JSON, WholeNumber, print_json, values_by_name
from accelerator_reports.files.clock import today
from accelerator_reports.files.problem import did_you_mean, first_error_text
from accelerator_reports.files.text_file import write_text_atomically
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


# `accelerator-portal plugin-release`: adds a plugin release to a platform's compatibility.yaml.


@click.command("plugin-release")
@ROOT
@click.argument("accelerator", metavar="[ACCELERATOR]", required=False)
@click.argument("version", required=False)
@click.option(
    "--torch", metavar="VERSION", help="State the PyTorch release, if the metadata does not."
)
@click.option(
    "--needs",
    multiple=True,
    metavar="NAME=VERSION",
    help="State the version of a package that the plugin needs. Repeatable.",
)
@click.option(
    "--includes",
    multiple=True,
    metavar="NAME=VERSION",
    help="State the version of a package that the plugin includes. Repeatable.",
)
@click.option("--variant", metavar="ID", help="Use this variant of install.yaml.")
@click.option(
    "--source",
    multiple=True,
    metavar="ID",
    help="Cite this source for the values of other options. Repeatable.",
)
def plugin_release(  # noqa: PLR0913, PLR0917 - one for each option
    root: Path,
    accelerator: str | None,
    version: str | None,
    torch: str | None,
    needs: tuple[str, ...],
    includes: tuple[str, ...],
    variant: str | None,
    source: tuple[str, ...],
) -> None:
    """Add a plugin release to compatibility.yaml.

    The row comes from the package facts in data/packages. The command lists what the metadata
    does not state. Without VERSION, it adds every new release of the platform. Without
    ACCELERATOR, it lists the new releases of all platforms and writes nothing.
    """
    catalog = usable_catalog(root, *filter(None, [accelerator]))
    if accelerator is None:
        _print_new_releases(catalog)
        return
    platform = catalog.by_id[accelerator]
    needed_versions = values_by_name(needs, "--needs", "CANN=9.2.0")
    included_versions = values_by_name(includes, "--includes", "CANN=9.2.0")
    answers = VendorAnswers(torch, needed_versions, included_versions, variant, source)
    _check_sources(platform, answers)
    releases = _selected_releases(catalog, platform, version)
    try:
        proposals = [proposal(catalog, platform, release, answers) for release in releases]
    except ValidationError as error:
        raise click.UsageError(first_error_text(error)) from None
    _add_rows(root, platform, proposals)


def _print_new_releases(catalog: Catalog) -> None:
    new_proposals = [
        proposal(catalog, platform, release)
        for platform in catalog.platforms
        for release in new_releases(catalog, platform)
    ]
    for row_proposal in new_proposals:
        click.echo(
            f"{row_proposal.release.platform}: {row_proposal.release.name}, "
            f"{_torch_requirement_text(row_proposal)}"
        )
        _print_questions(row_proposal)
    if new_proposals:
        click.echo("To add the rows of one platform: accelerator-portal plugin-release ACCELERATOR")
    else:
        click.echo("Every release in the package facts has a row.")


def _check_sources(platform: Platform, answers: VendorAnswers) -> None:
    path, sources = platform.path("compatibility.yaml"), platform.compatibility.sources
    if answers.given and not answers.sources:
        error_text = "the values of your options need a source"
        raise click.UsageError(f"{error_text}. Declare it in {path} and cite it with --source ID")
    for name in answers.sources:
        if name not in sources:
            error_text = f'{path} declares no source "{name}"; {did_you_mean(name, sources)}'
            raise click.BadParameter(error_text, param_hint="--source")


def _selected_releases(
    catalog: Catalog, platform: Platform, version: str | None
) -> list[PluginRelease]:
    final_releases = final_plugin_releases(catalog, platform)
    if not final_releases and platform.accelerator.package.name == TORCH:
        error_text = (
            f"{platform.id} is part of PyTorch and has no plugin. To add a PyTorch release, run"
        )
        raise click.UsageError(f"{error_text}: accelerator-portal release add VERSION")
    if not final_releases:
        error_text = f"data/packages has no release of {platform.accelerator.package.name}. Run"
        raise click.ClickException(f"{error_text} accelerator-portal packages sync")
    if version is None:
        return list(new_releases(catalog, platform))
    matching_releases = [release for release in final_releases if release.facts.version == version]
    if not matching_releases:
        newest = ", ".join(release.facts.version for release in final_releases[:3])
        error_text = f'the package facts have no final release "{version}"; the newest are {newest}'
        raise click.BadParameter(error_text, param_hint="VERSION")
    return matching_releases


def _add_rows(root: Path, platform: Platform, proposals: Sequence[RowProposal]) -> None:
    """Add the rows of all proposals to the platform's compatibility.yaml.

    Raises click.ClickException, and writes nothing, if a proposal has no row because the release's
    metadata states no torch version.
    """
    path = platform.path("compatibility.yaml")
    text = original_text = (root / path).read_text("utf-8")
    for row_proposal in reversed(proposals):
        if row_proposal.row is None:
            error_text = f"the metadata of {row_proposal.release.name} states no torch version. Add"
            raise click.ClickException(f"{error_text} --torch VERSION --source ID")
        text = with_row(path, text, row_proposal.release, row_proposal.row)
    if text == original_text:
        click.echo(f"{path} lists every release already.")
        return
    write_text_atomically(root / path, text)
    click.echo(f"Added {count(len(proposals), 'row')} to {path}.")
    for row_proposal in proposals:
        click.echo(f"{row_proposal.release.name}, {_torch_requirement_text(row_proposal)}")
        _print_questions(row_proposal)
    click.echo("Next: accelerator-portal check")


def _torch_requirement_text(row_proposal: RowProposal) -> str:
    requirements = " and ".join(row_proposal.evidence.required)
    return f"requires {requirements}" if requirements else "the metadata states no torch version"


def _print_questions(row_proposal: RowProposal) -> None:
    for question in row_proposal.questions:
        click.echo(f"  To add: the {question.name}, for example {question.example}")
