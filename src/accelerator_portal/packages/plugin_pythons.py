"""Python versions and systems for which a release has wheels."""

from __future__ import annotations

from itertools import product
from typing import get_args

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import Version

from accelerator_portal.catalog import Catalog
from accelerator_portal.catalog.fields import Arch, Os
from accelerator_portal.catalog.package_file import ReleaseFacts
from accelerator_portal.install.labels import OS
from accelerator_portal.packages.fitting import labels_on
from accelerator_portal.packages.wheel_tags import serves_python

_SYSTEMS: tuple[Os, ...] = get_args(Os)
_ARCHES: tuple[Arch, ...] = ("x86_64", "aarch64", "s390x", "ppc64le", "riscv64")


def systems(release: ReleaseFacts) -> tuple[str, ...]:
    """Return the systems that have wheels: `Linux x86_64`; "any system" for pure Python."""
    found = tuple(_labels(release))
    return ("any system",) if len(found) == len(_SYSTEMS) * len(_ARCHES) else found


def pythons(catalog: Catalog, release: ReleaseFacts, torch: str | None) -> list[str]:
    """Return the Python versions that have a wheel on every system, and that torch supports."""
    labels = _labels(release)
    return [
        python
        for python in _candidates(catalog, release, torch)
        if labels and all(serves_python(found, python) for found in labels.values())
    ]


def python_note(catalog: Catalog, release: ReleaseFacts, everywhere: list[str]) -> str | None:
    """Return a sentence about Python versions that have wheels on some systems only."""
    sentences = []
    for python in _candidates(catalog, release, None):
        where = [name for name, found in _labels(release).items() if serves_python(found, python)]
        if where and len(where) < len(_labels(release)) and python not in everywhere:
            sentences.append(f"Python {python} has wheels for {', '.join(where)} only.")
    return " ".join(sentences) or None


def _labels(release: ReleaseFacts) -> dict[str, list[str]]:
    """The Python labels of the wheels, by system."""
    return {
        f"{OS[os]} {arch}": found
        for os, arch in product(_SYSTEMS, _ARCHES)
        if (found := labels_on(release, os, arch))
    }


def _candidates(catalog: Catalog, release: ReleaseFacts, torch: str | None) -> list[str]:
    known = {p for found in catalog.releases.releases for p in found.python}
    of_torch = next((r.python for r in catalog.releases.releases if r.version == torch), None)
    wanted = set(of_torch) if of_torch else known
    return sorted((p for p in wanted if _asked(release, p)), key=_order)


def _asked(release: ReleaseFacts, python: str) -> bool:
    """Whether the release's own Python range has the version."""
    try:
        return SpecifierSet(release.python or "").contains(f"{python.removesuffix('t')}.99")
    except InvalidSpecifier:
        return True


def _order(python: str) -> tuple[Version, bool]:
    return Version(python.removesuffix("t")), python.endswith("t")
