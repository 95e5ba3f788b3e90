"""Checks data about hardware, versions and PyTorch's CI for contradictions and unknown ids."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence
from itertools import combinations

from packaging.specifiers import SpecifierSet
from packaging.version import Version

from accelerator_portal.catalog import Catalog, Platform
from accelerator_portal.catalog.files.accelerator import (
    BuildSupport,
    HardwareModel,
    OperatingSystem,
    OtherBuilds,
    UpstreamRun,
)
from accelerator_portal.catalog.files.versions_file import CompatibilityRow
from accelerator_portal.checks.rule import rule
from accelerator_portal.install.expand import rows_by_platform
from accelerator_portal.install.hardware_support import lower_bound
from accelerator_portal.install.rows import PREVIEW, InstallRow
from accelerator_portal.packages.contradictions import contradictions as index_contradictions
from accelerator_portal.packages.contradictions import torch_contradictions
from accelerator_reports.files.fields import version_or_none
from accelerator_reports.files.problem import Problem, did_you_mean


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
    for generation in platform.generations:
        for build in generation.builds:
            for name in build.variants or ():
                if name not in variants:
                    what = f'the variant "{name}" is not listed in install.yaml'
                    remedy = did_you_mean(name, variants)
                    yield platform.record_problem(build, "variants", what, remedy)


def _unknown_questions(platform: Platform) -> Iterator[Problem]:
    faq_titles = [section.title for section in platform.faq.sections]
    records: list[OperatingSystem | OtherBuilds] = [*platform.accelerator.operating_systems]
    records += [g.other_builds for g in platform.generations if g.other_builds]
    for record in records:
        if record.question and record.question not in faq_titles:
            what = "this question is not in faq.md"
            remedy = did_you_mean(record.question, faq_titles)
            yield platform.record_problem(record, "question", what, remedy)


def _duplicate_generations(platform: Platform) -> Iterator[Problem]:
    seen = set()
    for generation in platform.generations:
        key = (generation.name.casefold(), (generation.chip or "").casefold())
        if key in seen:
            full_name = f"{generation.name} {generation.chip or ''}".strip()
            what = f'the generation "{full_name}" is listed twice'
            remedy = "merge the two entries, or add the chip to each"
            yield platform.record_problem(generation, "name", what, remedy)
        seen.add(key)


def _duplicate_models(platform: Platform) -> Iterator[Problem]:
    """Yield a problem for each hardware model that is listed twice on a platform.

    A model may be listed in several generations if the memory and power are the same in all
    entries, or if a note explains the difference.
    """
    model_by_name: dict[str, HardwareModel] = {}
    for generation in platform.generations:
        generation_names = set()
        for model in generation.models:
            name = model.name.casefold()
            other = None if model.note else model_by_name.setdefault(name, model)
            if name in generation_names:
                what = f'the model "{model.name}" is listed twice in "{generation.name}"'
                remedy = "remove one of the two, or add the difference to the names"
                yield platform.record_problem(model, "name", what, remedy)
            elif other and any(_differences(model, other)):
                what = f'"{model.name}" has different figures than its first entry'
                remedy = "add the difference to the name, or state both figures in notes"
                yield platform.record_problem(model, "name", what, remedy)
            generation_names.add(name)


def _differences(model: HardwareModel, other: HardwareModel) -> Iterator[str]:
    for unit, here, there in (
        ("GB", model.memory_gb, other.memory_gb),
        ("W", model.power_w, other.power_w),
    ):
        if here is not None and there is not None and here != there:
            yield f"{here:g} {unit} here and {there:g} {unit}"


def _duplicate_instances(platform: Platform) -> Iterator[Problem]:
    """Yield a problem for each cloud instance type that is listed for two hardware models."""
    model_by_type: dict[str, str] = {}
    for generation in platform.generations:
        for model in generation.models:
            for instances in model.instances or ():
                for name in instances.types:
                    other = model_by_type.setdefault(name.casefold(), model.name)
                    if other != model.name:
                        what = f'the machine type "{name}" is listed for "{other}" already'
                        remedy = "list it only for the model that its source names"
                        yield platform.record_problem(instances, (), what, remedy)


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
    install_rows = rows_by_platform(catalog)
    for platform in catalog.platforms:
        yield from _unsupported_pythons(catalog, platform)
        yield from _sdk_contradictions(platform)
        yield from _driver_contradictions(platform)
        yield from _component_contradictions(platform)
        yield from _lifecycle_contradictions(platform)
        yield from _builds_without_command(platform, install_rows[platform.id])
    yield from _card_contradictions(catalog)


def _unsupported_pythons(catalog: Catalog, platform: Platform) -> Iterator[Problem]:
    """Yield a problem for each row of `compatibility.yaml` with an unsupported Python version.

    `data/releases.yaml` lists the Python versions that each PyTorch release supports. A row is not
    checked if its PyTorch release is not listed there.
    """
    pythons_by_release = {release.version: release.python for release in catalog.releases.releases}
    for row in platform.compatibility.rows:
        supported_pythons = pythons_by_release.get(row.torch)
        wrong_pythons = [
            python
            for python in row.python or ()
            if supported_pythons and python not in supported_pythons
        ]
        if wrong_pythons:
            what = (
                f"this entry lists Python {', '.join(wrong_pythons)}, but data/releases.yaml says "
                f"that torch {row.torch} supports {', '.join(supported_pythons or ())}"
            )
            remedy = "correct the Python versions here or in data/releases.yaml"
            yield platform.record_problem(row, "python", what, remedy)


def _sdk_contradictions(platform: Platform) -> Iterator[Problem]:
    """Yield a problem for each row of `compatibility.yaml` that contradicts its variant's SDK.

    `install.yaml` contains the variants. For example, CUDA 12.8 contradicts the variant "CUDA
    13.0", but CUDA 13.0.1 does not.
    """
    versions = {variant.id: variant.version for variant in platform.install.variants}
    for row in platform.compatibility.rows:
        version = versions.get(row.variant or "")
        sdk = _sdk_name(platform, row)
        if version and sdk and not _matches_version_prefix(row.includes[sdk], version):
            what = (
                f'this entry includes {sdk} {row.includes[sdk]}, but install.yaml says that "'
                f'{row.variant}" has version {version}'
            )
            remedy = "correct the version here or in install.yaml, or the variant here"
            yield platform.record_problem(row, "includes", what, remedy)


def _sdk_name(platform: Platform, row: CompatibilityRow) -> str | None:
    """Return the SDK of a row: the key of `row.includes` that the variant's name contains.

    For example, `CUDA` for the variant "CUDA 13.0". None if the name contains no key or several.
    """
    variant = next((v for v in platform.install.variants if v.id == row.variant), None)
    if variant is None:
        return None
    sdk_names = [name for name in row.includes if name.casefold() in variant.name.casefold()]
    return sdk_names[0] if len(sdk_names) == 1 else None


def _matches_version_prefix(version: str, prefix: str) -> bool:
    return version == prefix or version.startswith(f"{prefix}.")


def _driver_contradictions(platform: Platform) -> Iterator[Problem]:
    """Yield a problem if a newer SDK needs an older driver, or one SDK needs two drivers.

    The SDKs and drivers are in the rows of `compatibility.yaml`. Versions of an SDK with the same
    first two numbers count as one SDK. Rows for different operating systems are not compared.
    """
    rows = platform.compatibility.rows
    sdk_rows = [(row, sdk) for row in rows if (sdk := _sdk_name(platform, row))]
    for (first_row, sdk), (other, other_sdk) in combinations(sdk_rows, 2):
        if sdk != other_sdk or not first_row.applies_to(other.os):
            continue
        for name in first_row.needs.keys() & other.needs.keys():
            drivers = [lower_bound(row.needs[name]) for row in (first_row, other)]
            sdks = [version_or_none(row.includes[sdk]) for row in (first_row, other)]
            if _is_contradiction(sdks, drivers):
                what = (
                    f"{sdk} {other.includes[sdk]} needs {name} {other.needs[name]}, but "
                    f"{sdk} {first_row.includes[sdk]} (torch {first_row.torch}) needs "
                    f"{first_row.needs[name]}"
                )
                remedy = "correct the wrong version of the SDK or of the driver"
                yield platform.record_problem(other, "needs", what, remedy)


def _is_contradiction(sdks: list[Version | None], drivers: list[Version | None]) -> bool:
    (sdk, other_sdk), (driver, other_driver) = sdks, drivers
    if sdk is None or other_sdk is None or driver is None or other_driver is None:
        return False
    if sdk.release[:2] == other_sdk.release[:2]:
        return driver != other_driver
    return (sdk < other_sdk) != (driver < other_driver) and driver != other_driver


def _component_contradictions(platform: Platform) -> Iterator[Problem]:
    """Yield a problem if rows of one plugin version include different versions of a component.

    Rows of `compatibility.yaml` are compared if they have the same variant and no note.
    """
    first_versions: dict[tuple[str, str | None, str], str] = {}
    for row in platform.compatibility.rows:
        for name, version in row.includes.items() if row.plugin and not row.note else ():
            first_version = first_versions.setdefault(
                (row.plugin or "", row.variant, name), version
            )
            if first_version != version:
                what = (
                    f"plugin {row.plugin} includes {name} {version} here and {first_version} above"
                )
                remedy = "correct the wrong value; if sources disagree, say so in a note of the row"
                yield platform.record_problem(row, "includes", what, remedy)


def _lifecycle_contradictions(platform: Platform) -> Iterator[Problem]:
    """Yield a problem for each row of `compatibility.yaml` that contradicts an earlier end date.

    The end dates must be equal if two rows have the same plugin version, variant and lifecycle
    status.
    """
    first_rows: dict[tuple[str | None, ...], CompatibilityRow] = {}
    for row in platform.compatibility.rows:
        if row.lifecycle is None or row.lifecycle.until is None or row.plugin is None:
            continue
        other = first_rows.setdefault((row.plugin, row.variant, row.lifecycle.status), row)
        first_end = other.lifecycle.until if other.lifecycle else None
        if first_end != row.lifecycle.until:
            what = (
                f"plugin {row.plugin} ends on {row.lifecycle.until} here and on {first_end} above"
            )
            remedy = "write the same date in both entries"
            yield platform.record_problem(row, "lifecycle", what, remedy)


def _builds_without_command(
    platform: Platform, commands: Sequence[InstallRow]
) -> Iterator[Problem]:
    """Yield a problem for each PyTorch build of a card that no install command installs.

    In `hardware` of `accelerator.yaml`, a build names variants, PyTorch releases and systems. For
    each variant that has commands, one command must match the releases and systems of the build.
    `commands` are the install commands of the platform.
    """
    for generation in platform.generations:
        for build in generation.builds:
            for variant in build.variants or ():
                variant_rows = [row for row in commands if row.variant == variant]
                if variant_rows and not any(_build_matches_row(build, row) for row in variant_rows):
                    what = (
                        f'"{generation.name}" is listed for {_build_description(variant, build)}, '
                        f'but no install command for "{variant}" matches'
                    )
                    remedy = "correct the build's releases or systems, or add the install option"
                    yield platform.record_problem(build, (), what, remedy)


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


def _card_contradictions(catalog: Catalog) -> Iterator[Problem]:
    """Yield a problem for each card whose memory or power differs between two platforms.

    Cards with a note are not compared.
    """
    first_by_name: dict[str, tuple[Platform, HardwareModel]] = {}
    for platform in catalog.platforms:
        for generation in platform.generations:
            for model in generation.models:
                if model.note:
                    continue
                owner, other = first_by_name.setdefault(model.name.casefold(), (platform, model))
                if owner is platform:
                    continue
                for difference in _differences(model, other):
                    text = f'"{model.name}" has {difference} on the platform "{owner.id}"'
                    remedy = "correct the wrong value, or explain the difference in a note"
                    yield platform.record_problem(model, "name", text, remedy)


@rule(level="warning")
def package_facts(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """Versions in vendor folders and `data/releases.yaml` agree with the package index.

    Plugin versions exist, are not yanked and match their PyTorch release; install options match the
    available wheels; packages listed as on PyPI are there. The nightly job reads the index.
    Problems are warnings, so that a change in an index can't block another vendor's pull request.
    """
    yield from index_contradictions(catalog)
    yield from torch_contradictions(catalog)


# Checks the settings in `accelerator.yaml` for testing a platform with PyTorch's CI.

# The files in `.github/workflows/`. A test compares the two.
OWN_WORKFLOWS = frozenset(
    {"checks.yml", "executorch.yml", "models.yml", "nightly.yml", "openreg.yml", "pages.yml",
     "pull-request-comment.yml", "pull-request.yml", "release.yml", "test-quality.yml",
     "trials.yml", "upstream-answer.yml", "upstream-event.yml", "upstream-run.yml", "validate.yml"}
)  # fmt: skip
_PYTORCH_REPOSITORY = "pytorch/pytorch"
UpstreamFault = tuple[str, str, str]  # the key, what is wrong, and the fix


@rule()
def relay_list(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """Repositories in `upstream_ci` are on the allowlist of PyTorch's CI relay.

    `data/relay.yaml` contains that list. The relay sends nothing to a repository with a misspelled
    name.
    """
    relay_entries = catalog.relay.repositories if catalog.relay else ()
    repositories = {entry.repository for entry in relay_entries}
    for platform in catalog.platforms:
        for entry in platform.accelerator.upstream_ci:
            if entry.repository not in repositories:
                what = f'there is no entry in the relay list for "{entry.repository}"'
                remedy = did_you_mean(entry.repository, repositories)
                yield platform.record_problem(entry, "repository", what, remedy)


@rule()
def upstream_events(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """Platforms that test changes of PyTorch name a maintainer and use only their own CI.

    `upstream_events` in `accelerator.yaml` declares where the tests run. Comments on new failures
    name a maintainer to contact. If the tests run in this repository, their workflow is named after
    the platform, and at least one runner label starts with the platform's ID. No vendor can then
    start the portal's own workflows or use another vendor's machines. Tests cannot be started in
    PyTorch's own repository.
    """
    for platform in catalog.platforms:
        events = platform.accelerator.upstream_events
        if events is None:
            continue
        if not platform.accelerator.maintainers:
            what = "upstream_events is set, but there is no maintainer"
            remedy = "add maintainers"
            yield platform.record_problem(events, (), what, remedy)
        for key, what, remedy in _upstream_run_faults(platform, events.run):
            yield platform.record_problem(events.run, key, what, remedy)


def _upstream_run_faults(platform: Platform, run: UpstreamRun) -> Iterator[UpstreamFault]:
    if run.workflow and (
        run.workflow in OWN_WORKFLOWS or not _belongs_to_platform(platform, run.workflow[:-4])
    ):
        what = f'the workflow "{run.workflow}" does not belong to this platform'
        yield "workflow", what, f'name it "{platform.id}.yml", or "{platform.id}-….yml"'
    if run.runner and not any(_belongs_to_platform(platform, label) for label in run.runner):
        what = "no runner label starts with the platform's ID"
        yield "runner", what, f'add the label "{platform.id}", or "{platform.id}-…"'
    if run.sent_to and run.sent_to.repository.casefold() == _PYTORCH_REPOSITORY:
        what = f"events cannot be sent to {_PYTORCH_REPOSITORY}"
        yield run.start_method, what, "use your own repository"


def _belongs_to_platform(platform: Platform, name: str) -> bool:
    return name.casefold() == platform.id or name.casefold().startswith(f"{platform.id}-")
