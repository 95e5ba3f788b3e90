"""Updates `data/packages/` from package indexes, and lists what changed in published releases.

A package's file is written when all its indexes have been read; the facts of an index that cannot
be read stay as they were. After an interruption, the files of finished packages are complete, and
the responses for the other packages are in the cache.
"""

from __future__ import annotations

import asyncio
import datetime as dt
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from packaging.version import Version
from pydantic import ValidationError
from pypi_simple import PYPI_SIMPLE_ENDPOINT

from accelerator_portal.catalog import Catalog
from accelerator_portal.catalog.files.package_file import (
    ANY_PLATFORM_TAG,
    PACKAGES,
    PACKAGES_READ,
    PYPI,
    ChangedFact,
    FactChange,
    IndexFacts,
    IndexFault,
    PackageFacts,
    PackagesRead,
    ReleaseFacts,
)
from accelerator_portal.http import FetchError, HttpCache, RequestLimits, Traffic, open_client
from accelerator_portal.packages.index_reader import IndexReader, IndexReading, read_index
from accelerator_portal.packages.portal_packages import (
    PortalPackage,
    facts_text,
    packages_read_text,
    portal_packages,
)
from accelerator_reports.files.problem import first_error_text
from accelerator_reports.files.text_file import one_line, write_bytes_atomically
from accelerator_reports.files.wording import count

# Lists what changed in published releases between two readings of a package index.

# The most changes in a package's file; older ones are in the repository's history.
MOST_CHANGES = 30


# What changed, the platform tag, the old value and the new value.
_Change = tuple[ChangedFact, str, str, str]


def fact_changes(
    before: IndexFacts, after: IndexFacts, versions: frozenset[Version], day: dt.date
) -> Iterator[FactChange]:
    """Yield each change on an index between the readings `before` and `after`.

    A change is a new value of a release's fact, or the removal of a release. `versions` are all
    versions that the index has now. A release that is in `versions`, but not in `after`, was not
    removed: the portal stores only the newest releases. A fact that is unknown in one of the
    readings does not count as changed. `day` is the date of the changes.
    """
    after_by_version = {release.version: release for release in after.releases}
    for old in before.releases:
        new = after_by_version.get(old.version)
        changes: Iterable[_Change] = ()
        if new is not None:
            changes = _release_changes(old, new)
        elif Version(old.version) not in versions:
            changes = [("removed", ANY_PLATFORM_TAG, "", "")]
        for fact, tag, old_value, new_value in changes:
            yield FactChange(
                date=day,
                index=after.index,
                version=old.version,
                of=fact,
                on=tag,
                before=old_value[:300],
                after=new_value[:300],
            )


def merged_changes(
    known: tuple[FactChange, ...], found: list[FactChange]
) -> tuple[FactChange, ...]:
    """Return the old changes `known` and the new ones `found` without duplicates, newest first.

    If there are more than MOST_CHANGES, the oldest are omitted.
    """
    change_by_key = {_change_key(change): change for change in (*known, *found)}
    ordered = sorted(change_by_key.values(), key=lambda c: (c.index, c.of, c.on))
    ordered.sort(key=lambda change: Version(change.version), reverse=True)
    ordered.sort(key=lambda change: change.date, reverse=True)
    return tuple(ordered[:MOST_CHANGES])


def _release_changes(old: ReleaseFacts, new: ReleaseFacts) -> Iterator[_Change]:
    if old.python and new.python and old.python != new.python:
        yield "python", ANY_PLATFORM_TAG, old.python, new.python
    if (old.yanked is None) != (new.yanked is None):
        yield "yanked", ANY_PLATFORM_TAG, _yanked_text(old), _yanked_text(new)
    before = {tag: ", ".join(lines) for tag, lines in old.requires.items()}
    after = {tag: ", ".join(lines) for tag, lines in new.requires.items()}
    yield from (("requires", *difference) for difference in _changed_values(before, after))
    if old.requires and new.requires:
        yield from (("cuda", *difference) for difference in _changed_values(old.cuda, new.cuda))


