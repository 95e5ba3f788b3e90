"""Finds the install rows that run on a reader's hardware and with a reader's driver version."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import InvalidVersion, Version

from accelerator_portal.catalog import Catalog, Platform
from accelerator_portal.catalog.files.hardware import Generation
from accelerator_portal.install.hardware_support import runs_on_generation
from accelerator_portal.install.labels import OS_LABELS
from accelerator_portal.install.rows import InstallRow
from accelerator_reports.files.fields import DESCRIBED, version_or_none

# The word in the name of each vendor's driver.
_DRIVER = "driver"

_LOWER_BOUND_OPERATORS = {">=", "==", "~="}


@dataclass(frozen=True, slots=True)
class DriverBounds:
    """The oldest driver that supports each variant of a platform."""

    __pydantic_config__ = DESCRIBED

    name: str
    """The name of the driver."""
    oldest: Mapping[str, Mapping[str, str]]
    """The oldest driver version, by variant and then by operating system."""

    def admits(self, row: InstallRow, driver: str) -> bool:
        """Return whether a row runs with the driver version `driver`.

        The result is true if no oldest driver version is known for the row.
        """
        bound = self.oldest.get(row.variant, {}).get(row.os)
        return bound is None or Version(driver) >= Version(bound)


def driver_bounds(platform: Platform) -> DriverBounds | None:
    """Return the oldest driver of each variant of a platform, or None if none is stated."""
    name = ""
    oldest_by_variant: dict[str, dict[str, str]] = {}
    for variant in platform.install.variants:
        for requirement in variant.requires:
            version = requirement.version or ""
            bound = lower_bound(version)
            if bound is None or _DRIVER not in requirement.name.lower():
                continue
            name = requirement.name
            clause = next(part for part in version.split(",") if lower_bound(part) == bound)
            oldest = clause.strip().lstrip("=>~ ").removesuffix(".*")  # with leading zeros
            for os in requirement.os or OS_LABELS:
                oldest_by_variant.setdefault(variant.id, {})[os] = oldest
    return DriverBounds(name, oldest_by_variant) if oldest_by_variant else None


def row_ranges(
    catalog: Catalog, rows: Iterable[tuple[int, InstallRow]], generation: Generation
) -> tuple[int, ...]:
    """Return the positions of the rows that run on a hardware generation, as ranges.

    `rows` are pairs of position and row, by ascending position. Each range is two integers of the
    result: its start and its exclusive end. For the positions 0, 1, 2 and 5, the result is
    `(0, 3, 5, 6)`.
    """
    positions = (position for position, row in rows if runs_on_generation(catalog, generation, row))
    return tuple(_consecutive_ranges(positions))


def _consecutive_ranges(positions: Iterator[int]) -> Iterator[int]:
    """Yield the start and the exclusive end of each range of consecutive `positions`."""
    end = None
    for position in positions:
        if position == end:
            end += 1
            continue
        if end is not None:
            yield end
        yield position
        end = position + 1
    if end is not None:
        yield end


def lower_bound(text: str) -> Version | None:
    """Return the lower bound in a text: 8.0 for `8.0`, `==8.0`, `==8.0.*`, `~=8.0` or `>=8.0,<9`.

    Returns None if the text has no lower bound, or is not a version or version specifier.
    """
    if version := version_or_none(text):
        return version
    try:
        bounds = [
            Version(clause.version.removesuffix(".*"))
            for clause in SpecifierSet(text)
            if clause.operator in _LOWER_BOUND_OPERATORS
        ]
    except (InvalidSpecifier, InvalidVersion):
        return None
    return max(bounds, default=None)
