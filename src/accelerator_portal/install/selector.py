"""Builds the data of the install selector: its axes with their values, and its install rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from packaging.version import Version

from accelerator_portal.catalog import Catalog
from accelerator_portal.catalog.files.versions_file import Ended
from accelerator_portal.catalog.grouping import grouped
from accelerator_portal.install.hardware_support import DriverBounds, driver_bounds
from accelerator_portal.install.rows import (
    AXES,
    NO_VARIANT,
    PREVIEW,
    Axis,
    Choice,
    InstallRow,
    Value,
)


@dataclass(frozen=True, eq=False)  # by identity, so that what is computed from it can be kept
class Selector:
    """The install selector: all rows, and the values of each axis in order of preference.

    `axes` has the values of each axis by axis id. The values of the axis `variant` depend on the
    platform: they are not in `axes`, but in `variants`, by platform id. `starts` are the default
    choices, at most one for each operating system. The first default choice also applies to
    operating systems without a default choice.
    """

    axes: Mapping[str, tuple[Value, ...]]
    variants: Mapping[str, tuple[Value, ...]]
    rows: tuple[InstallRow, ...]
    starts: tuple[Choice, ...]
    table: tuple[Axis, ...] = AXES
    """The axes, in their order in the page's address and data."""
    more: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The ids of the values that the page shows only in a disclosure, by axis id."""
    drivers: Mapping[str, DriverBounds] = field(default_factory=dict)
    """The oldest driver version of each variant, by platform id."""
    ended: tuple[Ended, ...] = ()
    """The machines for which newer releases have no wheels, such as Intel Macs."""

    @cached_property
    def machine_axes(self) -> tuple[Axis, ...]:
        """The axes of the reader's machine."""
        return tuple(axis for axis in self.table if axis.is_machine)

    @cached_property
    def numbered_rows(self) -> dict[str, list[tuple[int, InstallRow]]]:
        """The rows by platform id, each with its position among all rows."""
        return grouped((row.platform, (index, row)) for index, row in enumerate(self.rows))

    @cached_property
    def _positions(self) -> dict[tuple[str, str], int]:
        """The position of each value on its axis, by axis id and value id."""
        lists = [*self.axes.items(), *(("variant", values) for values in self.variants.values())]
        return {(axis, v.id): index for axis, values in lists for index, v in enumerate(values)}

    @cached_property
    def _value_by_id(self) -> dict[str, dict[str, Value]]:
        return {axis: {v.id: v for v in values} for axis, values in self.axes.items()}

    def place(self, axis: str, value: str) -> int:
        """Return a value's position on its axis, preferred values first; 0 for unknown values."""
        return self._positions.get((axis, value), 0)

    def ids(self, row: InstallRow, axis: Axis) -> tuple[str, ...]:
        """Return the ids of a row's values on an axis.

        These are the ids of all values if the row's field is None, which means any value.
        """
        field_value = getattr(row, axis.field)
        if field_value is None:
            return tuple(self._value_by_id[axis.id])
        return field_value if axis.many else (field_value,)

    def rows_of(self, platform: str) -> tuple[InstallRow, ...]:
        """Return the rows of the platform with the id `platform`."""
        return tuple(row for _, row in self.numbered_rows.get(platform, ()))

    def first_choice(self, row: InstallRow) -> Choice:
        """Return the choice with the first of the row's values on each axis."""
        return {axis.id: self.ids(row, axis)[0] for axis in self.table}

    def only(self, platform: str) -> Selector:
        """Return the selector with only the rows, variants and drivers of one platform."""
        rows = self.rows_of(platform)
        platform_values = tuple(value for value in self.axes["platform"] if value.id == platform)
        axes = {**self.axes, "platform": platform_values}
        variants = {p: values for p, values in self.variants.items() if p == platform}
        starts = tuple(_start_choices_of(rows, platform, self.starts))
        drivers = {p: bounds for p, bounds in self.drivers.items() if p == platform}
        return replace(
            self, axes=axes, variants=variants, rows=rows, starts=starts, drivers=drivers
        )

    def values(self, axis: str, platform: str) -> tuple[Value, ...]:
        """Return the values of an axis; for the axis `variant`, the platform's variants."""
        return self.axes[axis] if axis in self.axes else self.variants.get(platform, ())

    def value(self, axis: str, choice: Choice) -> Value:
        """Return the choice's value on an axis; an empty value if it is unknown."""
        if axis in self.axes:
            return self._value_by_id[axis].get(choice[axis], Value("", ""))
        variants = self.variants.get(choice["platform"], ())
        return next((v for v in variants if v.id == choice[axis]), Value("", ""))

    def label(self, axis: str, choice: Choice) -> str:
        """Return the label of the choice's value on an axis; empty if it is unknown."""
        return self.value(axis, choice).label


