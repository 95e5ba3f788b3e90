"""Derives what to add to `data/releases.yaml` for a release that package indexes publish."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from packaging.version import Version

from accelerator_portal.catalog.files.package_file import PYPI
from accelerator_portal.catalog.files.releases_file import (
    PYTORCH_INDEX,
    Companion,
    Release,
    Releases,
    Wheel,
)
from accelerator_portal.packages.portal_packages import TORCHVISION
from accelerator_portal.packages.wheel_tags import ordered_pythons
from accelerator_portal.releases.published_builds import (
    PublishedBuild,
    PublishedRelease,
    companion_source_id,
    torch_source_id,
)
from accelerator_reports.files.fields import Arch, Os
from accelerator_reports.files.problem import UserError

BuildKey = tuple[str, Os, Arch]

_VARIANT_PREFIXES = ("cu", "rocm", "xpu", "cpu")
_SYSTEMS: tuple[Os, ...] = ("linux", "windows", "macos")


@dataclass(frozen=True, slots=True)
class EntryChange:
    """The additions to `data/releases.yaml` for a release.

    `release` is the release's entry with the additions.
    """

    release: Release
    wheels: tuple[Wheel, ...]
    """Wheels to add to the entry."""
    torchvision: str | None
    """The torchvision release to add, or None."""
    completed: Mapping[int, Wheel] = field(default_factory=dict)
    """Wheels of the entry that get platform tags or sizes, by their position in the entry."""
    differences: tuple[str, ...] = ()
    """Messages about values of the entry that differ from the indexes. These values are kept."""
    is_new: bool = False
    """Whether the file has no entry for the release yet."""
    companions: tuple[Companion, ...] = ()
    """Rows to add to the list `companions` in the file."""

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to add."""
        entry = self.is_new or self.wheels or self.torchvision or self.completed
        return not (entry or self.companions)


class NoReleaseError(UserError, ValueError):
    """Raised if no entry can be written for a release; the message says why and what to do."""


def entry_change(published: PublishedRelease, listed: Releases) -> EntryChange:
    """Return the additions to `data/releases.yaml` for a release.

    These are a new entry or additions to the existing entry, and rows for the list of companions.
    For a new release, raises NoReleaseError if its date is unknown, or if no index that was read
    has wheels of it.
    """
    entry = listed.by_version.get(published.version)
    change = _additions_to_entry(published, entry) if entry else _new_entry(published)
    listed_companions = listed.companions_of(published.version)
    missing = (
        c for c in published.companions if c.version not in listed_companions.get(c.package, ())
    )
    differences = (*change.differences, *_untied_companion_messages(published, listed))
    return replace(change, companions=tuple(missing), differences=differences)


def _untied_companion_messages(published: PublishedRelease, listed: Releases) -> Iterator[str]:
    """Yield a message for each release of a companion package that a person must add.

    The portal cannot add a release whose metadata requires no exact torch release. A message is
    only about a release that is newer than all releases of the package in `listed`.
    """
    tied_packages = {companion.package for companion in published.companions}
    for package, version in published.untied.items():
        listed_versions = [Version(c.version) for c in listed.companions if c.package == package]
        if package not in tied_packages and Version(version) > max(listed_versions):
            yield (
                f"{package} {version} is on PyPI, and its metadata does not state which torch it "
                "supports. Add its row to companions, with a source"
            )


def _additions_to_entry(published: PublishedRelease, entry: Release) -> EntryChange:
    listed_wheels = dict(_listed_wheels(entry))
    new_builds = [build for build in published.builds if build.key not in listed_wheels]
    wheels = tuple(_wheel_entries(new_builds, published.version, entry.python))
    torchvision = None if entry.torchvision else published.torchvision
    completed = _completed_wheels(published, entry)
    known_wheels = (completed.get(position, wheel) for position, wheel in enumerate(entry.wheels))
    update: dict[str, object] = {"wheels": (*known_wheels, *wheels)}
    if torchvision:
        source = (*entry.source, companion_source_id(TORCHVISION, published.version))
        update |= {TORCHVISION: torchvision, "source": source}
    release = entry.model_copy(update=update)
    differences = tuple(_entry_differences(published, entry))
    return EntryChange(release, wheels, torchvision, completed, differences)


def _new_entry(published: PublishedRelease) -> EntryChange:
    version = published.version
    if not published.builds:
        error_text = f"no index that could be read has wheels of torch {version}"
        raise NoReleaseError(f"{error_text}. Check the version, or run the command again later")
    if published.date is None:
        error_text = (
            f"PyPI, which states the date of a release, could not be read or has no {version}"
        )
        raise NoReleaseError(f"{error_text}. Run the command again once torch {version} is on PyPI")
    source = [torch_source_id(PYPI, version)]
    source += [companion_source_id(TORCHVISION, version)] if published.torchvision else []
    wheels = tuple(_wheel_entries(published.builds, version, published.pythons))
    release = Release(
        version=version,
        date=published.date,
        python=published.pythons,
        torchvision=published.torchvision,
        source=tuple(source),
        wheels=wheels,
    )
    return EntryChange(release, wheels, published.torchvision, is_new=True)


