"""Computes what a PyTorch release removes and adds on a platform, compared with an earlier one.

Missing data never means that something was removed. `data/releases.yaml` lists the wheels of a
release on PyPI, which are always known, and those in PyTorch's own index, which no source may have
stated yet. Something is removed if the list of the earlier release has it, the lists of the later
release are known, and neither this release nor a newer one has it. If a newer release has it again,
the list was not complete. For plugins, the Python versions of two releases are compared only if the
same source states both: a document about one release may name only the versions that it used.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, pairwise
from typing import Literal, NamedTuple, get_args

from packaging.specifiers import SpecifierSet
from packaging.version import Version

from accelerator_portal.catalog import Catalog, Platform
from accelerator_portal.catalog.catalog import RELEASES
from accelerator_portal.catalog.files.accelerator import BuildSupport
from accelerator_portal.catalog.files.versions_file import CompatibilityRow, Release, Wheel
from accelerator_portal.catalog.grouping import cached_by_owner, grouped
from accelerator_portal.install.expand import matching_builds
from accelerator_portal.install.hardware_support import build_covers, card_name
from accelerator_portal.install.resolution import READY_METHODS, minor_release
from accelerator_portal.install.rows import NO_VARIANT
from accelerator_portal.packages.fitting_releases import release_lags
from accelerator_portal.packages.portal_packages import TORCH
from accelerator_portal.packages.wheel_tags import minimum_system, runs_on
from accelerator_reports.files.fields import Arch, Day, StrictModel

Subject = Literal["system", "python", "variant", "hardware"]
"""The kind of what a release supports: a system such as `linux x86_64`, a Python version, a variant
such as a CUDA version, or a hardware generation."""


class SupportChange(StrictModel):
    """Something that only one of two releases supports."""

    subject: Subject
    """The kind of `name`."""
    name: str
    """A system (`linux x86_64`), a Python version, the id of a variant, or the name of hardware."""
    systems: tuple[str, ...] = ()
    """The systems to which this applies. Empty if it applies to all systems of the platform."""
    sources: tuple[str, ...]
    """The sources, each as a file and the id of a source in it: `data/releases.yaml#pypi-torch`.
    `releases.json` and `accelerators/<id>.json` have the sources of these files."""


VersionSubject = Literal["plugin", "requirement", "python", "pypi", "minimum"]
"""What has versions. `plugin`: the platform's package. `requirement`: software to install before.
`python`: Python, where different sources state its versions. `pypi`: the build on PyPI, which has a
variant. `minimum`: the C library or macOS that wheels need at least."""


class VersionChange(StrictModel):
    """Versions that differ between two releases."""

    subject: VersionSubject
    """What has the versions."""
    name: str
    """The name of the package or software. For `pypi` and `minimum`, the system."""
    before: tuple[str, ...]
    """The versions for the earlier release. Empty if there is none."""
    after: tuple[str, ...]
    """The versions for the later release. Empty if no source states one."""
    sources: tuple[str, ...]
    """The sources, as in `SupportChange`."""


class UpgradeStep(StrictModel):
    """What differs on a platform between two PyTorch releases."""

    before: str
    """The earlier release."""
    after: str
    """The later release."""
    is_stated: bool = True
    """Whether sources name a version of the platform for the later release."""
    read: Day | None = None
    """If not: the day on which the plugin's index had none. Absent if the index was not read."""
    unstated: tuple[Subject, ...] = ()
    """The kinds of which no source has a complete list for the later release."""
    removed: tuple[SupportChange, ...] = ()
    """What only the earlier release supports."""
    new: tuple[SupportChange, ...] = ()
    """What only the later release supports."""
    versions: tuple[VersionChange, ...] = ()
    """The versions that differ."""

    @property
    def sources(self) -> tuple[str, ...]:
        """The sources of all changes, without repetitions."""
        cited = [change.sources for change in (*self.removed, *self.new)]
        cited += [change.sources for change in self.versions]
        return tuple(dict.fromkeys(chain.from_iterable(cited)))


def upgrade_step(catalog: Catalog, platform: Platform, before: str, after: str) -> UpgradeStep:
    """Return what differs on a platform between the PyTorch releases `before` and `after`."""
    earlier, later = (_support(catalog, platform, torch) for torch in (before, after))
    if not later.is_known:
        lags = [lag for lag in release_lags(catalog, platform) if lag.torch == after]
        read = [lag.released + dt.timedelta(lag.days) for lag in lags if not lag.plugin]
        return UpgradeStep(before=before, after=after, is_stated=False, read=next(iter(read), None))
    releases = supported_torch(catalog, platform)
    newer, older = (
        [_support(catalog, platform, torch) for torch in releases if is_beyond(Version(torch))]
        for is_beyond in (Version(after).__lt__, Version(before).__gt__)
    )
    removed, new = tuple(_gone(earlier, later, newer)), tuple(_gone(later, earlier, older))
    return UpgradeStep(
        before=before,
        after=after,
        unstated=later.unlisted,
        removed=removed,
        new=new,
        versions=tuple(_version_changes(platform, earlier, later, (*removed, *new))),
    )


