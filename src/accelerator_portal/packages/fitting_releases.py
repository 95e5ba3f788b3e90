"""Derives which releases fit together and which are the newest, from stored package facts."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice, product
from typing import Literal, get_args

from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import Version

from accelerator_portal.catalog import Catalog, Platform
from accelerator_portal.catalog.files.package_file import (
    ANY_PLATFORM_TAG,
    PYPI,
    IndexFacts,
    ReleaseFacts,
)
from accelerator_portal.catalog.grouping import cached_by_owner
from accelerator_portal.packages.portal_packages import TORCH, platform_requirements
from accelerator_portal.packages.stored_releases import MOST_RELEASES, MOST_WITHOUT_FINAL
from accelerator_portal.packages.wheel_tags import runs_on, supports_python
from accelerator_reports.files.fields import DESCRIBED, Arch, Os

SYSTEMS: tuple[tuple[Os, Arch], ...] = tuple(product(get_args(Os), get_args(Arch)))
"""All pairs of an operating system and an architecture."""

# The size of the caches: the indexes of twenty platforms have a few hundred different requirements.
_REQUIREMENT_CACHE_SIZE = 4096


@dataclass(frozen=True, slots=True)
class PluginIndex:
    """A platform's plugin package, its index, and the facts of the package on this index.

    `index` is `pypi` or the index's address. `facts` is None if the index was never read. If the
    index is not PyPI, `other` has PyPI's facts of the package with the same name, which is a
    different package or a placeholder.
    """

    package: str
    index: str
    facts: IndexFacts | None
    other: IndexFacts | None = None


@dataclass(frozen=True, slots=True)
class FittingRelease:
    """The newest plugin release (`release`) that fits the torch release `torch` on a system.

    `requirement` is the plugin's requirement on torch. `pythons` are the Python versions that both
    releases support.
    """

    torch: str
    os: Os
    arch: Arch
    release: ReleaseFacts
    requirement: str
    pythons: tuple[str, ...]


@cached_by_owner
def plugin_index(catalog: Catalog, platform: Platform) -> PluginIndex | None:
    """Return the package index of a platform's plugin.

    This is the first index other than PyPI from which the platform's install commands install the
    plugin. If there is none, it is PyPI.

    Returns None if the platform's package is torch. Also returns None if several vendors use the
    package's name (`shared_name`) and no install command installs it: the package with this name on
    PyPI is then another vendor's.
    """
    package = canonicalize_name(platform.accelerator.package.name)
    if package == TORCH:
        return None
    command_indexes = [
        n.indexes for n in platform_requirements(catalog, platform) if n.package == package
    ]
    if platform.accelerator.package.shared_name and not command_indexes:
        return None
    indexes = [index for indexes in command_indexes for index in indexes if index != PYPI]
    package_facts = catalog.packages.get(package)
    on_pypi = package_facts.on(PYPI) if package_facts else None
    if not indexes:
        return PluginIndex(package, PYPI, on_pypi)
    other = on_pypi if on_pypi and on_pypi.releases else None
    return PluginIndex(
        package, indexes[0], package_facts.on(indexes[0]) if package_facts else None, other
    )


def fitting_releases(catalog: Catalog, facts: IndexFacts) -> tuple[FittingRelease, ...]:
    """Return the newest plugin release that fits each torch release on each system.

    `facts` has the plugin's releases. The newest torch release comes first. A plugin release whose
    metadata names no torch fits no torch release. Yanked releases are excluded. Pre-releases are
    used only if the index has no final releases.
    """
    offers_by_system = {system: list(_installable_releases(facts, *system)) for system in SYSTEMS}
    fits = []
    for torch in catalog.releases.releases:
        for (os, arch), offers in offers_by_system.items():
            matching_offers = (offer for offer in offers if admits(offer[1], torch.version))
            for release, requirement, labels in islice(matching_offers, 1):
                pythons = tuple(p for p in torch.python if supports_python(labels, p))
                fits.append(FittingRelease(torch.version, os, arch, release, requirement, pythons))
    return tuple(fits)


@lru_cache(_REQUIREMENT_CACHE_SIZE)
def admits(requirement: str, torch: str) -> bool:
    """Return whether a requirement allows a torch release, ignoring local versions.

    For example, `torch==2.10.0+cpu` allows 2.10.0: a local version names a build of the same
    release (PEP 440). `torch!=2.10.0+cpu` allows it, too: the release has other builds. Returns
    False for an invalid requirement.
    """
    try:
        clauses = [
            str(clause).partition("+")[0]
            for clause in Requirement(requirement).specifier
            if clause.operator != "!=" or "+" not in clause.version
        ]
        return SpecifierSet(",".join(clauses)).contains(Version(torch), prereleases=True)
    except (InvalidRequirement, InvalidSpecifier):
        return False


def torch_requirement(release: ReleaseFacts, os: Os, arch: Arch) -> str | None:
    """Return the torch requirement of a release on a system, such as `torch==2.9.0`.

    Returns None if the release's metadata states none for the system.
    """
    for tag, requirement_lines in sorted(release.requires.items()):
        if tag == ANY_PLATFORM_TAG or runs_on(tag, os, arch):
            return next((line for line in requirement_lines if names_torch(line)), None)
    return None


def torch_requirements(release: ReleaseFacts) -> dict[str, str]:
    """Return a release's torch requirements by platform tag; the tag `*` means all platforms."""
    return {
        tag: line
        for tag, requirement_lines in release.requires.items()
        for line in requirement_lines
        if names_torch(line)
    }


