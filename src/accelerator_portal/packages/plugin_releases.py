"""Plugin releases that an index has and `compatibility.yaml` does not list, with the rows to add.

The metadata of a release proves its torch requirement, its Python versions and its systems. What it
does not state, such as the SDK version, becomes a question to the vendor.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from accelerator_portal.catalog import Catalog, Platform
from accelerator_portal.catalog.compatibility_file import CompatibilityRow
from accelerator_portal.catalog.package_file import ReleaseFacts
from accelerator_portal.packages.fitting import home, usable
from accelerator_portal.packages.plugin_pythons import python_note, pythons, systems
from accelerator_portal.packages.plugin_torch import TorchEvidence, torch_evidence
from accelerator_portal.packages.release_lag import read_on

SOURCE_ID = "package"
"""The source id in proposals; the edit replaces it by the id that the file declares."""

# A line has at most 400 characters, and metadata may name more requirements.
_MOST_NOTE = 390


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
        """The package with its version."""
        return f"{self.package} {self.facts.version}"


@dataclass(frozen=True, slots=True)
class VendorAnswers:
    """What a person states beside the metadata, with the ids of the sources that say so."""

    torch: str | None = None
    needs: Mapping[str, str] = field(default_factory=dict)
    includes: Mapping[str, str] = field(default_factory=dict)
    variant: str | None = None
    sources: tuple[str, ...] = ()

    @property
    def given(self) -> bool:
        """Whether anything is stated."""
        return bool(self.torch or self.needs or self.includes or self.variant)


@dataclass(frozen=True, slots=True)
class VendorQuestion:
    """A value that metadata cannot state, and how the newest row that has it writes it."""

    name: str
    example: str


@dataclass(frozen=True, slots=True)
class RowProposal:
    """The row that metadata proves for a release; None where no torch version is proved.

    `questions` name what only the vendor can state.
    """

    release: PluginRelease
    evidence: TorchEvidence
    row: CompatibilityRow | None
    systems: tuple[str, ...]
    questions: tuple[VendorQuestion, ...]


def new_releases(catalog: Catalog, platform: Platform) -> tuple[PluginRelease, ...]:
    """Return the final releases that no row lists, the newest first.

    Releases older than every row were left out when the rows were written. Where no row names a
    plugin version, only the newest release is new.
    """
    named = {Version(row.plugin) for row in platform.compatibility.rows if row.plugin}
    found = releases(catalog, platform)
    if not named:
        return found[:1]
    oldest = min(named)
    versions = ((release, Version(release.facts.version)) for release in found)
    return tuple(r for r, version in versions if version not in named and version > oldest)


def releases(catalog: Catalog, platform: Platform) -> tuple[PluginRelease, ...]:
    """Return every final release that the platform's index offers, the newest first."""
    place = home(catalog, platform)
    read = read_on(catalog, place) if place else None
    if place is None or place.facts is None or read is None:
        return ()
    final = (r for r in usable(place.facts.releases) if not Version(r.version).is_prerelease)
    return tuple(PluginRelease(platform.id, place.package, place.index, r, read) for r in final)


def proposal(
    catalog: Catalog,
    platform: Platform,
    release: PluginRelease,
    answers: VendorAnswers = VendorAnswers(),
) -> RowProposal:
    """Return the row that the metadata of a release proves, and what the vendor has to add."""
    evidence = torch_evidence(catalog, platform, release.facts)
    if answers.torch and not evidence.torch:
        evidence = replace(evidence, torch=answers.torch)
    row = _row(catalog, platform, release, evidence, answers) if evidence.torch else None
    questions = tuple(_questions(platform, evidence, row))
    return RowProposal(release, evidence, row, systems(release.facts), questions)


def _row(
    catalog: Catalog,
    platform: Platform,
    release: PluginRelease,
    evidence: TorchEvidence,
    answers: VendorAnswers,
) -> CompatibilityRow:
    found = pythons(catalog, release.facts, evidence.torch)
    notes = " ".join(filter(None, (evidence.note, python_note(catalog, release.facts, found))))
    needs = _required(release.facts, _stated(platform, "needs"))
    includes = _required(release.facts, _stated(platform, "includes"))
    fields = {
        "torch": evidence.torch,
        "plugin": release.facts.version,
        "variant": answers.variant,
        "python": found or None,
        "needs": {**needs, **answers.needs},
        "includes": {**includes, **answers.includes},
        "note": f"{notes[:_MOST_NOTE]}…" if len(notes) > _MOST_NOTE else notes or None,
        "source": [SOURCE_ID, *evidence.sources, *answers.sources],
    }
    return CompatibilityRow.model_validate(fields)


def _questions(
    platform: Platform, evidence: TorchEvidence, row: CompatibilityRow | None
) -> Iterator[VendorQuestion]:
    if not evidence.torch:
        yield VendorQuestion("torch version", 'torch: "2.14.0"')
    if row and row.python is None:
        yield VendorQuestion("Python versions", 'python: ["3.12", "3.13"]')
    answered = {*row.needs, *row.includes} if row else set()
    for kind in ("needs", "includes"):
        for name, version in sorted(_stated(platform, kind).items()):
            if name not in answered:
                yield VendorQuestion(f"{name} version", f'{kind}: {{"{name}": "{version}"}}')
    rows = platform.compatibility.rows
    variant = next((known.variant for known in rows if known.variant), None)
    if variant and not (row and row.variant):
        yield VendorQuestion("variant", f"variant: {variant}")
    if lifecycle := next((known.lifecycle for known in rows if known.lifecycle), None):
        yield VendorQuestion("lifecycle status", f'lifecycle: {{status: "{lifecycle.status}"}}')


def _stated(platform: Platform, kind: str) -> Mapping[str, str]:
    """What the newest row that states anything of this kind names, with its versions."""
    stated: Iterator[Mapping[str, str]] = (
        getattr(row, kind) for row in platform.compatibility.rows
    )
    return next(filter(None, stated), {})


def _required(release: ReleaseFacts, names: Iterable[str]) -> dict[str, str]:
    """Return the versions of what rows name, as far as the release requires it by that name."""
    lines = {line for said in release.requires.values() for line in said}
    wanted = {canonicalize_name(name): name for name in names}
    found: dict[str, set[str]] = {}
    for line in lines:
        try:
            requirement = Requirement(line)
        except InvalidRequirement:
            continue
        name = wanted.get(canonicalize_name(requirement.name))
        if name and requirement.specifier:
            found.setdefault(name, set()).add(_version(str(requirement.specifier)))
    return {name: said.pop() for name, said in sorted(found.items()) if len(said) == 1}


def _version(specifier: str) -> str:
    exact = specifier.startswith("==") and "," not in specifier and "*" not in specifier
    return specifier.removeprefix("==") if exact else specifier
