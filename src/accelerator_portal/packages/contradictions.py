"""Finds values in vendors' files and `data/releases.yaml` that package indexes contradict."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from packaging.specifiers import SpecifierSet
from packaging.version import Version

from accelerator_portal.catalog import Catalog, Platform
from accelerator_portal.catalog.catalog import RELEASES
from accelerator_portal.catalog.files.package_file import PACKAGES, PYPI, IndexFacts, ReleaseFacts
from accelerator_portal.catalog.files.versions_file import Release, Wheel
from accelerator_portal.install.expand import Target
from accelerator_portal.packages.fitting_releases import (
    PluginIndex,
    admits,
    last_read_day,
    plugin_index,
    python_labels_on,
    torch_requirements,
)
from accelerator_portal.packages.portal_packages import (
    TORCH,
    option_requirements,
    release_line_number,
)
from accelerator_portal.packages.wheel_tags import runs_on, supports_python
from accelerator_reports.files.fields import exact_version
from accelerator_reports.files.problem import Problem
from accelerator_reports.files.yaml_file import Location

REMEDY = "correct the value, or add a note that explains why both are correct"

# Files may be uploaded some days before a release is announced, and wheels may be added later.
_MAX_DAYS_APART = 7


@dataclass(frozen=True)
class _IndexEvidence:
    """A platform, its plugin's package index (`own_index`), and what the index states (`facts`)."""

    catalog: Catalog
    platform: Platform
    own_index: PluginIndex
    facts: IndexFacts

    def citation(self, release: ReleaseFacts) -> str:
        """Return a citation of a release's facts: index, date of reading, file and line.

        For example, `PyPI, read 2026-11-21 (data/packages/torch-npu.json:7)`.
        """
        facts = self.catalog.packages[self.own_index.package]
        line = release_line_number(facts, self.own_index.index, release.version)
        return f"{self._index_text} ({PACKAGES}/{self.own_index.package}.json:{line})"

    @property
    def _index_text(self) -> str:
        name = "PyPI" if self.own_index.index == "pypi" else self.own_index.index
        return f"{name}, read {last_read_day(self.catalog, self.own_index)}"

    def missing_version_text(self, version: str) -> str | None:
        """Return a text that says that the index lacks `version`, or None if this is not certain.

        `version` is a version that the portal has not stored. Returns None if `version` is a
        pre-release or older than all stored releases, because the portal does not store all such
        versions.
        """
        oldest = min(Version(release.version) for release in self.facts.releases)
        if Version(version) < oldest or Version(version).is_prerelease:
            return None
        return f"{self._index_text}, has no {self.own_index.package} {version}"

    def release(self, version: str) -> ReleaseFacts | None:
        matches = (r for r in self.facts.releases if Version(r.version) == Version(version))
        return next(matches, None)


def contradictions(catalog: Catalog) -> Iterator[Problem]:
    """Yield a problem for each value in vendors' files that the plugin's index contradicts.

    The files are `compatibility.yaml` and `install.yaml`. Platforms whose index was never read are
    omitted. A fact that is unknown contradicts nothing, for example the torch requirement of a
    wheel whose metadata was not read.
    """
    for platform in catalog.platforms:
        own_index = plugin_index(catalog, platform)
        if own_index and own_index.facts and own_index.facts.releases:
            evidence = _IndexEvidence(catalog, platform, own_index, own_index.facts)
            yield from _row_problems(evidence)
            yield from _option_problems(evidence)


def _row_problems(evidence: _IndexEvidence) -> Iterator[Problem]:
    for row in evidence.platform.compatibility.rows:
        if row.plugin is None:
            continue
        for key, what in _row_contradictions(evidence, row.torch, row.plugin, row.python or ()):
            yield evidence.platform.record_problem(row, key, what, REMEDY)


def _row_contradictions(
    evidence: _IndexEvidence, torch: str, plugin: str, pythons: tuple[str, ...]
) -> Iterator[tuple[str, str]]:
    """Yield each key of a `compatibility.yaml` row that the index contradicts, with a message.

    `torch`, `plugin` and `pythons` are the values in the row. The message quotes what the row and
    what the index states.
    """
    release = evidence.release(plugin)
    if release is None:
        if what := evidence.missing_version_text(plugin):
            yield "plugin", f'this entry lists plugin "{plugin}", but {what}'
        return
    if release.yanked is not None:
        reason = f": {release.yanked}" if release.yanked else ""
        what = f'this entry lists plugin "{plugin}"'
        yield "plugin", f"{what}, but {evidence.citation(release)}, withdrew it{reason}"
    required = torch_requirements(release)
    if required and not any(admits(stated_text, torch) for stated_text in required.values()):
        stated_text = " and ".join(f'"{line}"' for line in sorted(set(required.values())))
        what = f'this entry lists plugin {plugin} for torch "{torch}"'
        yield (
            "torch",
            f"{what}, but {evidence.citation(release)}, says that it requires {stated_text}",
        )
    labels = [label for stated_text in release.wheels.values() for label in stated_text.split()]
    missing = [python for python in pythons if not supports_python(labels, python)]
    if missing and not release.sdist:
        what = f'this entry lists Python "{", ".join(missing)}" for plugin {plugin}'
        tags_text = " ".join(sorted(set(labels)))
        yield "python", f"{what}, but {evidence.citation(release)}, has wheels only for {tags_text}"


