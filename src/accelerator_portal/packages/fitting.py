"""Derives which plugin release fits which torch release, and how many days later it came."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice, product
from typing import Literal

from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import Version

from accelerator_portal.catalog import Catalog, Platform
from accelerator_portal.catalog.fields import Arch, Os
from accelerator_portal.catalog.package_file import EVERY, PYPI, IndexFacts, ReleaseFacts
from accelerator_portal.catalog.results_folder import cached_by_owner
from accelerator_portal.packages.portal_packages import TORCH, option_requirements
from accelerator_portal.packages.questions import MOST_RELEASES
from accelerator_portal.packages.wheel_tags import runs_on, serves_python

_SYSTEMS: tuple[tuple[Os, Arch], ...] = tuple(
    product(("linux", "windows", "macos"), ("x86_64", "aarch64", "s390x", "ppc64le", "riscv64"))
)


# The indexes of twenty platforms repeat a few hundred requirements.
_REQUIREMENTS = 4096


@dataclass(frozen=True, slots=True)
class Home:
    """Where a platform's package comes from, and what that index says of it.

    `facts` are None where it was never read. `other` is what PyPI has under the same name, where
    commands name another index: somebody else's, or a warning.
    """

    package: str
    index: str
    facts: IndexFacts | None
    other: IndexFacts | None = None


@dataclass(frozen=True, slots=True)
class Fit:
    """The newest plugin that fits a torch release on a system, and what it requires exactly."""

    torch: str
    os: Os
    arch: Arch
    release: ReleaseFacts
    requirement: str
    pythons: tuple[str, ...]


@cached_by_owner
def home(catalog: Catalog, platform: Platform) -> Home | None:
    """Return where a plugin comes from; None for platforms whose package is torch itself.

    It is the index that the platform's commands name; PyPI where they name none. A package that
    shares its name and that no command installs by name is not the one on PyPI.
    """
    package = canonicalize_name(platform.accelerator.package.name)
    if package == TORCH:
        return None
    named = [n.indexes for n in option_requirements(catalog, platform) if n.package == package]
    if platform.accelerator.package.shared_name and not named:
        return None
    indexes = [index for indexes in named for index in indexes if index != PYPI]
    found = catalog.packages.get(package)
    on_pypi = found.on(PYPI) if found else None
    if not indexes:
        return Home(package, PYPI, on_pypi)
    other = on_pypi if on_pypi and on_pypi.releases else None
    return Home(package, indexes[0], found.on(indexes[0]) if found else None, other)


def fits(catalog: Catalog, facts: IndexFacts) -> tuple[Fit, ...]:
    """Return the table: torch releases newest first, each with the systems that have a plugin.

    Only what the index itself says: a plugin whose metadata names no torch fits none. Final
    releases come before pre-releases, and what was withdrawn is left out.
    """
    offered = {system: list(_offers(facts, *system)) for system in _SYSTEMS}
    found = []
    for torch in catalog.releases.releases:
        for (os, arch), offers in offered.items():
            newest = (offer for offer in offers if admits(offer[1], torch.version))
            for release, requirement, labels in islice(newest, 1):
                pythons = tuple(p for p in torch.python if serves_python(labels, p))
                found.append(Fit(torch.version, os, arch, release, requirement, pythons))
    return tuple(found)


@lru_cache(_REQUIREMENTS)
def admits(requirement: str, torch: str) -> bool:
    """Say whether a requirement allows a torch release, in any build: `==2.10.0+cpu` does 2.10.0.

    A local version names a build of the same release (PEP 440); which index has it is for those
    who resolve commands.
    """
    try:
        clauses = [
            part.partition("+")[0] for part in str(Requirement(requirement).specifier).split(",")
        ]
        return SpecifierSet(",".join(clauses)).contains(Version(torch), prereleases=True)
    except (InvalidRequirement, InvalidSpecifier):
        return False


def torch_requirement(release: ReleaseFacts, os: Os, arch: Arch) -> str | None:
    """Return what a release requires of torch on a system; None where it names no torch."""
    for tag, said in sorted(release.requires.items()):
        if tag == EVERY or runs_on(tag, os, arch):
            return next((line for line in said if is_of_torch(line)), None)
    return None


def torch_requirements(release: ReleaseFacts) -> dict[str, str]:
    """Return what a release requires of torch, by platform tag."""
    return {
        tag: line for tag, said in release.requires.items() for line in said if is_of_torch(line)
    }


@lru_cache(_REQUIREMENTS)
def is_of_torch(line: str) -> bool:
    """Say whether a requirement is one of torch."""
    try:
        return canonicalize_name(Requirement(line).name) == TORCH
    except InvalidRequirement:
        return False


def labels_on(release: ReleaseFacts, os: Os, arch: Arch) -> list[str]:
    """Return the Python labels of the wheels that a release has for a system."""
    return [
        label
        for tag, labels in release.wheels.items()
        if runs_on(tag, os, arch)
        for label in labels.split()
    ]


def usable(releases: Iterable[ReleaseFacts]) -> Iterator[ReleaseFacts]:
    """Yield releases that were not withdrawn; pre-releases only where there are no others."""
    kept = [release for release in releases if release.yanked is None]
    final = [release for release in kept if not Version(release.version).is_prerelease]
    yield from final or kept


def _offers(facts: IndexFacts, os: Os, arch: Arch) -> Iterator[tuple[ReleaseFacts, str, list[str]]]:
    """Yield what has wheels for a system and requires torch, with requirement and Python labels."""
    for release in usable(facts.releases):  # newest first
        requirement = torch_requirement(release, os, arch)
        labels = labels_on(release, os, arch)
        if requirement and labels:
            yield release, requirement, labels


VersionBasis = Literal["index", "vendor"]
"""Who says which plugin fits: the index's metadata, or the vendor's rows if it names no torch."""


@dataclass(frozen=True, slots=True)
class Lag:
    """The release lag of a plugin for one torch release.

    `days` count from the day of the torch release to that of the first final plugin release that
    fits it; below zero where the plugin was there before. Without a `plugin` they count to the day
    on which the index was read: there is none yet.
    """

    torch: str
    released: dt.date
    days: int
    plugin: str | None
    followed: dt.date | None
    basis: VersionBasis


@cached_by_owner
def lags(catalog: Catalog, platform: Platform) -> tuple[Lag, ...]:
    """Return the lag of each torch release that the plugin ever followed, and of all later ones.

    Newest first; none where nothing is known of dates. A torch release that the oldest kept plugin
    fits is left out where older ones are not kept: the first might be one of those.
    """
    found = home(catalog, platform)
    if found is None or found.facts is None or not found.facts.releases:
        return ()
    firsts = dict(_firsts(catalog, platform, found.facts))
    if not firsts:
        return ()
    newest = max(map(Version, firsts))
    read = read_on(catalog, found)
    result = []
    for torch in catalog.releases.releases:
        if torch.version in firsts:
            release, basis = firsts[torch.version]
            if release.date is None:
                continue
            days = (release.date - torch.date).days
            lag = Lag(torch.version, torch.date, days, release.version, release.date, basis)
            result.append(lag)
        elif Version(torch.version) > newest and read:
            basis = next(iter(firsts.values()))[1]
            days = (read - torch.date).days
            result.append(Lag(torch.version, torch.date, days, None, None, basis))
    return tuple(result)


def read_on(catalog: Catalog, found: Home) -> dt.date | None:
    """Return the day for which an index's facts hold; None where they could not be read.

    An index that could not be read keeps its facts as of the day before the first failure.
    """
    if found.facts is None:
        return None
    read = catalog.packages_read
    fault = read.fault(found.package, found.index)
    day = read.later.get(found.package) or read.read
    if fault is None:
        return day
    return min(fault.since, day) if day else fault.since


def _firsts(
    catalog: Catalog, platform: Platform, facts: IndexFacts
) -> Iterator[tuple[str, tuple[ReleaseFacts, VersionBasis]]]:
    """The first release that fits, by torch release."""
    final = [r for r in usable(facts.releases) if r.date]
    oldest = final[-1] if len(final) >= MOST_RELEASES else None
    by_metadata = any(torch_requirements(release) for release in final)
    basis: VersionBasis = "index" if by_metadata else "vendor"
    for torch in catalog.releases.releases:
        if by_metadata:
            fitting = [r for r in final if _fits(r, torch.version)]
        else:
            rows = platform.compatibility.rows
            named = {row.plugin for row in rows if row.torch == torch.version}
            fitting = [r for r in final if r.version in named]
        if fitting and oldest not in fitting:
            first = min(fitting, key=lambda r: (r.date or dt.date.max, Version(r.version)))
            yield torch.version, (first, basis)


def _fits(release: ReleaseFacts, torch: str) -> bool:
    return any(admits(said, torch) for said in torch_requirements(release).values())
