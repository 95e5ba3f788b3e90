"""Compares cards with the builds that exist, and one card on two platforms."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from packaging.specifiers import SpecifierSet

from accelerator_portal.catalog import Catalog, Platform, Problem
from accelerator_portal.catalog.hardware import BuildSupport, HardwareModel
from accelerator_portal.install.rows import PREVIEW, InstallRow

_FILE = "accelerator.yaml"


def cards_beside_builds(platform: Platform, commands: Sequence[InstallRow]) -> Iterator[Problem]:
    """A card is listed as running on builds of a variant that no release and no system has."""
    hardware = platform.accelerator.hardware
    for place, generation in enumerate(hardware.generations if hardware else ()):
        for number, build in enumerate(generation.builds):
            for variant in build.variants or ():
                offered = [row for row in commands if row.variant == variant]
                if offered and not any(_serves(build, row) for row in offered):
                    location = ("hardware", "generations", place, "builds", number)
                    what = (
                        f'"{generation.name}" is listed for {_named(variant, build)}, but no '
                        f'install command for "{variant}" matches'
                    )
                    remedy = "correct the build's releases or systems, or add the install option"
                    yield platform.problem(_FILE, location, what, remedy)


def cards_on_two_platforms(catalog: Catalog) -> Iterator[Problem]:
    """A card that two platforms list has another memory size or power on one of them."""
    first: dict[str, tuple[Platform, HardwareModel]] = {}
    for platform in catalog.platforms:
        hardware = platform.accelerator.hardware
        for place, generation in enumerate(hardware.generations if hardware else ()):
            for number, model in enumerate(generation.models):
                owner, other = first.setdefault(model.name.casefold(), (platform, model))
                if owner is platform or model.note or other.note:
                    continue
                for what in _differences(model, other):
                    location = ("hardware", "generations", place, "models", number, "name")
                    said = f'"{model.name}" has {what} on the platform "{owner.id}"'
                    remedy = "correct one of them, or explain the difference in a note"
                    yield platform.problem(_FILE, location, said, remedy)


def _serves(build: BuildSupport, row: InstallRow) -> bool:
    if build.os and row.os not in build.os:
        return False
    if build.arch and row.arch not in build.arch:
        return False
    # A nightly build is of no release: it contradicts no range of releases.
    return not build.torch or row.build == PREVIEW or SpecifierSet(build.torch).contains(row.build)


def _named(variant: str, build: BuildSupport) -> str:
    parts = [variant, f"torch {build.torch}" if build.torch else ""]
    return " ".join(filter(None, (*parts, *(build.os or ()), *(build.arch or ()))))


def _differences(model: HardwareModel, other: HardwareModel) -> Iterator[str]:
    for unit, here, there in (
        ("GB", model.memory_gb, other.memory_gb),
        ("W", model.power_w, other.power_w),
    ):
        if here is not None and there is not None and here != there:
            yield f"{here:g} {unit} here and {there:g} {unit}"