def _option_problems(evidence: _IndexEvidence) -> Iterator[Problem]:
    """Yield problems of install options that pin a plugin release.

    An option has a problem if the index lacks the release. It also has a problem if the release has
    no file for a system or Python version that the option offers. Each message is yielded once per
    option.
    """
    for position, option in enumerate(evidence.platform.install.options):
        contradiction_texts = (
            what
            for target, pin in option_requirements(evidence.catalog, evidence.platform, option)
            if pin.package == evidence.own_index.package
            for what in _pin_contradictions(evidence, target, pin.requirement.specifier)
        )
        for what in dict.fromkeys(contradiction_texts):
            location: Location = ("options", position, "steps")
            yield evidence.platform.problem("install.yaml", location, what, REMEDY)


def _pin_contradictions(
    evidence: _IndexEvidence, target: Target, specifier: SpecifierSet
) -> Iterator[str]:
    version = exact_version(specifier)
    if version is None:
        return
    release = evidence.release(version)
    if release is None:
        if what := evidence.missing_version_text(version):
            yield f'the option installs "{evidence.own_index.package}{specifier}", but {what}'
        return
    labels = python_labels_on(release, target.os, target.arch)
    if release.sdist:
        return
    system = f"{target.os} {target.arch}"
    if not labels:
        yield (
            f"the option offers {evidence.own_index.package} {version} on {system}, "
            f"but {evidence.citation(release)}, has no wheel for it"
        )
        return
    missing = [python for python in target.pythons if not supports_python(labels, python)]
    if missing:
        yield (
            f"the option offers {evidence.own_index.package} {version} on {system} with "
            f"Python {', '.join(missing)}, but {evidence.citation(release)}, "
            f"has wheels only for {' '.join(sorted(set(labels)))}"
        )


def torch_contradictions(catalog: Catalog) -> Iterator[Problem]:
    """Yield a problem for each value in `data/releases.yaml` that PyPI contradicts."""
    facts = catalog.packages.get(TORCH)
    on_pypi = facts.on(PYPI) if facts else None
    if facts is None or on_pypi is None:
        return
    facts_by_version = {Version(release.version): release for release in on_pypi.releases}
    for position, release in enumerate(catalog.releases.releases):
        pypi_facts = facts_by_version.get(Version(release.version))
        if pypi_facts is None:
            continue
        citation = (
            f"PyPI ({PACKAGES}/{TORCH}.json:{release_line_number(facts, PYPI, pypi_facts.version)})"
        )
        for location, what in _release_contradictions(release, pypi_facts, citation):
            line = catalog.files[RELEASES].line(("releases", position, *location))
            yield Problem(RELEASES, line, what, REMEDY)


def _release_contradictions(
    release: Release, pypi_facts: ReleaseFacts, citation: str
) -> Iterator[tuple[tuple[str | int, ...], str]]:
    if pypi_facts.date and abs((pypi_facts.date - release.date).days) > _MAX_DAYS_APART:
        what = f'the release is dated "{release.date}"'
        what = f"{what}, but {citation} has its files from {pypi_facts.date}"
        yield ("date",), what
    for number, wheel in enumerate(release.wheels):
        if wheel.on == PYPI:
            for what in _wheel_contradictions(release, wheel, pypi_facts, citation):
                yield ("wheels", number), what


def _wheel_contradictions(
    release: Release, wheel: Wheel, pypi_facts: ReleaseFacts, citation: str
) -> Iterator[str]:
    for arch in wheel.arch:
        build_text = f'"{wheel.variant}" for {wheel.os} {arch} on PyPI'
        labels = python_labels_on(pypi_facts, wheel.os, arch)
        if not labels:
            what = f"torch {release.version} is listed as {build_text}"
            yield f"{what}, but {citation} has no such wheel"
            continue
        pythons = wheel.python or release.python
        missing = [python for python in pythons if not supports_python(labels, python)]
        if missing:
            yield (
                f"torch {release.version} is listed as {build_text} for Python "
                f"{', '.join(missing)}, but {citation} has wheels only for {' '.join(labels)}"
            )
        cuda = {v for tag, v in pypi_facts.cuda.items() if runs_on(tag, wheel.os, arch)}
        for version in sorted(cuda):
            if wheel.variant != f"cu{version.replace('.', '')}":
                yield (
                    f"torch {release.version} is listed as {build_text}, "
                    f"but {citation} says that the wheel requires CUDA {version}"
                )