def _yanked_text(release: ReleaseFacts) -> str:
    return "" if release.yanked is None else release.yanked or "yes"


def _changed_values(
    old_values: Mapping[str, str], new_values: Mapping[str, str]
) -> Iterator[tuple[str, str, str]]:
    """Yield each platform tag whose value differs, with the old and the new value.

    The arguments map platform tags to values. A tag that is not in a mapping has the mapping's
    value for `*`. A tag that has a value in only one of the two mappings is omitted.
    """
    for tag in sorted({*old_values, *new_values}):
        old_value = old_values.get(tag, old_values.get(ANY_PLATFORM_TAG))
        new_value = new_values.get(tag, new_values.get(ANY_PLATFORM_TAG))
        if old_value is not None and new_value is not None and old_value != new_value:
            yield tag, old_value, new_value


def _change_key(change: FactChange) -> tuple[object, ...]:
    return change.date, change.index, change.version, change.of, change.on


USER_AGENT = "accelerator-portal (reads package metadata, never packages)"
CACHE = ".cache/packages"

MAX_LISTED = 5


@dataclass(frozen=True, slots=True)
class SyncOptions:
    """Options of a sync.

    `day` is stored as the day of reading. `only` has the names of the packages to read; if it is
    empty, all packages are read.
    """

    day: dt.date
    only: frozenset[str] = frozenset()
    limits: RequestLimits = field(default_factory=RequestLimits)
    addresses: Mapping[str, str] = field(default_factory=dict)
    """The address to read instead of an index, by index. Tests use a server on loopback."""
    on_package: Callable[[str], None] = lambda _: None
    """Called with the name of each package after it is read."""
    cached: bool = True
    """Whether responses are stored in the folder `.cache/packages` and used again."""
    seconds: float = 20 * 60
    """The time limit for the whole sync. Packages not read by then are in `SyncResult.missed`."""


@dataclass(frozen=True, slots=True)
class PackageSync:
    """The result of reading one package; `facts` are the package's facts after the sync."""

    name: str
    facts: PackageFacts
    before: PackageFacts | None
    """The facts before the sync; None if there were none."""
    faults: Mapping[str, str]
    """The error for each index that could not be read, by index."""
    refused: tuple[str, ...]
    """Messages about files that were not read, each beginning with the index."""
    written: bool
    """Whether the package's file in `data/packages` was changed."""


@dataclass(frozen=True, slots=True)
class SyncResult:
    """The result of a sync; `missed` are the packages that were not read in time."""

    packages: tuple[PackageSync, ...]
    missed: tuple[str, ...]
    traffic: Traffic


def address_of(index: str) -> str:
    """Return the address of PyPI if `index` is `pypi`, else `index`, which is an address."""
    return PYPI_SIMPLE_ENDPOINT if index == PYPI else index


def sync(root: Path, catalog: Catalog, options: SyncOptions) -> SyncResult:
    """Read the packages that vendors' folders name, and write changed facts below `root`.

    Returns the result. Raises OSError if a file cannot be written. After a KeyboardInterrupt, the
    packages that were read are stored, each with the day of reading.
    """
    return sync_packages(root, catalog, portal_packages(catalog), options)


def sync_packages(
    root: Path, catalog: Catalog, every: Sequence[PortalPackage], options: SyncOptions
) -> SyncResult:
    """Read the packages of `every` that `options.only` selects, and write changed facts.

    `every` lists all packages that the portal follows. A package whose stored facts cannot be read
    is missed: its file stays until somebody restores it. Returns and raises the same as `sync`.
    """
    selected = [package for package in every if not options.only or package.name in options.only]
    sync_run = _SyncRun(root, catalog, options, frozenset(p.name for p in every if p.own))
    try:
        asyncio.run(sync_run.read_all(selected))
    except KeyboardInterrupt:
        sync_run.finish(selected, every)
        raise
    return sync_run.finish(selected, every)