@lru_cache(_REQUIREMENT_CACHE_SIZE)
def names_torch(line: str) -> bool:
    """Return whether a requirement, such as `torch>=2.9`, names the package torch."""
    try:
        return canonicalize_name(Requirement(line).name) == TORCH
    except InvalidRequirement:
        return False


def python_labels_on(release: ReleaseFacts, os: Os, arch: Arch) -> list[str]:
    """Return the Python labels (such as `cp312`) of the wheels that a release has for a system."""
    return [
        label
        for tag, labels in release.wheels.items()
        if runs_on(tag, os, arch)
        for label in labels.split()
    ]


def usable_releases(releases: Iterable[ReleaseFacts]) -> Iterator[ReleaseFacts]:
    """Yield the final releases, or the pre-releases if there are no final releases.

    Yanked releases are ignored.
    """
    unyanked = [release for release in releases if release.yanked is None]
    final = [release for release in unyanked if not Version(release.version).is_prerelease]
    yield from final or unyanked


def _installable_releases(
    facts: IndexFacts, os: Os, arch: Arch
) -> Iterator[tuple[ReleaseFacts, str, list[str]]]:
    """Yield each usable release that has wheels and a torch requirement for a system, newest first.

    An item is the release, its torch requirement on the system, and its wheels' Python labels.
    """
    for release in usable_releases(facts.releases):  # newest first
        requirement = torch_requirement(release, os, arch)
        labels = python_labels_on(release, os, arch)
        if requirement and labels:
            yield release, requirement, labels


VersionBasis = Literal["index", "vendor"]
"""What states which torch release a plugin release fits. `index`: the metadata on the index.
`vendor`: `compatibility.yaml`, which is used if no metadata names torch."""


@dataclass(frozen=True, slots=True)
class ReleaseLag:
    """The release lag of a plugin for one torch release."""

    __pydantic_config__ = DESCRIBED

    torch: str
    """The torch release."""
    released: dt.date
    """The day on which the torch release was published."""
    days: int
    """Days from the torch release to the plugin release, negative if the plugin came first. If
    there is no plugin release, days to the day on which the index was last read."""
    basis: VersionBasis
    """Whether package metadata or the vendor's table states the compatibility."""
    plugin: str | None = None
    """The first plugin release that supports the torch release. Pre-releases count only if there
    are no final releases. None if there is none yet."""
    followed: dt.date | None = None
    """The day on which `plugin` was published."""


@cached_by_owner
def release_lags(catalog: Catalog, platform: Platform) -> tuple[ReleaseLag, ...]:
    """Return a plugin's release lag for each torch release, newest torch release first.

    Includes the torch releases that the plugin supports and all newer ones. Returns an empty tuple
    if no plugin release with a known date fits a torch release.

    The portal stores only the newest plugin releases, so older ones may exist. A torch release that
    the oldest stored plugin release fits is then omitted: an older plugin release may have been the
    first that fits.
    """
    own_index = plugin_index(catalog, platform)
    if own_index is None or own_index.facts is None or not own_index.facts.releases:
        return ()
    first_releases = dict(_first_fitting_releases(catalog, platform, own_index.facts))
    if not first_releases:
        return ()
    newest_torch = max(map(Version, first_releases))
    read_day = last_read_day(catalog, own_index)
    lags = []
    for torch in catalog.releases.releases:
        if torch.version in first_releases:
            release, basis = first_releases[torch.version]
            if release.date is None:
                continue
            days = (release.date - torch.date).days
            lag = ReleaseLag(torch.version, torch.date, days, basis, release.version, release.date)
            lags.append(lag)
        elif Version(torch.version) > newest_torch and read_day:
            basis = next(iter(first_releases.values()))[1]
            days = (read_day - torch.date).days
            lags.append(ReleaseLag(torch.version, torch.date, days, basis))
    return tuple(lags)


