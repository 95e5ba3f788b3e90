"""Finds contradictions between files of the repository and package indexes, and quotes both."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from packaging.version import Version

from accelerator_portal.catalog import Catalog, Platform, Problem
from accelerator_portal.catalog.catalog import RELEASES
from accelerator_portal.catalog.files.package_file import PACKAGES, PYPI, IndexFacts, ReleaseFacts
from accelerator_portal.catalog.files.releases_file import Release, Wheel
from accelerator_portal.catalog.yaml_file import Location
from accelerator_portal.install.targets import Target
from accelerator_portal.packages.facts_text import line_of
from accelerator_portal.packages.fitting import (
    Home,
    admits,
    home,
    labels_on,
    read_on,
    torch_requirements,
)
from accelerator_portal.packages.portal_packages import TORCH, option_requirements
from accelerator_portal.packages.wheel_tags import runs_on, serves_python

REMEDY = "correct the value, or add a note that explains why both are correct"


@dataclass(frozen=True)
class _Known:
    """A platform with its plugin's package index (`home`) and the facts of this index."""

    catalog: Catalog
    platform: Platform
    home: Home
    facts: IndexFacts

    def says(self, release: ReleaseFacts) -> str:
        """Return a citation of a release's facts: index, date of reading, file and line.

        For example, `PyPI, read 2026-11-21 (data/packages/torch-npu.json:7)`.
        """
        facts = self.catalog.packages[self.home.package]
        line = line_of(facts, self.home.index, release.version)
        return f"{self._index} ({PACKAGES}/{self.home.package}.json:{line})"

    @property
    def _index(self) -> str:
        name = "PyPI" if self.home.index == "pypi" else self.home.index
        return f"{name}, read {read_on(self.catalog, self.home)}"

    def missing(self, version: str) -> str | None:
        """Return a text that says that the index lacks a version, or None if this is unknown.

        `version` is not one of the stored releases. The portal stores only the newest releases:
        whether the index has a pre-release or a version older than the stored ones is unknown.
        """
        oldest = min(Version(release.version) for release in self.facts.releases)
        if Version(version) < oldest or Version(version).is_prerelease:
            return None
        return f"{self._index}, has no {self.home.package} {version}"

    def release(self, version: str) -> ReleaseFacts | None:
        found = (r for r in self.facts.releases if Version(r.version) == Version(version))
        return next(found, None)


def contradictions(catalog: Catalog) -> Iterator[Problem]:
    """Yield a problem for each value in vendors' files that the plugin's index contradicts.

    The files are `compatibility.yaml` and `install.yaml`. Platforms whose index was never read are
    omitted. A fact that is unknown contradicts nothing, for example the torch requirement of a
    wheel whose metadata was not read.
    """
    for platform in catalog.platforms:
        found = home(catalog, platform)
        if found and found.facts and found.facts.releases:
            known = _Known(catalog, platform, found, found.facts)
            yield from _rows(known)
            yield from _options(known)


def _rows(known: _Known) -> Iterator[Problem]:
    for place, row in enumerate(known.platform.compatibility.rows):
        if row.plugin is None:
            continue
        for key, what in _row(known, row.torch, row.plugin, row.python or ()):
            location: Location = ("rows", place, key)
            yield known.platform.problem("compatibility.yaml", location, what, REMEDY)


def _row(
    known: _Known, torch: str, plugin: str, pythons: tuple[str, ...]
) -> Iterator[tuple[str, str]]:
    """Yield each key of a `compatibility.yaml` row that the index contradicts, with a message.

    `torch`, `plugin` and `pythons` are the values in the row. The message quotes both statements.
    """
    release = known.release(plugin)
    if release is None:
        if what := known.missing(plugin):
            yield "plugin", f'this entry lists plugin "{plugin}", but {what}'
        return
    if release.yanked is not None:
        why = f": {release.yanked}" if release.yanked else ""
        what = f'this entry lists plugin "{plugin}", but {known.says(release)}, withdrew it{why}'
        yield "plugin", what
    required = torch_requirements(release)
    if required and not any(admits(said, torch) for said in required.values()):
        said = " and ".join(f'"{line}"' for line in sorted(set(required.values())))
        what = f'this entry lists plugin {plugin} for torch "{torch}"'
        yield "torch", f"{what}, but {known.says(release)}, says that it requires {said}"
    labels = [label for said in release.wheels.values() for label in said.split()]
    lacking = [python for python in pythons if not serves_python(labels, python)]
    if lacking and not release.sdist:
        what = f'this entry lists Python "{", ".join(lacking)}" for plugin {plugin}'
        has = " ".join(sorted(set(labels)))
        yield "python", f"{what}, but {known.says(release)}, has wheels only for {has}"


