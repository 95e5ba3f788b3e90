"""Checks that facts of folders refer to known entries and do not contradict each other."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence
from itertools import combinations

from packaging.specifiers import SpecifierSet
from packaging.version import Version

from accelerator_portal.catalog import Catalog, Platform, Problem
from accelerator_portal.catalog.fields import version_or_none
from accelerator_portal.catalog.files.compatibility_file import CompatibilityRow
from accelerator_portal.catalog.files.hardware import BuildSupport, HardwareModel
from accelerator_portal.catalog.problem import did_you_mean
from accelerator_portal.catalog.yaml_file import Location
from accelerator_portal.checks.rule import rule
from accelerator_portal.install.expand import rows_by_platform
from accelerator_portal.install.limits import lower_bound
from accelerator_portal.install.rows import PREVIEW, InstallRow
from accelerator_portal.packages.contradictions import contradictions as index_contradictions
from accelerator_portal.packages.contradictions import torch_contradictions

_ACCELERATOR_FILE = "accelerator.yaml"


@rule()
def hardware_references(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """Variants and FAQ questions in `accelerator.yaml` exist, and no hardware is listed twice.

    Variants are listed in `install.yaml`, and questions are headings of `faq.md`.
    """
    for platform in catalog.platforms:
        yield from _unknown_variants(platform)
        yield from _unknown_questions(platform)
        yield from _duplicate_generations(platform)
        yield from _duplicate_models(platform)
        yield from _duplicate_instances(platform)


def _unknown_variants(platform: Platform) -> Iterator[Problem]:
    variants = [variant.id for variant in platform.install.variants]
    for at, generation in platform.generations():
        for number, build in enumerate(generation.builds):
            for name in build.variants or ():
                if name not in variants:
                    location = (*at, "builds", number, "variants")
                    what = f'the variant "{name}" is not listed in install.yaml'
                    yield platform.problem(
                        _ACCELERATOR_FILE, location, what, did_you_mean(name, variants)
                    )


def _unknown_questions(platform: Platform) -> Iterator[Problem]:
    known = [section.title for section in platform.faq.sections]
    named: list[tuple[Location, str | None]] = [
        (("operating_systems", place, "question"), system.question)
        for place, system in enumerate(platform.accelerator.operating_systems)
    ]
    named += [
        ((*at, "other_builds", "question"), builds.question)
        for at, generation in platform.generations()
        if (builds := generation.other_builds)
    ]
    for location, question in named:
        if question and question not in known:
            what = "this question is not in faq.md"
            yield platform.problem(_ACCELERATOR_FILE, location, what, did_you_mean(question, known))


def _duplicate_generations(platform: Platform) -> Iterator[Problem]:
    seen = set()
    for at, generation in platform.generations():
        key = (generation.name.casefold(), (generation.chip or "").casefold())
        if key in seen:
            named = f"{generation.name} {generation.chip or ''}".strip()
            what = f'the generation "{named}" is listed twice'
            remedy = "merge the two entries, or add the chip to each"
            yield platform.problem(_ACCELERATOR_FILE, (*at, "name"), what, remedy)
        seen.add(key)


def _duplicate_models(platform: Platform) -> Iterator[Problem]:
    """Yield a problem for each model that is listed twice.

    A model may be listed in several generations if the memory and power are the same in all
    entries, or if a note explains the difference.
    """
    seen: dict[str, HardwareModel] = {}
    for at, generation in platform.generations():
        generation_names = set()
        for number, model in enumerate(generation.models):
            location = (*at, "models", number, "name")
            name = model.name.casefold()
            other = seen.setdefault(name, model)
            if name in generation_names:
                what = f'the model "{model.name}" is listed twice in "{generation.name}"'
                remedy = "remove one of the two, or add the difference to the names"
                yield platform.problem(_ACCELERATOR_FILE, location, what, remedy)
            elif not (model.note or other.note) and any(_differences(model, other)):
                what = f'"{model.name}" has different figures than its first entry'
                remedy = "add the difference to the name, or state both figures in notes"
                yield platform.problem(_ACCELERATOR_FILE, location, what, remedy)
            generation_names.add(name)


def _duplicate_instances(platform: Platform) -> Iterator[Problem]:
    """Yield a problem for each machine type that is listed for two models."""
    seen: dict[str, str] = {}
    for at, generation in platform.generations():
        for number, model in enumerate(generation.models):
            for row, instances in enumerate(model.instances or ()):
                for name in instances.types:
                    other = seen.setdefault(name.casefold(), model.name)
                    if other != model.name:
                        location = (*at, "models", number, "instances", row)
                        what = f'the machine type "{name}" is listed for "{other}" already'
                        remedy = "list it only for the model that its source names"
                        yield platform.problem(_ACCELERATOR_FILE, location, what, remedy)


@rule(compares=True)
def contradictions(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """No two facts of the catalog contradict each other.

    The rule compares the Python versions of a row in `compatibility.yaml` with those of its PyTorch
    release, and the SDK version of a row with that of its variant in `install.yaml`. It compares
    the minimum drivers of two SDK versions: a newer SDK doesn't need an older driver. It compares
    the end dates of two rows for one plugin version and, if neither has a note, the components. It
    compares the builds of a card with the install commands, by release, operating system and
    architecture. It compares the memory size and power of a card on two platforms, unless a card
    has a note.
    `requirement-versions` compares the requirements of an option with its rows, `package-facts`
    compares rows and releases with package metadata, and `hardware-references` checks the cards of
    one platform.
    """
    commands = rows_by_platform(catalog)
    for platform in catalog.platforms:
        yield from unsupported_pythons(catalog, platform)
        yield from sdk_contradictions(platform)
        yield from driver_contradictions(platform)
        yield from component_contradictions(platform)
        yield from lifecycle_contradictions(platform)
        yield from builds_without_command(platform, commands[platform.id])
    yield from card_contradictions(catalog)


@rule(level="warning")
def package_facts(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """Versions in vendor folders and `data/releases.yaml` agree with the package index.

    Plugin versions exist, are not yanked and match their PyTorch release; install options match the
    available wheels; packages listed as on PyPI are there. The nightly job reads the index.
    Problems are warnings, so that a change in an index can't block another vendor's pull request.
    """
    yield from index_contradictions(catalog)
    yield from torch_contradictions(catalog)


def builds_without_command(platform: Platform, commands: Sequence[InstallRow]) -> Iterator[Problem]:
    """Yield a problem for each build of a card that no install command for its variant installs.

    The builds of cards are in `hardware` of `accelerator.yaml`: variants with PyTorch releases and
    systems. A build is a problem if the commands for its variant are all for other releases or
    systems. A variant without any command is not checked.
    """
    for at, generation in platform.generations():
        for number, build in enumerate(generation.builds):
            for variant in build.variants or ():
                offered = [row for row in commands if row.variant == variant]
                if offered and not any(_build_matches_row(build, row) for row in offered):
                    what = (
                        f'"{generation.name}" is listed for {_build_description(variant, build)}, '
                        f'but no install command for "{variant}" matches'
                    )
                    remedy = "correct the build's releases or systems, or add the install option"
                    yield platform.problem(_ACCELERATOR_FILE, (*at, "builds", number), what, remedy)


def card_contradictions(catalog: Catalog) -> Iterator[Problem]:
    """Yield a problem for each card whose memory or power differs between two platforms.

    Cards with a note are not compared.
    """
    first: dict[str, tuple[Platform, HardwareModel]] = {}
    for platform in catalog.platforms:
        for at, generation in platform.generations():
            for number, model in enumerate(generation.models):
                owner, other = first.setdefault(model.name.casefold(), (platform, model))
                if owner is platform or model.note or other.note:
                    continue
                for what in _differences(model, other):
                    text = f'"{model.name}" has {what} on the platform "{owner.id}"'
                    remedy = "correct the wrong value, or explain the difference in a note"
                    location = (*at, "models", number, "name")
                    yield platform.problem(_ACCELERATOR_FILE, location, text, remedy)


def _build_matches_row(build: BuildSupport, row: InstallRow) -> bool:
    if build.os and row.os not in build.os:
        return False
    if build.arch and row.arch not in build.arch:
        return False
    # A nightly build belongs to no release, so it contradicts no range of releases.
    return not build.torch or row.build == PREVIEW or SpecifierSet(build.torch).contains(row.build)


def _build_description(variant: str, build: BuildSupport) -> str:
    parts = [variant, f"torch {build.torch}" if build.torch else ""]
    return " ".join(filter(None, (*parts, *(build.os or ()), *(build.arch or ()))))


def _differences(model: HardwareModel, other: HardwareModel) -> Iterator[str]:
    for unit, here, there in (
        ("GB", model.memory_gb, other.memory_gb),
        ("W", model.power_w, other.power_w),
    ):
        if here is not None and there is not None and here != there:
            yield f"{here:g} {unit} here and {there:g} {unit}"


_COMPATIBILITY_FILE = "compatibility.yaml"


def unsupported_pythons(catalog: Catalog, platform: Platform) -> Iterator[Problem]:
    """Yield a problem for each row with a Python version that its PyTorch release doesn't support.

    `compatibility.yaml` contains the rows, and `data/releases.yaml` the PyTorch releases. A row
    with an unlisted release is not checked.
    """
    supported = {release.version: release.python for release in catalog.releases.releases}
    for place, row in enumerate(platform.compatibility.rows):
        known = supported.get(row.torch)
        lacking = [python for python in row.python or () if known and python not in known]
        if lacking:
            what = (
                f"this entry lists Python {', '.join(lacking)}, but data/releases.yaml says that "
                f"torch {row.torch} supports {', '.join(known or ())}"
            )
            remedy = "correct the Python versions here or in data/releases.yaml"
            yield platform.problem(_COMPATIBILITY_FILE, ("rows", place, "python"), what, remedy)


def sdk_contradictions(platform: Platform) -> Iterator[Problem]:
    """Yield a problem for each row that includes a different SDK version than its variant.

    `compatibility.yaml` contains the rows, and `install.yaml` the variants. For example, CUDA 12.8
    contradicts the variant "CUDA 13.0", but CUDA 13.0.1 does not.
    """
    versions = {variant.id: variant.version for variant in platform.install.variants}
    for place, row in enumerate(platform.compatibility.rows):
        version = versions.get(row.variant or "")
        sdk = _sdk_name(platform, row)
        if version and sdk and not _matches_version_prefix(row.includes[sdk], version):
            what = (
                f'this entry includes {sdk} {row.includes[sdk]}, but install.yaml says that "'
                f'{row.variant}" has version {version}'
            )
            remedy = "correct the version here or in install.yaml, or the variant here"
            yield platform.problem(_COMPATIBILITY_FILE, ("rows", place, "includes"), what, remedy)


def driver_contradictions(platform: Platform) -> Iterator[Problem]:
    """Yield a problem if a newer SDK needs an older driver, or one SDK needs two drivers.

    The SDKs and drivers are in the rows of `compatibility.yaml`. Versions of an SDK with the same
    first two numbers count as one SDK.
    """
    rows = enumerate(platform.compatibility.rows)
    known = [(place, row, sdk) for place, row in rows if (sdk := _sdk_name(platform, row))]
    for (_, one, sdk), (place, other, other_sdk) in combinations(known, 2):
        for name in one.needs.keys() & other.needs.keys() if sdk == other_sdk else ():
            drivers = [lower_bound(row.needs[name]) for row in (one, other)]
            sdks = [version_or_none(row.includes[sdk]) for row in (one, other)]
            if _is_contradiction(sdks, drivers):
                what = (
                    f"{sdk} {other.includes[sdk]} needs {name} {other.needs[name]}, but "
                    f"{sdk} {one.includes[sdk]} (torch {one.torch}) needs {one.needs[name]}"
                )
                remedy = "correct the wrong version of the SDK or of the driver"
                yield platform.problem(_COMPATIBILITY_FILE, ("rows", place, "needs"), what, remedy)


def component_contradictions(platform: Platform) -> Iterator[Problem]:
    """Yield a problem if rows of one plugin version include different versions of a component.

    Rows of `compatibility.yaml` are compared if they have the same variant and no note.
    """
    first: dict[tuple[str, str | None, str], str] = {}
    for place, row in enumerate(platform.compatibility.rows):
        for name, version in row.includes.items() if row.plugin and not row.note else ():
            before = first.setdefault((row.plugin or "", row.variant, name), version)
            if before != version:
                what = f"plugin {row.plugin} includes {name} {version} here and {before} above"
                remedy = "correct the wrong value; if sources disagree, say so in a note of the row"
                yield platform.problem(
                    _COMPATIBILITY_FILE, ("rows", place, "includes"), what, remedy
                )


def lifecycle_contradictions(platform: Platform) -> Iterator[Problem]:
    """Yield a problem if rows of one plugin version and status have different end dates.

    Rows of `compatibility.yaml` are compared if they also have the same variant.
    """
    first: dict[tuple[str | None, ...], CompatibilityRow] = {}
    for place, row in enumerate(platform.compatibility.rows):
        if row.lifecycle is None or row.lifecycle.until is None or row.plugin is None:
            continue
        other = first.setdefault((row.plugin, row.variant, row.lifecycle.status), row)
        before = other.lifecycle.until if other.lifecycle else None
        if before != row.lifecycle.until:
            what = f"plugin {row.plugin} ends on {row.lifecycle.until} here and on {before} above"
            remedy = "write the same date in both entries"
            yield platform.problem(_COMPATIBILITY_FILE, ("rows", place, "lifecycle"), what, remedy)


def _sdk_name(platform: Platform, row: CompatibilityRow) -> str | None:
    """Return the SDK of a row: the key of `row.includes` that the variant's name contains.

    For example, `CUDA` for the variant "CUDA 13.0". None if the name contains no key or several.
    """
    variant = next((v for v in platform.install.variants if v.id == row.variant), None)
    if variant is None:
        return None
    named = [name for name in row.includes if name.casefold() in variant.name.casefold()]
    return named[0] if len(named) == 1 else None


def _matches_version_prefix(version: str, variant: str) -> bool:
    return version == variant or version.startswith(f"{variant}.")


def _is_contradiction(sdks: list[Version | None], drivers: list[Version | None]) -> bool:
    (sdk, other_sdk), (driver, other_driver) = sdks, drivers
    if sdk is None or other_sdk is None or driver is None or other_driver is None:
        return False
    if sdk.release[:2] == other_sdk.release[:2]:
        return driver != other_driver
    return (sdk < other_sdk) != (driver < other_driver) and driver != other_driver
