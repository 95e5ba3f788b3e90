"""Derives from an index which plugin release fits which torch release."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice, product

from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import Version

from accelerator_portal.catalog import Catalog, Platform
from accelerator_portal.catalog.fields import Arch, Os
from accelerator_portal.catalog.package_file import EVERY, PYPI, IndexFacts, ReleaseFacts
from accelerator_portal.catalog.results_folder import cached_by_owner
from accelerator_portal.packages.portal_packages import TORCH, option_requirements
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