def minor_steps(catalog: Catalog, platform: Platform) -> tuple[UpgradeStep, ...]:
    """Return the steps between a platform's minor releases of PyTorch, newest step first.

    A step is from the newest patch release of a minor release to that of the next one which the
    platform supports. The last step is to PyTorch's newest release, which not all support yet.
    """
    newest_of_minor = {minor_release(torch): torch for torch in supported_torch(catalog, platform)}
    newest = catalog.releases.newest.version
    versions = [*newest_of_minor.values()]
    if versions and minor_release(newest) > max(newest_of_minor):
        versions.append(newest)
    return tuple(upgrade_step(catalog, platform, *step) for step in pairwise(versions))[::-1]


def step_to(catalog: Catalog, platform: Platform, torch: str) -> UpgradeStep | None:
    """Return the step to a release from the platform's newest one of an earlier minor release.

    None if the platform supports no earlier minor release.
    """
    releases = supported_torch(catalog, platform)
    earlier = [r for r in releases if minor_release(r) < minor_release(torch)]
    return upgrade_step(catalog, platform, earlier[-1], torch) if earlier else None


@cached_by_owner
def supported_torch(catalog: Catalog, platform: Platform) -> tuple[str, ...]:
    """Return the PyTorch releases that a platform supports, oldest first.

    For a platform in PyTorch's own wheels, these are the releases with its wheels. For others, they
    are the releases in `compatibility.yaml`.
    """
    if _is_in_wheels(catalog, platform):
        releases = {r.version for r in catalog.releases.releases if any(_wheels(platform, r))}
    else:
        releases = {row.torch for row in platform.compatibility.rows}
    return tuple(sorted(releases, key=Version))


# Collects what sources state about a platform and one release.


class _Item(NamedTuple):
    """Something that a release supports on a system. `system` is empty if it is on all systems."""

    subject: Subject
    name: str
    system: str


class _Support(NamedTuple):
    """What sources state about a platform and one PyTorch release."""

    wheels: tuple[_SystemWheel, ...]
    """The platform's wheels of the release, if it is in PyTorch's own wheels."""
    rows: tuple[CompatibilityRow, ...]
    """The rows of `compatibility.yaml` for the release."""
    items: Mapping[_Item, tuple[str, ...]]
    """All items, with their sources. They are empty if the item is never removed: no complete list
    has it, or nobody is certain of it."""
    lists: tuple[str, ...]
    """The sources that list what the release has: those of its wheels, or of `rows`."""
    unlisted: tuple[Subject, ...]
    """The subjects that these sources do not list completely."""
    pythons: tuple[str, ...] = ()
    """The Python versions of any wheel of the release. Empty for plugins."""

    @property
    def is_known(self) -> bool:
        """Whether sources state anything."""
        return bool(self.pythons or self.rows)

    def lacks(self, item: _Item, sources: Iterable[str]) -> bool:
        """Return whether it is stated that the release does not support an item.

        `sources` state that another release supports it.
        """
        if item.subject == "python":
            if self.pythons and item.name not in self.pythons:
                return True
            if not self.pythons and set(self.lists).isdisjoint(sources):
                return False
        return item not in self.items and item.subject not in self.unlisted


class _SystemWheel(NamedTuple):
    """A wheel on one system."""

    wheel: Wheel
    arch: Arch
    pythons: tuple[str, ...]
    sources: tuple[str, ...]
    """Empty if only a document names the wheel, and no complete list has it."""

    @property
    def system(self) -> str:
        return f"{self.wheel.os} {self.arch}"


@cached_by_owner
def _support(catalog: Catalog, platform: Platform, torch: str) -> _Support:
    release = catalog.releases.by_version.get(torch)
    rows = tuple(row for row in platform.compatibility.rows if row.torch == torch)
    if release and _is_in_wheels(catalog, platform):
        return _support_by_wheels(catalog, platform, release, rows)
    items: dict[_Item, tuple[str, ...]] = {}
    for row in rows:
        for python in row.python or ():
            item = _Item("python", python, "")
            items[item] = items.get(item, ()) + _row_sources(platform, row)
        items |= _hardware_items(platform, torch, row.variant)
    lists = tuple(key for row in rows for key in _row_sources(platform, row))
    return _Support((), rows, items, lists, () if all(row.python for row in rows) else ("python",))


