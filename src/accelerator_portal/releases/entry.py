"""The entry of a release in `data/releases.yaml`: what indexes publish, as its wheels."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from accelerator_portal.catalog.fields import Arch, Os
from accelerator_portal.catalog.package_file import PYPI
from accelerator_portal.catalog.releases_file import INDEX, Release, Wheel
from accelerator_portal.releases.published import PublishedBuild, PublishedRelease, ordered_pythons

BuildKey = tuple[str, Os, Arch]

_KINDS = ("cu", "rocm", "xpu", "cpu")
_SYSTEMS: tuple[Os, ...] = ("linux", "windows", "macos")


@dataclass(frozen=True, slots=True)
class EntryChange:
    """What to add to the entry of a release; `release` is the entry with it."""

    release: Release
    wheels: tuple[Wheel, ...]
    torchvision: str | None
    """The torchvision release, where the entry did not name one."""
    described: Mapping[int, Wheel] = field(default_factory=dict)
    """Wheels of the entry that get platform tags or sizes, by their place in it."""
    differences: tuple[str, ...] = ()
    """What the entry lists otherwise than the indexes; it stays as it is."""
    is_new: bool = False

    @property
    def is_empty(self) -> bool:
        """Whether the entry lists everything already."""
        return not (self.is_new or self.wheels or self.torchvision or self.described)


class NoReleaseError(ValueError):
    """Nothing can be written of a release; the text says why, and what to do."""


def entry_change(published: PublishedRelease, known: Release | None) -> EntryChange:
    """Return what the entry of a release lacks, or a whole entry where there is none.

    Raises NoReleaseError where the facts do not suffice for a new entry.
    """
    if known is None:
        return _new_entry(published)
    listed = dict(_listed(known))
    missing = [build for build in published.builds if build.key not in listed]
    wheels = tuple(_wheels(missing, published.version, known.python))
    torchvision = None if known.torchvision else published.torchvision
    described = _described(published, known)
    own = (described.get(place, wheel) for place, wheel in enumerate(known.wheels))
    change: dict[str, object] = {"wheels": (*own, *wheels)}
    if torchvision:
        source = (*known.source, vision_source_id(published.version))
        change |= {"torchvision": torchvision, "source": source}
    after = known.model_copy(update=change)
    differences = tuple(_differences(published, known))
    return EntryChange(after, wheels, torchvision, described, differences)


def _new_entry(published: PublishedRelease) -> EntryChange:
    version = published.version
    if not published.builds:
        what = f"no index that could be read has wheels of torch {version}"
        raise NoReleaseError(f"{what}. Check the version, or run the command again later")
    if published.date is None:
        what = f"PyPI, which states the date of a release, could not be read or has no {version}"
        raise NoReleaseError(f"{what}. Run the command again once torch {version} is on PyPI")
    source = [torch_source_id(PYPI, version)]
    source += [vision_source_id(version)] if published.torchvision else []
    wheels = tuple(_wheels(published.builds, version, published.pythons))
    release = Release(
        version=version,
        date=published.date,
        python=published.pythons,
        torchvision=published.torchvision,
        source=tuple(source),
        wheels=wheels,
    )
    return EntryChange(release, wheels, published.torchvision, is_new=True)


def torch_source_id(index: str, version: str) -> str:
    """Return the id of the source for what an index publishes of a release."""
    place = "pypi" if index == PYPI else index.removeprefix(INDEX).strip("/") or "all-builds"
    return f"torch-{place}-{version.replace('.', '-')}"


def vision_source_id(version: str) -> str:
    """Return the id of the source for the torchvision release of a release."""
    return f"torchvision-pypi-{version.replace('.', '-')}"


def _listed(release: Release) -> Iterator[tuple[BuildKey, Wheel]]:
    for wheel in release.wheels:
        for arch in wheel.arch:
            yield (wheel.variant, wheel.os, arch), wheel


def _described(published: PublishedRelease, known: Release) -> dict[int, Wheel]:
    """Return the wheels that lack tags or sizes, with those that their index states."""
    builds = {(*build.key, build.index == PYPI): build for build in published.builds}
    found: dict[int, Wheel] = {}
    for place, wheel in enumerate(known.wheels):
        keys = [(wheel.variant, wheel.os, arch, wheel.on == "pypi") for arch in wheel.arch]
        own = [builds[key] for key in keys if key in builds]
        if len(own) == len(keys):
            after = wheel.model_copy(
                update={
                    "tags": wheel.tags or _tags(own),
                    "size_mb": wheel.size_mb or _sizes(own),
                }
            )
            if after != wheel:
                found[place] = after
    return found


def _tags(builds: Iterable[PublishedBuild]) -> tuple[str, ...] | None:
    return tuple(sorted({tag for build in builds for tag in build.tags})) or None


def _sizes(builds: Iterable[PublishedBuild]) -> dict[Arch, int]:
    return {b.arch: max(1, round(b.size / 1_000_000)) for b in builds if b.size}


def _wheels(
    builds: Iterable[PublishedBuild], version: str, pythons: tuple[str, ...]
) -> Iterator[Wheel]:
    """Yield wheels in the order of the file; architectures with the same wheels stand together."""
    groups: dict[tuple[str, Os, str, tuple[str, ...]], list[PublishedBuild]] = {}
    for build in sorted(builds, key=_order):
        own = ordered_pythons(build.pythons)
        groups.setdefault((build.variant, build.os, build.index, own), []).append(build)
    for (variant, os, index, own), found in groups.items():
        found.sort(key=lambda build: build.arch, reverse=True)  # x86_64 first
        yield Wheel(
            variant=variant,
            os=os,
            arch=tuple(build.arch for build in found),
            on="pypi" if index == PYPI else None,
            python=None if own == pythons else own,
            tags=_tags(found),
            size_mb=_sizes(found),
            source=(torch_source_id(index, version),),
        )


def _order(build: PublishedBuild) -> tuple[object, ...]:
    kind = next(place for place, kind in enumerate(_KINDS) if build.variant.startswith(kind))
    newest_first = tuple(-int(number) for number in re.findall(r"\d+", build.variant))
    return kind, newest_first, _SYSTEMS.index(build.os), build.index != PYPI, build.index


def _differences(published: PublishedRelease, known: Release) -> Iterator[str]:
    builds = {build.key: build for build in published.builds}
    for key, wheel in _listed(known):
        index = PYPI if wheel.on == "pypi" else f"{INDEX}/{wheel.variant}"
        name = " ".join(key)
        build = builds.get(key)
        if build is None:
            if index in published.read:
                yield f"{name}: the entry lists it, {index} has no such wheel"
            continue
        listed, own = wheel.python or known.python, ordered_pythons(build.pythons)
        if set(listed) != set(own):
            has = f"{index} has {', '.join(own)}"
            yield f"{name}: the entry lists Python {', '.join(listed)}, {has}"
    if known.torchvision and published.torchvision not in {None, known.torchvision}:
        vision = f"the entry lists torchvision {known.torchvision}"
        yield f"{vision}, torchvision {published.torchvision} requires torch=={known.version}"
    if published.date and published.date != known.date:
        yield f"the entry lists the date {known.date}, PyPI has {published.date}"
