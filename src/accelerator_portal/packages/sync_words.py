"""What came of a sync, in words: for a terminal, and for the nightly's summary."""

from __future__ import annotations

from collections.abc import Iterator

from accelerator_portal.catalog.package_file import PYPI, PackagesRead
from accelerator_portal.catalog.wording import count
from accelerator_portal.packages.sync import PackageSync, SyncResult

MOST_TOLD = 5


def synced_words(synced: SyncResult) -> str:
    """Return a sync in one line: how many packages, how many with news, how many not read."""
    new = sum(package.written for package in synced.packages)
    unread = sum(bool(package.faults) for package in synced.packages)
    packages = count(len(synced.packages), "package")
    words = f"{packages}: {new} with changes, {unread} not fully read"
    return f"{words}, {len(synced.missed)} not asked in time" if synced.missed else words


def package_lines(package: PackageSync, read: PackagesRead) -> Iterator[str]:
    """Yield what is to be said of a package: what is new, what could not be read or was refused."""
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
        kept = f"its facts stay as of {day}" if held else "no facts are available"
        by_fault.setdefault(f"{what}; {kept}", []).append(_name(index))
    for what, indexes in by_fault.items():
        yield f"{package.name}, {_some(indexes)}: not read: {what}"


def _some(words: list[str]) -> str:
    more = f" and {len(words) - MOST_TOLD} more" if len(words) > MOST_TOLD else ""
    return ", ".join(words[:MOST_TOLD]) + more


def _name(index: str) -> str:
    return "PyPI" if index == PYPI else index