class _SyncRun:
    """The state of a running sync: the packages that were read so far."""

    def __init__(
        self, root: Path, catalog: Catalog, options: SyncOptions, names: frozenset[str]
    ) -> None:
        self._root = root
        self._catalog = catalog
        self._options = options
        self._names = names
        self._synced_packages: dict[str, PackageSync] = {}
        self._traffic = Traffic()

    async def read_all(self, todo: Sequence[PortalPackage]) -> None:
        async with open_client(USER_AGENT, self._options.limits) as client:
            self._traffic = client.traffic
            folder = self._root / CACHE if self._options.cached else None
            reader = IndexReader(client, HttpCache(folder), self._index_address, self._names)
            tasks = [
                asyncio.create_task(self._read_package(reader, package))
                for package in todo
                if package.name in self._catalog.packages or not self._path_of(package).is_file()
            ]
            try:
                with suppress(TimeoutError):
                    async with asyncio.timeout(self._options.seconds):
                        await asyncio.gather(*tasks)
            finally:  # an error of one task ends all tasks
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)

    def _index_address(self, index: str) -> str:
        return self._options.addresses.get(index) or address_of(index)

    def _path_of(self, package: PortalPackage) -> Path:
        return self._root / PACKAGES / f"{package.name}.json"

    async def _read_package(self, reader: IndexReader, package: PortalPackage) -> None:
        before = self._catalog.packages.get(package.name)
        readings = await asyncio.gather(
            *(_read_index_or_error(reader, package, index, before) for index in package.indexes)
        )
        answer_by_index = dict(zip(package.indexes, readings, strict=True))
        facts, faults = self._merge_facts(package, before, answer_by_index)
        is_written = _write_if_changed(self._path_of(package), facts_text(facts))
        refused_files = tuple(
            f"{index}: {reason}"
            for index, answer in answer_by_index.items()
            if isinstance(answer, IndexReading)
            for reason in answer.refused
        )
        self._synced_packages[package.name] = PackageSync(
            package.name, facts, before, faults, refused_files, is_written
        )
        self._options.on_package(package.name)

    def _merge_facts(
        self,
        package: PortalPackage,
        before: PackageFacts | None,
        answer_by_index: Mapping[str, IndexReading | str],
    ) -> tuple[PackageFacts, dict[str, str]]:
        indexes: list[IndexFacts] = []
        faults: dict[str, str] = {}
        changes: list[FactChange] = []
        for index, answer in answer_by_index.items():
            old_facts = before.on(index) if before else None
            if isinstance(answer, str):
                faults[index] = answer
                indexes += [old_facts] if old_facts else []
                continue
            indexes.append(answer.facts)
            if old_facts:
                changes += fact_changes(old_facts, answer.facts, answer.versions, self._options.day)
        old_changes = before.changes if before else ()
        facts = PackageFacts(
            package=package.name,
            indexes=tuple(indexes),
            changes=merged_changes(old_changes, changes),
        )
        return facts, faults

    def finish(self, todo: Sequence[PortalPackage], every: Sequence[PortalPackage]) -> SyncResult:
        """Write `data/packages-read.json`, and return the sync's result.

        `todo` are the packages that this sync had to read. Those that it did not read are `missed`
        in the result. `every` are all packages that the portal follows.
        """
        packages_read = self._packages_read(frozenset(package.name for package in every))
        _write_if_changed(self._root / PACKAGES_READ, packages_read_text(packages_read))
        missed_names = tuple(
            package.name for package in todo if package.name not in self._synced_packages
        )
        synced = tuple(self._synced_packages[name] for name in sorted(self._synced_packages))
        return SyncResult(synced, missed_names, replace(self._traffic))

    def _packages_read(self, names: frozenset[str]) -> PackagesRead:
        log, day = self._catalog.packages_read, self._options.day
        kept_faults = [
            f for f in log.faults if f.package in names and f.package not in self._synced_packages
        ]
        faults = [*kept_faults, *self._index_faults(log)]
        is_complete = names <= self._synced_packages.keys()
        later_days = {}
        if not is_complete:
            later_days = {name: read_day for name, read_day in log.later.items() if name in names}
            later_days |= {name: day for name in self._synced_packages if day != log.read}
        return PackagesRead(
            read=day if is_complete else log.read,
            later=dict(sorted(later_days.items())),
            faults=tuple(sorted(faults, key=lambda f: (f.package, f.index != PYPI, f.index))),
        )

    def _index_faults(self, log: PackagesRead) -> Iterable[IndexFault]:
        for name, package_sync in self._synced_packages.items():
            for index, reason in package_sync.faults.items():
                known_fault = log.fault(name, index)
                since = known_fault.since if known_fault else self._options.day
                what = one_line(reason)[:300]
                yield IndexFault(package=name, index=index, since=since, what=what)