def _support_by_wheels(
    catalog: Catalog, platform: Platform, release: Release, rows: tuple[CompatibilityRow, ...]
) -> _Support:
    wheels = [
        _SystemWheel(wheel, arch, wheel.python or release.python, _sources(catalog, release, wheel))
        for wheel, arch in _wheels(platform, release)
    ]
    items: dict[_Item, tuple[str, ...]] = {}
    for one in wheels:
        variant = one.wheel.variant if platform.install.variants else None
        found = {_Item("system", one.system, one.system): one.sources}
        found |= {_Item("python", python, one.system): one.sources for python in one.pythons}
        if variant:
            found[_Item("variant", variant, one.system)] = one.sources
        found |= _hardware_items(platform, release.version, variant, one)
        for item, keys in found.items():
            items[item] = items.get(item, ()) + keys
    has_index = any(not w.on and _sources(catalog, release, w) for w in release.wheels)
    uses_index = any(
        not wheel.on for r in catalog.releases.releases for wheel, _ in _wheels(platform, r)
    )
    lists = _list_sources(catalog, release, on_pypi=True)
    if uses_index and has_index:
        lists += _list_sources(catalog, release, on_pypi=False)
    return _Support(
        tuple(wheels),
        tuple(row for row in rows if row.variant is None),
        items,
        lists,
        get_args(Subject) if uses_index and not has_index else (),
        release.python,
    )


@cached_by_owner
def _is_in_wheels(catalog: Catalog, platform: Platform) -> bool:
    """Return whether PyTorch's own wheels of any release are for a platform."""
    return any(True for release in catalog.releases.releases for _ in _wheels(platform, release))


def _wheels(platform: Platform, release: Release) -> Iterator[tuple[Wheel, Arch]]:
    """Yield PyTorch's own wheels of a release that a platform's install options use."""
    variants = {variant.id for variant in platform.install.variants}
    for option in platform.install.options:
        if (
            option.channel == "stable"
            and option.admits(release.version)
            and not READY_METHODS.isdisjoint(option.methods)
        ):
            for build in matching_builds(option, release):
                if isinstance(build, Wheel) and (not variants or build.variant in variants):
                    for arch in build.arch:
                        if not option.arch or arch in option.arch:
                            yield build, arch


def _sources(catalog: Catalog, release: Release, wheel: Wheel) -> tuple[str, ...]:
    """Return the sources of a wheel; empty if none of them is a list of the release.

    The sources of the release are its lists. A wheel that only others name, such as a project's
    lock file, shows that the lists are not complete.
    """
    if not wheel.source:
        return _list_sources(catalog, release, on_pypi=wheel.on == "pypi")
    is_listed = not set(release.source).isdisjoint(wheel.source)
    return _keys(RELEASES, wheel.source) if is_listed else ()


def _list_sources(catalog: Catalog, release: Release, *, on_pypi: bool) -> tuple[str, ...]:
    """Return the sources of the list of a release's wheels on PyPI or in PyTorch's own index."""
    sources = {name: catalog.releases.sources[name] for name in release.source}
    own = [name for name, s in sources.items() if (s.package == TORCH if on_pypi else s.url)]
    return _keys(RELEASES, own or release.source)


def _hardware_items(
    platform: Platform, torch: str, variant: str | None, on: _SystemWheel | None = None
) -> dict[_Item, tuple[str, ...]]:
    """Return the hardware generations on which a build computes; `on` is its wheel, if it has one.

    A generation is never removed or new if its sources only pin releases, or are not certain.
    """
    hardware = platform.accelerator.hardware
    items = {}
    for generation in hardware.generations if hardware else ():
        covering = [
            build
            for build in generation.builds
            if build_covers(build, variant or NO_VARIANT, torch)
            and (not on or not build.os or on.wheel.os in build.os)
            and (not on or not build.arch or on.arch in build.arch)
        ]
        if {build.reaches for build in covering} == {"computes"}:
            clear = [build for build in covering if not (build.uncertain or _is_pinned(build))]
            stated = _keys(platform.path("accelerator.yaml"), (n for b in clear for n in b.source))
            item = _Item("hardware", card_name(platform, generation), on.system if on else "")
            is_listed = clear and (not on or on.sources)
            items[item] = (*stated, *(on.sources if on else ())) if is_listed else ()
    return items


def _is_pinned(build: BuildSupport) -> bool:
    return any(clause.operator.startswith("==") for clause in SpecifierSet(build.torch or ""))


def _row_sources(platform: Platform, row: CompatibilityRow) -> tuple[str, ...]:
    return _keys(platform.path("compatibility.yaml"), row.source)