def _options(known: _Known) -> Iterator[Problem]:
    """Yield a problem for each install option that pins a plugin release the index lacks.

    Also yields a problem if the release has no source archive, and no wheel for a system or Python
    version that the option offers. Each message is yielded once per option.
    """
    for place, option in enumerate(known.platform.install.options):
        found = (
            what
            for target, named in option_requirements(known.catalog, known.platform, option)
            if named.package == known.home.package
            for what in _pinned(known, target, str(named.requirement.specifier))
        )
        for what in dict.fromkeys(found):
            location: Location = ("options", place, "steps")
            yield known.platform.problem("install.yaml", location, what, REMEDY)


def _pinned(known: _Known, target: Target, specifier: str) -> Iterator[str]:
    if not specifier.startswith("==") or "*" in specifier or "," in specifier:
        return
    version = specifier.removeprefix("==")
    release = known.release(version)
    if release is None:
        if what := known.missing(version):
            yield f'the option installs "{known.home.package}{specifier}", but {what}'
        return
    labels = labels_on(release, target.os, target.arch)
    if release.sdist:
        return
    wanted = f"{target.os} {target.arch}"
    if not labels:
        yield (
            f"the option offers {known.home.package} {version} on {wanted}, "
            f"but {known.says(release)}, has no wheel for it"
        )
        return
    lacking = [python for python in target.pythons if not serves_python(labels, python)]
    if lacking:
        yield (
            f"the option offers {known.home.package} {version} on {wanted} with "
            f"Python {', '.join(lacking)}, but {known.says(release)}, "
            f"has wheels only for {' '.join(sorted(set(labels)))}"
        )


# Files may be uploaded some days before a release is announced, and wheels may be added later.
_MOST_DAYS = 7


def torch_contradictions(catalog: Catalog) -> Iterator[Problem]:
    """Yield a problem for each value in `data/releases.yaml` that PyPI contradicts."""
    facts = catalog.packages.get(TORCH)
    on_pypi = facts.on(PYPI) if facts else None
    if facts is None or on_pypi is None:
        return
    known = {Version(release.version): release for release in on_pypi.releases}
    for place, release in enumerate(catalog.releases.releases):
        found = known.get(Version(release.version))
        if found is None:
            continue
        where = f"PyPI ({PACKAGES}/{TORCH}.json:{line_of(facts, PYPI, found.version)})"
        for at, what in _compared(release, found, where):
            line = catalog.files[RELEASES].line(("releases", place, *at))
            yield Problem(RELEASES, line, what, REMEDY)


def _compared(
    release: Release, found: ReleaseFacts, where: str
) -> Iterator[tuple[tuple[str | int, ...], str]]:
    if found.date and abs((found.date - release.date).days) > _MOST_DAYS:
        what = f'the release is dated "{release.date}", but {where} has its files from {found.date}'
        yield ("date",), what
    for number, wheel in enumerate(release.wheels):
        if wheel.on == PYPI:
            for what in _wheel(release, wheel, found, where):
                yield ("wheels", number), what


def _wheel(release: Release, wheel: Wheel, found: ReleaseFacts, where: str) -> Iterator[str]:
    for arch in wheel.arch:
        named = f'"{wheel.variant}" for {wheel.os} {arch} on PyPI'
        labels = labels_on(found, wheel.os, arch)
        if not labels:
            yield f"torch {release.version} is listed as {named}, but {where} has no such wheel"
            continue
        pythons = wheel.python or release.python
        lacking = [python for python in pythons if not serves_python(labels, python)]
        if lacking:
            yield (
                f"torch {release.version} is listed as {named} for Python "
                f"{', '.join(lacking)}, but {where} has wheels only for {' '.join(labels)}"
            )
        cuda = {v for tag, v in found.cuda.items() if runs_on(tag, wheel.os, arch)}
        for version in sorted(cuda):
            if wheel.variant != f"cu{version.replace('.', '')}":
                yield (
                    f"torch {release.version} is listed as {named}, "
                    f"but {where} says that the wheel requires CUDA {version}"
                )