async def _read_index_or_error(
    reader: IndexReader, package: PortalPackage, index: str, before: PackageFacts | None
) -> IndexReading | str:
    """Return the facts of an index, or a text that says why it could not be read."""
    try:
        return await read_index(reader, package, index, before.on(index) if before else None)
    except FetchError as error:
        return str(error)
    except ValidationError as error:  # a value that is not valid in a file of facts
        return f"the response contains an invalid value: {first_error_text(error)}"


def _write_if_changed(path: Path, text: str) -> bool:
    """Write a file unless it has this text already; return whether it was written."""
    data = text.encode()
    with suppress(OSError):
        if path.read_bytes() == data:
            return False
    write_bytes_atomically(path, data)
    return True


def sync_summary(synced: SyncResult) -> str:
    """Return a line with the numbers of packages read, changed, not fully read and not read."""
    changed_count = sum(package.written for package in synced.packages)
    unread_count = sum(bool(package.faults) for package in synced.packages)
    packages_text = count(len(synced.packages), "package")
    text = f"{packages_text}: {changed_count} with changes, {unread_count} not fully read"
    return f"{text}, {len(synced.missed)} not read in time" if synced.missed else text


def package_lines(package: PackageSync, read: PackagesRead) -> Iterator[str]:
    """Yield lines about a package's sync: releases, errors, refused files and changes.

    `read` states when packages were read before this sync. If an index could not be read and facts
    of it are stored, a line names the day on which these facts were read.
    """
    for facts in package.facts.indexes:
        if facts.index in package.faults:
            continue
        old_facts = package.before.on(facts.index) if package.before else None
        old_versions = {release.version for release in old_facts.releases} if old_facts else set()
        versions = [r.version for r in facts.releases if r.version not in old_versions]
        text = count(len(facts.releases), "release") if facts.releases else "no such package"
        new_versions_text = f", new: {_shortened_list(versions)}" if versions and old_facts else ""
        yield f"{package.name}, {_index_label(facts.index)}: {text}{new_versions_text}"
    yield from _fault_lines(package, read)
    for refusal in package.refused[:MAX_LISTED]:
        yield f"  refused: {refusal}"
    if len(package.refused) > MAX_LISTED:
        yield f"  refused: {len(package.refused) - MAX_LISTED} more"
    known_changes = package.before.changes if package.before else ()
    for change in package.facts.changes:
        if change not in known_changes:
            yield f"  {change.version} changed: {change.of} {change.before} → {change.after}"


def _fault_lines(package: PackageSync, read: PackagesRead) -> Iterator[str]:
    """Yield a line for each error, with the indexes that could not be read because of it.

    `read` states when packages were read before this sync.
    """
    by_fault: dict[str, list[str]] = {}
    for index, fault in package.faults.items():
        has_facts = package.before is not None and package.before.on(index) is not None
        day = read.later.get(package.name) or read.read
        consequence = f"the facts of {day} are kept" if has_facts else "no facts are available"
        by_fault.setdefault(f"{fault}; {consequence}", []).append(_index_label(index))
    for fault, indexes in by_fault.items():
        yield f"{package.name}, {_shortened_list(indexes)}: not read: {fault}"


def _shortened_list(items: list[str]) -> str:
    more_text = f" and {len(items) - MAX_LISTED} more" if len(items) > MAX_LISTED else ""
    return ", ".join(items[:MAX_LISTED]) + more_text


def _index_label(index: str) -> str:
    return "PyPI" if index == PYPI else index