def _keys(file: str, names: Iterable[str]) -> tuple[str, ...]:
    return tuple(f"{file}#{name}" for name in names)


# Compares two releases.


def _gone(
    having: _Support, lacking: _Support, beyond: Iterable[_Support]
) -> Iterator[SupportChange]:
    """Yield what `having` supports, and neither `lacking` nor the releases `beyond` it support."""
    others = [(item, keys) for one in (lacking, *beyond) for item, keys in one.items.items()]
    remaining = {item for item, _ in others}
    incomplete = {(item.subject, item.name) for item, keys in others if not keys}
    gone = [
        item
        for item, keys in having.items.items()
        if keys and item not in remaining and (item.subject, item.name) not in incomplete
        if lacking.lacks(item, keys)
    ]
    left = {item.system for item in gone if item.subject == "system"}
    gone = [item for item in gone if item.subject == "system" or item.system not in left]
    for (subject, name), items in grouped(((i.subject, i.name), i) for i in gone).items():
        systems = tuple(item.system for item in items)
        is_elsewhere = any(
            (other.subject, other.name) == (subject, name) and other.system not in {*systems, *left}
            for other in (*having.items, *lacking.items)
        )
        keys = [key for item in items for key in having.items[item]]
        keys += lacking.lists if lacking.pythons else ()
        yield SupportChange(
            subject=subject,
            name=name,
            systems=systems if is_elsewhere else (),
            sources=tuple(dict.fromkeys(keys)),
        )


_Stated = Mapping[str, tuple[str, ...]]
"""Versions, each with its sources."""


def _version_changes(
    platform: Platform, earlier: _Support, later: _Support, reported: Iterable[SupportChange]
) -> Iterator[VersionChange]:
    """Yield the versions that differ, without the Python versions in `reported`."""
    package = platform.accelerator.package.name
    plugins = _newest_plugin(platform, earlier.rows), _newest_plugin(platform, later.rows)
    if all(plugins):
        yield from _version_change("plugin", package, *plugins)
    for name in dict.fromkeys(name for row in earlier.rows for name in row.needs):
        needs = (_needs(platform, support.rows, name) for support in (earlier, later))
        yield from _version_change("requirement", name, *needs)
    pythons = _pythons(platform, earlier.rows), _pythons(platform, later.rows)
    differing = pythons[0].keys() ^ pythons[1].keys()
    if all(pythons) and not later.wheels and not differing <= {one.name for one in reported}:
        yield from _version_change("python", "Python", *pythons)
    for system in dict.fromkeys(wheel.system for wheel in earlier.wheels):
        before, after = (
            [wheel for wheel in support.wheels if wheel.system == system]
            for support in (earlier, later)
        )
        variants = _pypi_variants(before), _pypi_variants(after)
        if platform.install.variants and variants[1]:
            yield from _version_change("pypi", system, *variants)
        minimums = _minimum(before), _minimum(after)
        if all(minimums):
            yield from _version_change("minimum", system, *minimums)


def _version_change(
    subject: VersionSubject, name: str, before: _Stated, after: _Stated
) -> Iterator[VersionChange]:
    if before.keys() != after.keys():
        keys = (key for stated in (before, after) for keys in stated.values() for key in keys)
        yield VersionChange(
            subject=subject,
            name=name,
            before=tuple(before),
            after=tuple(after),
            sources=tuple(dict.fromkeys(keys)),
        )


def _newest_plugin(platform: Platform, rows: Iterable[CompatibilityRow]) -> _Stated:
    stated = {row.plugin: _row_sources(platform, row) for row in rows if row.plugin}
    newest = max(stated, key=Version, default=None)
    return {newest: stated[newest]} if newest else {}


def _needs(platform: Platform, rows: Iterable[CompatibilityRow], name: str) -> _Stated:
    return {row.needs[name]: _row_sources(platform, row) for row in rows if name in row.needs}


def _pythons(platform: Platform, rows: Iterable[CompatibilityRow]) -> _Stated:
    return {p: _row_sources(platform, row) for row in rows for p in row.python or ()}


def _pypi_variants(wheels: Iterable[_SystemWheel]) -> _Stated:
    return {one.wheel.variant: one.sources for one in wheels if one.wheel.on == "pypi"}


def _minimum(wheels: Iterable[_SystemWheel]) -> _Stated:
    """Return the lowest C library or macOS version that a wheel needs, such as `glibc 2.28`."""
    stated = {
        minimum: one.sources
        for one in wheels
        for tag in one.wheel.tags or ()
        if runs_on(tag, one.wheel.os, one.arch) and (minimum := minimum_system(tag))
    }
    lowest = min(stated, key=lambda words: Version(words.split()[-1]), default=None)
    return {lowest: stated[lowest]} if lowest else {}
