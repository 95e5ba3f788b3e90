"""Entries in `hardware` refer to existing variants, are unique and are consistent."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator

from accelerator_portal.catalog import Catalog, Platform, Problem
from accelerator_portal.catalog.hardware import Hardware, HardwareModel
from accelerator_portal.catalog.problem import did_you_mean

_FILE = "accelerator.yaml"


def check(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """Yield unknown variants; generations, models and machine types that stand twice."""
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