def make_selector(
    catalog: Catalog, rows: tuple[InstallRow, ...], table: tuple[Axis, ...] = AXES
) -> Selector:
    """Return the selector with the install rows `rows`, the axes `table` and the axes' values."""
    axes = {axis.id: axis.values(catalog, rows) for axis in table if axis.values}
    variants = {
        p.id: tuple(Value(v.id, v.name) for v in p.install.variants)
        for p in catalog.platforms
        if p.install.variants
    }
    starts = tuple(_available_starts(catalog, rows))
    more: dict[str, tuple[str, ...]] = {}
    for axis in table:
        if axis.at_once and axis.id in axes:
            shown_at_once = axis.at_once(catalog, rows)
            more[axis.id] = tuple(v.id for v in axes[axis.id] if v.id not in shown_at_once)
    more["variant"] = tuple(_variants_of_older_releases(rows))
    bounds = {platform.id: driver_bounds(platform) for platform in catalog.platforms}
    drivers = {platform: driver_bound for platform, driver_bound in bounds.items() if driver_bound}
    ended = catalog.releases.ended
    return Selector(axes, variants, rows, starts, table, more, drivers, ended)


def _available_starts(catalog: Catalog, rows: tuple[InstallRow, ...]) -> Iterator[Choice]:
    """Yield the default choices for which there are rows, one for each operating system.

    If a platform is not in the catalog, for example because its folder has errors, the choice has
    another platform with rows for this machine: a primary platform if possible.
    """
    for start in catalog.defaults.start:
        machine_rows = (row for row in rows if (row.os, row.arch) == (start.os, start.arch))
        available = dict.fromkeys(row.platform for row in machine_rows)
        platforms = (start.platform, *catalog.defaults.primary, *available)
        if platform := next((name for name in platforms if name in available), None):
            yield start.model_dump() | {"platform": platform}


def _variants_of_older_releases(rows: tuple[InstallRow, ...]) -> Iterator[str]:
    """Yield the id of each variant that only older releases of its platform have.

    Older releases are all except the platform's two newest releases with variants. A variant that
    the nightly build has is omitted.
    """
    variants_by_platform: dict[str, dict[str, set[str]]] = {}
    for row in rows:
        if row.variant != NO_VARIANT:
            by_build = variants_by_platform.setdefault(row.platform, {})
            by_build.setdefault(row.build, set()).add(row.variant)
    for by_build in variants_by_platform.values():
        releases = sorted(by_build.keys() - {PREVIEW}, key=Version, reverse=True)
        recent_variants = {v for b in (PREVIEW, *releases[:2]) for v in by_build.get(b, ())}
        yield from sorted({v for variants in by_build.values() for v in variants} - recent_variants)


def _start_choices_of(
    rows: tuple[InstallRow, ...], platform: str, starts: tuple[Choice, ...]
) -> Iterator[Choice]:
    """Yield the default choices for a platform.

    `rows` are the rows of the platform, and `starts` the default choices of the selector. Each
    choice in `starts` is yielded, with its platform replaced, if the platform has a row for its
    machine. If there is no such choice, the first choice in `starts` is yielded, with its platform
    replaced, and with the machine of the first row.
    """
    systems = {(row.os, row.arch): None for row in rows}
    local_starts = [start for start in starts if (start["os"], start["arch"]) in systems]
    if local_starts or not systems or not starts:
        yield from (start | {"platform": platform} for start in local_starts)
        return
    os, arch = next(iter(systems))
    yield starts[0] | {"os": os, "arch": arch, "platform": platform}
