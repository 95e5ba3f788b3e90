"""Finds plugin releases that `compatibility.yaml` does not list, and drafts their rows.

The metadata of a release states its torch requirement, its Python versions and its systems. Each
value that it does not state, such as the SDK version, becomes a question to the vendor.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import Version

from accelerator_portal.catalog import Catalog, Platform
from accelerator_portal.catalog.files.package_file import ReleaseFacts
from accelerator_portal.catalog.files.versions_file import CompatibilityRow
from accelerator_portal.install.rows import OS_LABELS
from accelerator_portal.packages.fitting_releases import (
    SYSTEMS,
    admits,
    last_read_day,
    plugin_index,
    python_labels_on,
    torch_requirements,
    usable_releases,
)
from accelerator_portal.packages.wheel_tags import ordered_pythons, supports_python
from accelerator_reports.files.fields import exact_version

SOURCE_ID = "package"
"""A placeholder id, with which a proposed row cites the package's metadata as its source.

`compatibility_edit.with_row` replaces it with the id of this source in `compatibility.yaml`."""

# A line has at most 400 characters, and metadata may name more requirements.
_MAX_NOTE_LENGTH = 390

# `==2.15.0.*` allows only the release and its post-releases.
_POST_RELEASES = re.compile(r"==([0-9]+\.[0-9]+\.[0-9]+)\.\*")


@dataclass(frozen=True, slots=True)
class TorchEvidence:
    """The torch release that a plugin release is for, with the evidence.

    `torch` is None if the torch release is unknown. `required` has the distinct torch requirements
    in the plugin's metadata. If the metadata does not state the torch release, `sources` has the
    ids of the sources in `compatibility.yaml` that state it. `note` explains how `torch` was
    derived from a range of versions or from the vendor's version rule; otherwise it is None.
    """

    torch: str | None
    required: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    note: str | None = None


def torch_evidence(catalog: Catalog, platform: Platform, release: ReleaseFacts) -> TorchEvidence:
    """Return the torch release that a plugin release is for, and the sources for it."""
    requirements = tuple(sorted(set(torch_requirements(release).values())))
    versioned = [line for line in requirements if Requirement(line).specifier]
    if versioned:
        return _evidence_from_metadata(catalog, requirements, versioned)
    return _evidence_from_pattern(catalog, platform, release, requirements)


def _evidence_from_metadata(
    catalog: Catalog, requirements: tuple[str, ...], versioned: list[str]
) -> TorchEvidence:
    exact_versions = {_exact_torch_version(line) for line in versioned}
    if len(exact_versions) == 1 and (torch := exact_versions.pop()):
        return TorchEvidence(torch, requirements)
    versions = [release.version for release in catalog.releases.releases]
    fitting = [torch for torch in versions if all(admits(line, torch) for line in versioned)]
    if not fitting:
        return TorchEvidence(None, requirements)
    quoted = " and ".join(f'"{line}"' for line in versioned)
    note = f"The metadata requires {quoted}. {fitting[0]} is the newest PyTorch release that fits."
    return TorchEvidence(fitting[0], requirements, (), note)


def _exact_torch_version(line: str) -> str | None:
    specifier = Requirement(line).specifier
    match = _POST_RELEASES.fullmatch(str(specifier))
    version = match[1] if match else exact_version(specifier)
    return Version(version).public if version else None  # `+cpu` is a build of the same release


def _evidence_from_pattern(
    catalog: Catalog, platform: Platform, release: ReleaseFacts, requirements: tuple[str, ...]
) -> TorchEvidence:
    pattern = platform.compatibility.version_pattern
    versions = [torch_release.version for torch_release in catalog.releases.releases]
    if pattern is None:
        return TorchEvidence(None, requirements)
    matching = [t for t in versions if pattern.covers(t) and pattern.admits(release.version, t)]
    if not matching:
        return TorchEvidence(None, requirements)
    # Several patch releases can follow the pattern: use the same version, or else the first one.
    torch = release.version if release.version in matching else min(matching, key=Version)
    note = "The metadata names no torch version. The vendor's version rule gives this version."
    return TorchEvidence(torch, requirements, pattern.source, note)


def wheel_systems(release: ReleaseFacts) -> tuple[str, ...]:
    """Return the systems for which a release has wheels, such as `Linux x86_64`.

    If the release has wheels for all of SYSTEMS, returns `("any system",)`.
    """
    systems = tuple(_python_labels_by_system(release))
    return ("any system",) if len(systems) == len(SYSTEMS) else systems


def pythons_on_every_system(
    catalog: Catalog, release: ReleaseFacts, torch: str | None
) -> list[str]:
    """Return the Python versions with a wheel on every system for which the release has wheels.

    The oldest version comes first. Python versions that the release's Python range excludes, or
    that the torch release does not support, are omitted.
    """
    labels = _python_labels_by_system(release).values()
    return [
        python
        for python in _candidate_pythons(catalog, release, torch)
        if labels and all(supports_python(system_labels, python) for system_labels in labels)
    ]


def _python_note(catalog: Catalog, release: ReleaseFacts) -> str | None:
    """Return a note about Python versions that have wheels on some systems only, or None."""
    labels_by_system = _python_labels_by_system(release)
    sentences = []
    for python in _candidate_pythons(catalog, release, None):
        systems = [
            system for system, labels in labels_by_system.items() if supports_python(labels, python)
        ]
        if 0 < len(systems) < len(labels_by_system):
            sentences.append(f"For Python {python} there are wheels for {', '.join(systems)} only.")
    return " ".join(sentences) or None


def _python_labels_by_system(release: ReleaseFacts) -> dict[str, list[str]]:
    """Return the wheels' Python labels, such as `cp312`, by system, such as `Linux x86_64`."""
    return {
        f"{OS_LABELS[os]} {arch}": labels
        for os, arch in SYSTEMS
        if (labels := python_labels_on(release, os, arch))
    }


