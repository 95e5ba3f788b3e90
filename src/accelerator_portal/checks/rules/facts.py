"""Compares facts with other facts."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator

from accelerator_portal.catalog import Catalog, Platform, Problem
from accelerator_portal.catalog.hardware import Hardware, HardwareModel
from accelerator_portal.catalog.problem import did_you_mean
from accelerator_portal.checks.pairs.builds import cards_beside_builds, cards_on_two_platforms
from accelerator_portal.checks.pairs.rows import (
    drivers_beside_sdks,
    lifecycles_of_one_version,
    plugins_beside_components,
    rows_beside_releases,
    variants_beside_rows,
)
from accelerator_portal.checks.rule import rule
from accelerator_portal.install.expand import rows_by_platform
from accelerator_portal.packages.contradictions import contradictions as index_contradictions
from accelerator_portal.packages.torch_contradictions import torch_contradictions

_FILE = "accelerator.yaml"


@rule()
def hardware_references(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """Entries in `hardware` refer to existing variants, are unique and are consistent."""
    for platform in catalog.platforms:
        hardware = platform.accelerator.hardware
        if hardware is not None:
            yield from _unknown_variants(platform, hardware)
            yield from _doubled_generations(platform, hardware)
            yield from _doubled_models(platform, hardware)
            yield from _doubled_instances(platform, hardware)


def _unknown_variants(platform: Platform, hardware: Hardware) -> Iterator[Problem]:
    known = [variant.id for variant in platform.install.variants]
    for place, generation in enumerate(hardware.generations):
        for number, build in enumerate(generation.builds):
            for name in build.variants or ():
                if name not in known:
                    location = ("hardware", "generations", place, "builds", number, "variants")
                    what = f'the variant "{name}" is not listed in install.yaml'
                    yield platform.problem(_FILE, location, what, did_you_mean(name, known))


def _doubled_generations(platform: Platform, hardware: Hardware) -> Iterator[Problem]:
    seen = set()
    for place, generation in enumerate(hardware.generations):
        key = (generation.name.casefold(), (generation.chip or "").casefold())
        if key in seen:
            named = f"{generation.name} {generation.chip or ''}".strip()
            location = ("hardware", "generations", place, "name")
            what = f'the generation "{named}" is listed twice'
            yield platform.problem(_FILE, location, what, "merge the two or add the chip")
        seen.add(key)


def _doubled_models(platform: Platform, hardware: Hardware) -> Iterator[Problem]:
    """A name may stand in two generations, sold with two chips, but not with two sizes."""
    seen: dict[str, HardwareModel] = {}
    for place, generation in enumerate(hardware.generations):
        here = set()
        for number, model in enumerate(generation.models):
            location = ("hardware", "generations", place, "models", number, "name")
            name = model.name.casefold()
            other = seen.setdefault(name, model)
            if name in here:
                what = f'the model "{model.name}" is listed twice in "{generation.name}"'
                yield platform.problem(_FILE, location, what, "remove one, or add what differs")
            elif _differs(model, other):
                what = f'"{model.name}" has different figures than its first entry'
                remedy = "add what differs to the name, or state both in notes"
                yield platform.problem(_FILE, location, what, remedy)
            here.add(name)


def _doubled_instances(platform: Platform, hardware: Hardware) -> Iterator[Problem]:
    """One machine type has one model."""
    seen: dict[str, str] = {}
    for place, generation in enumerate(hardware.generations):
        for number, model in enumerate(generation.models):
            for row, instances in enumerate(model.instances or ()):
                for name in instances.types:
                    other = seen.setdefault(name.casefold(), model.name)
                    if other != model.name:
                        models = ("hardware", "generations", place, "models", number)
                        what = f'the machine type "{name}" is listed for "{other}" already'
                        remedy = "keep the model in its source"
                        yield platform.problem(_FILE, (*models, "instances", row), what, remedy)


def _differs(model: HardwareModel, other: HardwareModel) -> bool:
    """Whether two of the same name state different figures, and no note says why."""
    if model.note or other.note:
        return False
    pairs = ((model.memory_gb, other.memory_gb), (model.power_w, other.power_w))
    return any(a is not None and b is not None and a != b for a, b in pairs)


@rule(compares=True)
def contradictions(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """No two facts of the catalog contradict each other.

    Pairs that are compared: a row's Python versions and those that its PyTorch release supports; a
    row's SDK and the version of its variant in `install.yaml`; the driver minimums of two SDK
    versions, which grow with the SDK; two rows of one plugin version and the components that it
    brings, and the day on which it ends; a card and the builds that it is listed for, by release,
    operating system and architecture; a card that two platforms list, by memory size and power.
    Rows with a note are left out where two rows of one plugin differ. Other rules compare the
    requirements of an option with its rows (`version-conflicts`), rows and releases with package
    metadata (`package-facts`) and the cards of one platform (`hardware-references`).
    """
    commands = rows_by_platform(catalog)
    for platform in catalog.platforms:
        yield from rows_beside_releases(catalog, platform)
        yield from variants_beside_rows(platform)
        yield from drivers_beside_sdks(platform)
        yield from plugins_beside_components(platform)
        yield from lifecycles_of_one_version(platform)
        yield from cards_beside_builds(platform, commands[platform.id])
    yield from cards_on_two_platforms(catalog)


@rule(level="warning")
def package_facts(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """Versions in vendor folders and `data/releases.yaml` agree with the package index.

    Plugin versions exist, are not yanked and match their PyTorch release; install options match the
    available wheels; packages listed as on PyPI are there. The nightly job reads the index.
    Problems are warnings, so that a change in an index can't block another vendor's pull request.
    """
    yield from index_contradictions(catalog)
    yield from torch_contradictions(catalog)
