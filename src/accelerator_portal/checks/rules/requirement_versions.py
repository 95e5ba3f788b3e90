"""Requirements of install options agree with `compatibility.yaml`.

Both `requires` in `install.yaml` and `needs` in `compatibility.yaml` list drivers and SDKs. If a
page requires 8.0 or newer but every version needs 9.1.0, readers install a version that doesn't
work.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator

from accelerator_portal.catalog import Catalog, Platform, Problem
from accelerator_portal.catalog.compatibility_file import CompatibilityRow
from accelerator_portal.catalog.install_file import Option, Requirement
from accelerator_portal.catalog.yaml_file import Location
from accelerator_portal.install.bounds import lower_bound


def check(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """Yield requirements that admit a version older than any that the rows need.

    Options that install the rows themselves (`compatibility: true`) show what each row needs.
    """
    for platform in catalog.platforms:
        found: dict[Location, Problem] = {}
        for place, option in enumerate(platform.install.options):
            if option.compatibility:
                continue
            rows = [row for row in platform.compatibility.rows if _serves(option, row)]
            for location, requirement, variant in _requirements(platform, place, option):
                about = [
                    row
                    for row in rows
                    if (variant is None or row.variant == variant) and _share(requirement, row)
                ]
                for problem in _compared(platform, location, requirement, about):
                    found.setdefault(location, problem)
        yield from found.values()


def _requirements(
    platform: Platform, place: int, option: Option
) -> Iterator[tuple[Location, Requirement, str | None]]:
    """What holds for an option: where it stands, and the variant that it is about."""
    install = platform.install
    for number, requirement in enumerate(install.requires):
        yield ("requires", number), requirement, None
    for at, variant in enumerate(install.variants):
        if not option.variants or variant.id in option.variants:
            for number, requirement in enumerate(variant.requires):
                yield ("variants", at, "requires", number), requirement, variant.id
    for number, requirement in enumerate(option.requires):
        yield ("options", place, "requires", number), requirement, None


def _serves(option: Option, row: CompatibilityRow) -> bool:
    variant = not option.variants or row.variant is None or row.variant in option.variants
    return variant and option.admits(row.torch)


def _share(requirement: Requirement, row: CompatibilityRow) -> bool:
    """Say whether both apply to one operating system."""
    return not requirement.os or not row.os or not {*requirement.os}.isdisjoint(row.os)


def _compared(
    platform: Platform,
    location: Location,
    requirement: Requirement,
    rows: list[CompatibilityRow],
) -> Iterator[Problem]:
    asked = lower_bound(requirement.version or "")
    needed = [low for row in rows if (low := lower_bound(row.needs.get(requirement.name, "")))]
    if asked and needed and asked < min(needed):
        what = (
            f'"{requirement.version}" allows {requirement.name} {asked}, '
            f"but the rows of compatibility.yaml need {min(needed)} or newer"
        )
        remedy = "require the same version in both files"
        yield platform.problem("install.yaml", (*location, "version"), what, remedy)