def _candidate_pythons(catalog: Catalog, release: ReleaseFacts, torch: str | None) -> list[str]:
    """Return the Python versions of the torch release that the plugin's Python range includes.

    If `torch` is None or no known release, returns the versions of all torch releases.
    """
    known_release = catalog.releases.by_version.get(torch or "")
    releases = [known_release] if known_release else catalog.releases.releases
    pythons = ordered_pythons(python for known in releases for python in known.python)
    return [python for python in pythons if _python_range_includes(release, python)]


def _python_range_includes(release: ReleaseFacts, python: str) -> bool:
    """Return whether the release's Python range includes a version; true without a valid range."""
    try:
        return SpecifierSet(release.python or "").contains(f"{python.removesuffix('t')}.99")
    except InvalidSpecifier:
        return True


@dataclass(frozen=True, slots=True)
class PluginRelease:
    """A release of a platform's package on its index, and the day on which the index was read."""

    platform: str
    package: str
    index: str
    facts: ReleaseFacts
    read: dt.date

    @property
    def name(self) -> str:
        """The package with its version, such as `torch-npu 2.9.0`."""
        return f"{self.package} {self.facts.version}"


@dataclass(frozen=True, slots=True)
class VendorAnswers:
    """Values of a new row of `compatibility.yaml` that a person states in addition to the metadata.

    `sources` are the ids of the sources in `compatibility.yaml` that state these values.
    """

    torch: str | None = None
    needs: Mapping[str, str] = field(default_factory=dict)
    includes: Mapping[str, str] = field(default_factory=dict)
    variant: str | None = None
    sources: tuple[str, ...] = ()

    @property
    def given(self) -> bool:
        """Whether any value is stated."""
        return bool(self.torch or self.needs or self.includes or self.variant)


@dataclass(frozen=True, slots=True)
class VendorQuestion:
    """A question to the vendor about a value of a new row of `compatibility.yaml`.

    `name` is the value's name, such as `variant` or `torch version`. `example` is an example of the
    line that states the value.
    """

    name: str
    example: str


@dataclass(frozen=True, slots=True)
class RowProposal:
    """A proposed row of `compatibility.yaml` for a plugin release.

    `row` has the values that the metadata or a person states; it is None if the torch version is
    unknown. `evidence` says where the torch version is stated. `systems` are the systems for which
    the release has wheels. `questions` are about values that only the vendor can state.
    """

    release: PluginRelease
    evidence: TorchEvidence
    row: CompatibilityRow | None
    systems: tuple[str, ...]
    questions: tuple[VendorQuestion, ...]


def new_releases(catalog: Catalog, platform: Platform) -> tuple[PluginRelease, ...]:
    """Return the final plugin releases that no row of `compatibility.yaml` lists, newest first.

    Releases older than the oldest listed one are omitted. If no row names a plugin version, only
    the newest release is returned.
    """
    listed_versions = {Version(row.plugin) for row in platform.compatibility.rows if row.plugin}
    all_releases = final_plugin_releases(catalog, platform)
    if not listed_versions:
        return all_releases[:1]
    oldest = min(listed_versions)
    versions = ((release, Version(release.facts.version)) for release in all_releases)
    return tuple(
        r for r, version in versions if version not in listed_versions and version > oldest
    )


