"""`accelerator-portal release`: adds PyTorch releases to data/releases.yaml, and checks them."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import click

from accelerator_portal.catalog import Catalog
from accelerator_portal.catalog.catalog import RELEASES
from accelerator_portal.cli.options import ROOT, progress_bar, usable_catalog
from accelerator_reports.cli.options import print_problems
from accelerator_reports.files.clock import today
from accelerator_reports.files.problem import printable
from accelerator_reports.files.text_file import write_text_atomically
from accelerator_reports.files.wording import count

if TYPE_CHECKING:
    from accelerator_portal.checks.release_addition import ReleaseAddition
    from accelerator_portal.releases.published_builds import PublishedRelease
    from accelerator_portal.releases.release_entry import EntryChange
    from accelerator_portal.releases.upstream_builds import Builds, UpstreamComparison


@click.group()
def release() -> None:
    """Add, check and compare PyTorch releases."""


@release.command("compare")
@ROOT
@click.argument("sources", nargs=-1, required=True, metavar="FILE...")
@click.option("--all", "every", is_flag=True, help="Print the builds that agree, too.")
def compare_releases(root: Path, sources: tuple[str, ...], *, every: bool) -> None:
    """Compare data/releases.yaml with PyTorch's own lists.

    FILE is a file or an address: published_versions.json of pytorch.org, or the output of
    generate_binary_build_matrix.py of pytorch/test-infra. Prints each build of a release or of the
    nightly version that differs, is missing here or is extra, and the releases that are missing
    here. The install commands in published_versions.json decide which CUDA and ROCm builds there
    are; a build matrix is then compared only where it agrees.
    """
    from accelerator_portal.releases.upstream_builds import compare_builds

    catalog = usable_catalog(root)
    lists: dict[str, Builds] = {}
    unreadable: list[click.ClickException] = []
    for source in sources:
        try:
            lists[source] = _upstream_builds(source)
        except click.ClickException as error:
            unreadable.append(error)
    # Only install commands have systems without an architecture.
    published = {k: v for one in lists.values() for k, v in one.items() if " " not in k.system}
    for source, builds in lists.items():
        _print_comparison(source, compare_builds(catalog.releases, builds, published), every=every)
    if unreadable:
        wrong_usage = any(isinstance(error, click.UsageError) for error in unreadable)
        kind = click.UsageError if wrong_usage else click.ClickException
        raise kind("\n".join(error.message for error in unreadable))


def _upstream_builds(source: str) -> Builds:
    """Return the builds in a list. Raises click.ClickException if it cannot be read."""
    from accelerator_portal.http import FetchError, RequestLimits
    from accelerator_portal.releases.upstream_builds import (
        UpstreamListError,
        read_builds,
        read_source,
    )

    limits = click.get_current_context().find_object(RequestLimits) or RequestLimits()
    try:
        return read_builds(read_source(source, limits))
    except FileNotFoundError:
        raise click.UsageError(f"{source}: there is no such file. Correct the path") from None
    except OSError as error:
        error_text = f"it can't be read ({error.strerror}). Check the path and its permissions"
    except (FetchError, UpstreamListError) as error:
        error_text = str(error)
    raise click.ClickException(f"{source}: {error_text}")


def _print_comparison(source: str, comparison: UpstreamComparison, *, every: bool) -> None:
    click.echo(source)
    for build in comparison.builds:
        if every or build.agreement != "same":
            words = f": {build.words}" if build.words else ""
            click.echo(printable(f"  {build.agreement:<8}{' '.join(build.key)}{words}"))
    counts = Counter(build.agreement for build in comparison.builds)
    if counts:
        click.echo(f"  {', '.join(f'{number} {name}' for name, number in sorted(counts.items()))}")
    else:
        click.echo("  none of the builds in this list is in the portal's releases")
    if comparison.only_upstream:
        click.echo(f"  Releases only in this list: {', '.join(comparison.only_upstream)}")


def _validated_version(
    _context: click.Context, _option: click.Parameter, value: str | None
) -> str | None:
    if value is not None and not re.fullmatch(r"\d{1,3}\.\d{1,3}\.\d{1,3}", value, re.ASCII):
        error_text = f'"{value[:60]}" is not the version of a release. Write it like 2.16.0'
        raise click.BadParameter(printable(error_text))
    return value


def _require_listed_release(catalog: Catalog, version: str | None) -> None:
    if version and version not in catalog.releases.by_version:
        error_text = (
            f"{RELEASES} has no release {version}. To add it: accelerator-portal release add"
        )
        raise click.BadParameter(f"{error_text} {version}", param_hint="VERSION")


@release.command("add")
@ROOT
@click.argument("version", callback=_validated_version)
def add_release(root: Path, version: str) -> None:
    """Add a PyTorch release, or complete its entry.

    The entry is in data/releases.yaml.

    The command reads PyPI and the PyTorch package indexes that install options use, and cites each
    as a source. It also adds companions, the packages that are installed next to torch, such as
    torchaudio and triton. If an index or a wheel can't be read, the command prints an error, and
    the entry lacks its values: run the command again to complete the entry. Values that the entry
    already lists are not changed.
    """
    from accelerator_portal.checks.release_addition import release_addition

    catalog = usable_catalog(root)
    published = _published_release(root, catalog, version)
    if not published.read:
        causes = "; ".join(sorted(set(published.unread.values())))
        error_text = f"no package index can be read: {causes}"
        remedy = "Check the network connection and the proxy, and run the command again"
        raise click.ClickException(printable(f"{error_text}. {remedy}"))
    for line in _unread_lines(published.unread):
        click.echo(printable(f"not read: {line}"), err=True)
    path = root / RELEASES
    original_text = path.read_text("utf-8")
    addition = release_addition(catalog, original_text, published, today())
    if addition.own_problems:
        print_problems(addition.own_problems)
        raise click.ClickException(f"{RELEASES} stays as it was, because of the problems above")
    if addition.text != original_text:
        write_text_atomically(path, addition.text)
    _print_addition(addition)


@release.command("check")
@ROOT
@click.argument("version", callback=_validated_version, required=False)
def check_release(root: Path, version: str | None) -> None:
    """List builds that data/releases.yaml lacks.

    The command looks for each PyTorch build that install commands use. With VERSION, it looks only
    for builds of that release. It exits with status 1 if builds are missing.
    """
    from accelerator_portal.releases.published_builds import claims_without_evidence

    catalog = usable_catalog(root)
    _require_listed_release(catalog, version)
    problems = claims_without_evidence(catalog, version)
    if problems:
        print_problems(problems)
        sys.exit(1)
    release_name = f"torch {version}" if version else "PyTorch"
    click.echo(f"Every build of {release_name} that install commands use is in {RELEASES}.")


def _published_release(root: Path, catalog: Catalog, version: str) -> PublishedRelease:
    from accelerator_portal.releases.published_builds import (
        QueryOptions,
        queried_packages,
        query_release,
        release_indexes,
    )

    options = click.get_current_context().find_object(QueryOptions) or QueryOptions()
    query_count = len(release_indexes(catalog)) + len(queried_packages(catalog))
    with progress_bar("indexes", query_count) as advance:
        return query_release(root, catalog, version, replace(options, on_answer=advance))


def _unread_lines(unread: Mapping[str, str]) -> Iterator[str]:
    """Yield a line for each host and error, such as `PyPI (3 places): timeout`.

    `unread` maps the name of each index, package or wheel that could not be read to its error. If
    an error occurs only once on a host, the line has this name, as in `PyPI, triton: timeout`.
    """
    names_by_fault: dict[tuple[str, str], list[str]] = {}
    for name, fault in sorted(unread.items()):
        host = urlsplit(name).hostname or name.partition(",")[0]
        names_by_fault.setdefault((host, fault), []).append(name)
    for (host, fault), names in names_by_fault.items():
        label = names[0] if len(names) == 1 else f"{host} ({len(names)} places)"
        yield f"{label}: {fault}"


def _print_addition(addition: ReleaseAddition) -> None:
    published, change = addition.published, addition.change
    version = published.version
    if change.is_new:
        click.echo(f"Added torch {version} to {RELEASES}: {count(len(change.wheels), 'build')}.")
    elif change.is_empty:
        click.echo(f"{RELEASES} lists everything that the indexes have for torch {version}.")
    else:
        click.echo(f"Completed torch {version} in {RELEASES}: {_additions_text(change)}.")
    added_builds = {(w.variant, w.os, arch) for w in change.wheels for arch in w.arch}
    for build in published.builds:
        if build.key in added_builds:
            tags, python_count = ", ".join(sorted(build.tags)), len(build.pythons)
            source_text = f"{count(python_count, 'Python version')}, {build.index}"
            click.echo(f"  {build.variant} {build.os} {build.arch}: {tags}, {source_text}")
    for companion in change.companions:
        name = f"{companion.package} {companion.version}"
        click.echo(printable(f"  {name}: a companion package, from PyPI"))
    for difference in change.differences:
        click.echo(printable(f"  To check: {difference}"))
    click.echo("Not covered by the indexes: Docker images and LibTorch archives.")
    if change.release.torchvision is None:
        click.echo(f"Not found: a torchvision release that requires torch=={version}.")
        click.echo(
            f"  If another release supports it, add the release to {RELEASES}, with its source."
        )
    if published.unread:
        unread_text = count(len(published.unread), "place")
        click.echo(f"{unread_text} could not be read. Run the command again to complete the entry.")
    if addition.problems:
        click.echo("Files to update for this release:")
        print_problems(addition.problems)
    click.echo("Next: accelerator-portal check")


def _additions_text(change: EntryChange) -> str:
    parts = [count(len(change.wheels), "build")] if change.wheels else []
    parts += [f"torchvision {change.torchvision}"] if change.torchvision else []
    completed = count(len(change.completed), "listed build")
    parts += [f"platform tags or sizes of {completed}"] if change.completed else []
    parts += [count(len(change.companions), "companion")] if change.companions else []
    return ", ".join(parts)
