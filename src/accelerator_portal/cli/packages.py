"""`accelerator-portal packages`: what package indexes say, kept below data/packages."""

from __future__ import annotations

import datetime as dt
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click
from packaging.utils import canonicalize_name

from accelerator_portal.catalog import Catalog, load_catalog
from accelerator_portal.catalog.package_file import PYPI, PackagesRead
from accelerator_portal.catalog.problem import did_you_mean, printable
from accelerator_portal.catalog.wording import count
from accelerator_portal.cli.options import ROOT, tell
from accelerator_portal.results.beside import write_beside

if TYPE_CHECKING:
    from accelerator_portal.packages.sync import PackageSync, Synced

MOST_TOLD = 5


@click.group()
def packages() -> None:
    """Keep what package indexes say of the platforms' packages."""


@packages.command("sync")
@ROOT
@click.option("--only", multiple=True, metavar="NAME", help="Only this package; may be repeated.")
def sync_packages(root: Path, only: tuple[str, ...]) -> None:
    """Ask the indexes that install options name, and write what changed below data/packages.

    Metadata only, never whole packages. An index that cannot be read keeps its facts as they were;
    that alone does not make the command fail. It can be interrupted and repeated.
    """
    from accelerator_portal.packages.sync import Options, SyncInterrupted, sync
    from accelerator_portal.packages.wanted import wanted

    catalog, problems = load_catalog(root)
    if catalog is None:
        tell(problems)
        sys.exit(1)
    names = _names(only, [package.name for package in wanted(catalog)])
    start = time.monotonic()
    quiet = not sys.stderr.isatty()
    todo = len(names) or len(wanted(catalog))
    try:
        with click.progressbar(length=todo, label="packages", hidden=quiet, file=sys.stderr) as bar:
            options = Options(
                day=dt.datetime.now(dt.UTC).date(),
                write=write_beside,
                only=names,
                told=lambda _: bar.update(1),
            )
            synced = sync(root, catalog, options)
    except SyncInterrupted as stopped:
        _tell(catalog, stopped.synced)
        click.echo(f"Interrupted; not done: {', '.join(stopped.synced.missed)}.", err=True)
        sys.exit(130)
    except OSError as error:
        raise click.ClickException(f"{error.filename}: {error.strerror}") from None
    _tell(catalog, synced)
    spent = synced.spent
    click.echo(
        f"{count(spent.requests, 'request')}, {spent.bytes / 1e6:.1f} MB, "
        f"{time.monotonic() - start:.0f} s.",
        err=True,
    )
    new = sum(package.written for package in synced.packages)
    unread = sum(bool(package.faults) for package in synced.packages)
    click.echo(
        f"{count(len(synced.packages), 'package')}: {new} with news, {unread} not read everywhere"
    )


def _names(only: tuple[str, ...], known: list[str]) -> frozenset[str]:
    names = frozenset(map(canonicalize_name, only))
    for name in sorted(names.difference(known)):
        what = f'no folder names the package "{name}"; {did_you_mean(name, known)}'
        raise click.BadParameter(what, param_hint="--only")
    return names


def _tell(catalog: Catalog, synced: Synced) -> None:
    for package in synced.packages:
        for line in _lines(package, catalog.packages_read):
            click.echo(printable(line))


def _lines(package: PackageSync, read: PackagesRead) -> Iterator[str]:
    """What is to be said of a package: what is new, what could not be read, what was refused."""
    for facts in package.facts.indexes:
        if facts.index in package.faults:
            continue
        known = package.before.on(facts.index) if package.before else None
        before = {release.version for release in known.releases} if known else set()
        new = [r.version for r in facts.releases if r.version not in before]
        words = count(len(facts.releases), "release") if facts.releases else "no such package"
        told = f", new: {_some(new)}" if new and known else ""
        yield f"{package.name}, {_name(facts.index)}: {words}{told}"
    yield from _fault_lines(package, read)
    for what in package.refused[:MOST_TOLD]:
        yield f"  refused: {what}"
    if len(package.refused) > MOST_TOLD:
        yield f"  refused: {len(package.refused) - MOST_TOLD} more"
    known_changes = package.before.changes if package.before else ()
    for change in package.facts.changes:
        if change not in known_changes:
            yield f"  {change.version} changed: {change.of} {change.before} → {change.after}"


def _fault_lines(package: PackageSync, read: PackagesRead) -> Iterator[str]:
    """Indexes that could not be read, those with the same fault in one line."""
    by_fault: dict[str, list[str]] = {}
    for index, what in package.faults.items():
        held = package.before is not None and package.before.on(index) is not None
        day = read.later.get(package.name) or read.read
        kept = f"its facts stay as of {day}" if held else "nothing is known from it"
        by_fault.setdefault(f"{what}; {kept}", []).append(_name(index))
    for what, indexes in by_fault.items():
        yield f"{package.name}, {_some(indexes)}: not read: {what}"


def _some(words: list[str]) -> str:
    more = f" and {len(words) - MOST_TOLD} more" if len(words) > MOST_TOLD else ""
    return ", ".join(words[:MOST_TOLD]) + more


def _name(index: str) -> str:
    return "PyPI" if index == PYPI else index