def final_plugin_releases(catalog: Catalog, platform: Platform) -> tuple[PluginRelease, ...]:
    """Return the final releases of a platform's plugin on its index, newest first.

    Omits yanked releases, and those whose facts are not stored. Empty if the index was never read.
    """
    own_index = plugin_index(catalog, platform)
    read_day = last_read_day(catalog, own_index) if own_index else None
    if own_index is None or own_index.facts is None or read_day is None:
        return ()
    final = (
        r for r in usable_releases(own_index.facts.releases) if not Version(r.version).is_prerelease
    )
    return tuple(
        PluginRelease(platform.id, own_index.package, own_index.index, r, read_day) for r in final
    )


def proposal(
    catalog: Catalog,
    platform: Platform,
    release: PluginRelease,
    answers: VendorAnswers = VendorAnswers(),
) -> RowProposal:
    """Return the row that the metadata and `answers` state, and the questions to the vendor.

    `answers.torch` is used only if no torch version can be derived.
    """
    evidence = torch_evidence(catalog, platform, release.facts)
    if answers.torch and not evidence.torch:
        evidence = replace(evidence, torch=answers.torch)
    row = (
        _compatibility_row(catalog, platform, release, evidence, answers)
        if evidence.torch
        else None
    )
    questions = tuple(_vendor_questions(platform, evidence, row))
    return RowProposal(release, evidence, row, wheel_systems(release.facts), questions)


def _compatibility_row(
    catalog: Catalog,
    platform: Platform,
    release: PluginRelease,
    evidence: TorchEvidence,
    answers: VendorAnswers,
) -> CompatibilityRow:
    pythons = pythons_on_every_system(catalog, release.facts, evidence.torch)
    notes = " ".join(filter(None, (evidence.note, _python_note(catalog, release.facts))))
    needs = _required_versions(release.facts, _newest_stated_versions(platform, "needs"))
    includes = _required_versions(release.facts, _newest_stated_versions(platform, "includes"))
    fields = {
        "torch": evidence.torch,
        "plugin": release.facts.version,
        "variant": answers.variant,
        "python": pythons or None,
        "needs": {**needs, **answers.needs},
        "includes": {**includes, **answers.includes},
        "note": f"{notes[:_MAX_NOTE_LENGTH]}…" if len(notes) > _MAX_NOTE_LENGTH else notes or None,
        "source": [SOURCE_ID, *evidence.sources, *answers.sources],
    }
    return CompatibilityRow.model_validate(fields)


def _vendor_questions(
    platform: Platform, evidence: TorchEvidence, row: CompatibilityRow | None
) -> Iterator[VendorQuestion]:
    if not evidence.torch:
        yield VendorQuestion("torch version", 'torch: "2.14.0"')
    if row and row.python is None:
        yield VendorQuestion("Python versions", 'python: ["3.12", "3.13"]')
    answered_names = {*row.needs, *row.includes} if row else set()
    for kind in ("needs", "includes"):
        for name, version in sorted(_newest_stated_versions(platform, kind).items()):
            if name not in answered_names:
                yield VendorQuestion(f"{name} version", f'{kind}: {{"{name}": "{version}"}}')
    rows = platform.compatibility.rows
    variant = next((known_row.variant for known_row in rows if known_row.variant), None)
    if variant and not (row and row.variant):
        yield VendorQuestion("variant", f"variant: {variant}")
    if lifecycle := next((known_row.lifecycle for known_row in rows if known_row.lifecycle), None):
        yield VendorQuestion("lifecycle status", f'lifecycle: {{status: "{lifecycle.status}"}}')


def _newest_stated_versions(platform: Platform, kind: str) -> Mapping[str, str]:
    """Return the newest software versions in `compatibility.yaml`, by software name.

    These are the versions under the key `kind`, which is `needs` or `includes`, in the newest row
    that has this key. The mapping is empty if no row has it.
    """
    row_versions: Iterator[Mapping[str, str]] = (
        getattr(row, kind) for row in platform.compatibility.rows
    )
    return next(filter(None, row_versions), {})


def _required_versions(release: ReleaseFacts, names: Iterable[str]) -> dict[str, str]:
    """Return the versions of the packages `names` that a release requires, by name.

    For `triton==3.5.0` the value is `3.5.0`. For any other requirement, it is the specifier, such
    as `>=3.5`. A package is omitted if the release does not require it, or if the requirement
    differs between systems.
    """
    lines = {line for stated_values in release.requires.values() for line in stated_values}
    name_by_package = {canonicalize_name(name): name for name in names}
    versions_by_name: dict[str, set[str]] = {}
    for line in lines:
        try:
            requirement = Requirement(line)
        except InvalidRequirement:
            continue
        name = name_by_package.get(canonicalize_name(requirement.name))
        if name and requirement.specifier:
            version = exact_version(requirement.specifier) or str(requirement.specifier)
            versions_by_name.setdefault(name, set()).add(version)
    return {
        name: stated_values.pop()
        for name, stated_values in sorted(versions_by_name.items())
        if len(stated_values) == 1
    }