def last_read_day(catalog: Catalog, own_index: PluginIndex) -> dt.date | None:
    """Return the last day on which a plugin's index was read, or None if it was never read.

    If the last attempt failed, returns the earlier of two days: the first day on which the index
    could not be read, and the day that `data/packages-read.json` states for the package.
    """
    if own_index.facts is None:
        return None
    packages_read = catalog.packages_read
    fault = packages_read.fault(own_index.package, own_index.index)
    day = packages_read.later.get(own_index.package) or packages_read.read
    if fault is None:
        return day
    return min(fault.since, day) if day else fault.since


def _first_fitting_releases(
    catalog: Catalog, platform: Platform, facts: IndexFacts
) -> Iterator[tuple[str, tuple[ReleaseFacts, VersionBasis]]]:
    """Yield each torch version with the earliest plugin release that fits it.

    An item is `(torch version, (plugin release, basis))`. The basis is `index` if the metadata of
    any plugin release requires torch. Otherwise it is `vendor`: then `compatibility.yaml` states
    which plugin releases fit. Torch versions that no plugin release fits are omitted. A torch
    version is also omitted if a plugin release that the portal no longer stores may fit it (see
    `release_lags`).
    """
    dated_releases = [r for r in usable_releases(facts.releases) if r.date]
    oldest = dated_releases[-1] if dated_releases and _may_have_older_releases(facts) else None
    by_metadata = any(torch_requirements(release) for release in dated_releases)
    basis: VersionBasis = "index" if by_metadata else "vendor"
    for torch in catalog.releases.releases:
        if by_metadata:
            fitting = [r for r in dated_releases if _metadata_fits(r, torch.version)]
        else:
            rows = platform.compatibility.rows
            listed_versions = {row.plugin for row in rows if row.torch == torch.version}
            fitting = [r for r in dated_releases if r.version in listed_versions]
        if fitting and oldest not in fitting:
            first_release = min(fitting, key=lambda r: (r.date or dt.date.max, Version(r.version)))
            yield torch.version, (first_release, basis)


def _may_have_older_releases(facts: IndexFacts) -> bool:
    """Return whether the index may have older releases than the portal stores."""
    final_count = sum(not Version(release.version).is_prerelease for release in facts.releases)
    if final_count:
        return final_count >= MOST_RELEASES
    return len(facts.releases) >= MOST_WITHOUT_FINAL


def _metadata_fits(release: ReleaseFacts, torch: str) -> bool:
    return any(
        admits(stated_requirement, torch)
        for stated_requirement in torch_requirements(release).values()
    )


# Finds the newest versions of packages, and fills them into the placeholders of texts.
#
# Answers and guides write `{newest:torchaudio}` instead of a version that is outdated soon.

PLACEHOLDER = re.compile(r"\{newest:([a-z0-9-]{1,60})((?:\+[a-z0-9.]{1,20}){0,9})\}")
"""`{newest:torchaudio}`, or `{newest:torch+cpu+cu126}` for the newest torch with these builds."""


def fill_versions(catalog: Catalog, text: str) -> str:
    """Return `text` with each placeholder replaced. Placeholders without a version stay."""

    def value(match: re.Match[str]) -> str:
        return newest_version(catalog, match[1], match[2].split("+")[1:]) or match[0]

    return PLACEHOLDER.sub(value, text) if "{newest:" in text else text


def newest_version(catalog: Catalog, package: str, variants: list[str] | None = None) -> str | None:
    """Return the newest version of a package, or None if it is unknown.

    For torch, this is the newest release in `data/releases.yaml` that has wheels of all `variants`.
    For a companion of torch, it is the newest version that the file lists for the newest torch. For
    another package, it is the newest release on PyPI in `data/packages/`.
    """
    releases = catalog.releases
    if package == TORCH:
        wanted = set(variants or ())
        matching = (r for r in releases.releases if wanted <= {w.variant for w in r.wheels})
        return max((r.version for r in matching), key=Version, default=None)
    companions = releases.companions_of(releases.newest.version).get(package)
    if companions:
        return companions[0]
    facts = catalog.packages.get(package)
    on_pypi = facts.on(PYPI) if facts else None
    return next((r.version for r in usable_releases(on_pypi.releases)), None) if on_pypi else None
