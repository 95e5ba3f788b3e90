"""`accelerator-portal release compare`: install commands next to PyTorch's own lists."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from accelerator_portal.catalog.problem import printable
from accelerator_portal.cli.options import ROOT, usable_catalog

if TYPE_CHECKING:
    from accelerator_portal.catalog import Catalog
    from accelerator_portal.releases.agreement import UpstreamComparison


@click.command("compare")
@ROOT
@click.argument("sources", nargs=-1, required=True, metavar="FILE...")
@click.option("--all", "every", is_flag=True, help="Print the combinations that agree, too.")
def compare_releases(root: Path, sources: tuple[str, ...], *, every: bool) -> None:
    """Compare install commands and builds with PyTorch's own lists, for releases that both have.

    FILE is a file or an address: published_versions.json or previous-versions.md of pytorch.org,
    RELEASE.md of pytorch/pytorch, or the output of generate_binary_build_matrix.py of
    pytorch/test-infra. Prints each combination of release, system and build that differs, is
    missing here or is extra, and a table with counts.
    """
    catalog = usable_catalog(root)
    unreadable = []
    for source in sources:
        try:
            found = _compared(catalog, source)
        except click.ClickException as error:
            unreadable.append(error)
        else:
            _tell_comparison(source, found, every=every)
    if unreadable:
        wrong_usage = any(isinstance(error, click.UsageError) for error in unreadable)
        kind = click.UsageError if wrong_usage else click.ClickException
        raise kind("\n".join(error.message for error in unreadable))


def _compared(catalog: Catalog, source: str) -> UpstreamComparison:
    from accelerator_portal.releases.upstream_lists import compare_upstream
    from accelerator_portal.releases.upstream_sources import UpstreamSourceError

    try:
        return compare_upstream(catalog, _text(source))
    except UpstreamSourceError as error:
        raise click.ClickException(f"{source}: {error}") from None


def _text(source: str) -> str:
    """Return the text of a file or of an address."""
    from accelerator_portal.http.errors import FetchError, RequestLimits
    from accelerator_portal.releases.upstream_sources import upstream_text

    limits = click.get_current_context().find_object(RequestLimits) or RequestLimits()
    try:
        return upstream_text(source, limits)
    except FileNotFoundError:
        raise click.UsageError(f"{source}: there is no such file. Correct the path") from None
    except OSError as error:
        what = error.strerror or "it cannot be read"
    except (FetchError, ValueError) as error:
        what = str(error)
    raise click.ClickException(f"{source}: {what}")


def _tell_comparison(source: str, found: UpstreamComparison, *, every: bool) -> None:
    from accelerator_portal.releases.agreement import AGREEMENTS

    click.echo(source)
    for entry in found.entries:
        if every or entry.agreement != "same":
            words = f": {entry.words}" if entry.words else ""
            combination = f"{entry.release} {entry.system} {entry.kind} {entry.build}"
            click.echo(printable(f"  {entry.agreement:<8}{combination}{words}"))
    if found.entries:
        click.echo("".join(f"{title:>10}" for title in ("", *AGREEMENTS)))
    else:
        click.echo("  none of its builds is in the portal's releases")
    for kind in found.kinds:
        counts = [found.count(agreement, kind) for agreement in AGREEMENTS]
        click.echo(f"{kind:>10}" + "".join(f"{number:>10}" for number in counts))
    if found.only_upstream:
        click.echo(f"Releases only in this list: {', '.join(found.only_upstream)}")
    if found.only_portal:
        click.echo(f"Releases only in the portal: {', '.join(found.only_portal)}")
    if found.with_torchaudio:
        click.echo(f"Commands of the list that install torchaudio: {found.with_torchaudio}")
