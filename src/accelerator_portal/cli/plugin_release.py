"""`accelerator-portal plugin-release`: adds a plugin release to a platform's compatibility.yaml."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click
from pydantic import ValidationError

from accelerator_portal.catalog import Catalog, Platform
from accelerator_portal.cli.options import ROOT, usable_catalog
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
from accelerator_reports.cli.options import values_by_name
from accelerator_reports.files.atomic_write import write_text_atomically
from accelerator_reports.files.problem import did_you_mean, first_error_text
from accelerator_reports.files.wording import count


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