def _listed_wheels(release: Release) -> Iterator[tuple[BuildKey, Wheel]]:
    for wheel in release.wheels:
        for arch in wheel.arch:
            yield (wheel.variant, wheel.os, arch), wheel


def _completed_wheels(published: PublishedRelease, entry: Release) -> dict[int, Wheel]:
    """Return completed copies of the wheels in `entry` that lack tags or sizes.

    The keys are the wheels' positions in `entry.wheels`.
    """
    builds = {(*build.key, build.index == PYPI): build for build in published.builds}
    completed: dict[int, Wheel] = {}
    for position, wheel in enumerate(entry.wheels):
        keys = [(wheel.variant, wheel.os, arch, wheel.on == "pypi") for arch in wheel.arch]
        wheel_builds = [builds[key] for key in keys if key in builds]
        if len(wheel_builds) == len(keys):
            update = {
                "tags": wheel.tags or _platform_tags(wheel_builds),
                "size_mb": wheel.size_mb or _sizes_mb(wheel_builds),
            }
            completed_wheel = wheel.model_copy(update=update)
            if completed_wheel != wheel:
                completed[position] = completed_wheel
    return completed


def _platform_tags(builds: Iterable[PublishedBuild]) -> tuple[str, ...] | None:
    return tuple(sorted({tag for build in builds for tag in build.tags})) or None


def _sizes_mb(builds: Iterable[PublishedBuild]) -> dict[Arch, int]:
    return {b.arch: max(1, round(b.size / 1_000_000)) for b in builds if b.size}


def _wheel_entries(
    builds: Iterable[PublishedBuild], version: str, pythons: tuple[str, ...]
) -> Iterator[Wheel]:
    """Yield the wheels to list in `data/releases.yaml`, in the order of that file.

    Builds that differ only in architecture, tags or size share a wheel entry. `pythons` are the
    release's Python versions; a wheel states its own only if they differ.
    """
    groups: dict[tuple[str, Os, str, tuple[str, ...]], list[PublishedBuild]] = {}
    for build in sorted(builds, key=_build_sort_key):
        build_pythons = ordered_pythons(build.pythons)
        groups.setdefault((build.variant, build.os, build.index, build_pythons), []).append(build)
    for (variant, os, index, build_pythons), group in groups.items():
        group.sort(key=lambda build: build.arch, reverse=True)  # x86_64 first
        yield Wheel(
            variant=variant,
            os=os,
            arch=tuple(build.arch for build in group),
            on="pypi" if index == PYPI else None,
            python=None if build_pythons == pythons else build_pythons,
            tags=_platform_tags(group),
            size_mb=_sizes_mb(group),
            source=(torch_source_id(index, version),),
        )


def _build_sort_key(build: PublishedBuild) -> tuple[object, ...]:
    kind = next(
        rank for rank, kind in enumerate(_VARIANT_PREFIXES) if build.variant.startswith(kind)
    )
    newest_first = tuple(-int(number) for number in re.findall(r"\d+", build.variant))
    return kind, newest_first, _SYSTEMS.index(build.os), build.index != PYPI, build.index


def _entry_differences(published: PublishedRelease, entry: Release) -> Iterator[str]:
    builds = {build.key: build for build in published.builds}
    for key, wheel in _listed_wheels(entry):
        index = PYPI if wheel.on == "pypi" else f"{PYTORCH_INDEX}/{wheel.variant}"
        name = " ".join(key)
        build = builds.get(key)
        if build is None:
            if index in published.read:
                yield f"{name}: the entry lists this wheel, but {index} doesn't have it"
            continue
        listed_pythons, build_pythons = wheel.python or entry.python, ordered_pythons(build.pythons)
        if set(listed_pythons) != set(build_pythons):
            index_text = f"{index} has wheels for {', '.join(build_pythons)}"
            yield f"{name}: the entry lists Python {', '.join(listed_pythons)}, but {index_text}"
    if entry.torchvision and published.torchvision not in {None, entry.torchvision}:
        entry_text = f"the entry lists torchvision {entry.torchvision}"
        requires_text = f"torchvision {published.torchvision} requires torch=={entry.version}"
        yield f"{entry_text}, but {requires_text}"
    if published.date and published.date != entry.date:
        yield f"the entry lists the date {entry.date}, but PyPI has {published.date}"
