"""Lists the axes of the install selector: what readers select, such as the operating system.

A choice has one value on each axis. A row (`InstallRow`) has the commands for all choices that its
values cover.

The table AXES determines the keys of a choice, the fieldsets on the page with their order and
labels, the data for the page's script and the keys of rows. To add an axis, add an entry to AXES,
and a field to `InstallRow` that `expand` fills. docs/how-to-add.md says which axes need more.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from packaging.version import Version

from accelerator_portal.catalog import Catalog
from accelerator_portal.catalog.message import message
from accelerator_portal.install import labels
from accelerator_portal.install.rows import PREVIEW, InstallRow

STABLE = "stable"


class Value(NamedTuple):
    """A value of an axis: its stable id, its label, and a detail in smaller text."""

    id: str
    label: str
    detail: str = ""


Choice = dict[str, str]
"""Maps the ids of axes to the ids of the values that a reader selected, such as `os` to `linux`."""


@dataclass(frozen=True, slots=True)
class Axis:
    """An axis of the selector, for example the operating system."""

    id: str
    """Its name in addresses and data; never changes."""
    legend: str
    """Its name on the page."""
    rank: int
    """Its position on the page. Axes whose value every reader knows come first; axes whose default
    is mostly right come last."""
    values: Callable[[Catalog, Sequence[InstallRow]], tuple[Value, ...]] | None
    """A function that returns its values in order of preference, which is also the order on the
    page. None if each platform has its own values."""
    many: bool = False
    """Whether a row can have several values on this axis. The field of the row is then a tuple, or
    None for any value."""
    own_column: bool = False
    """Whether it has its own column in tables of commands. The values of axes without an own column
    are joined in the column of the system."""
    is_machine: bool = False
    """Whether it describes the reader's machine, so that no other selection changes its value."""
    group: Literal["main", "settings", "format"] = "settings"
    """Where its values are shown. `main`: always visible, at the top. `settings`: in the disclosure
    "settings" below. `format`: as tabs on the command box."""
    weight: int = 9
    """Its priority when the selector derives values. Axes with a lower weight have priority."""
    at_once: Callable[[Catalog, Sequence[InstallRow]], Collection[str]] | None = None
    """A function that returns the ids of the values that are shown at once. The other values are in
    a disclosure. None if all values are shown."""
    more_label: str = ""
    """The label of the disclosure with the values that are not shown at once."""

    @property
    def field(self) -> str:
        """The name of the axis's field in InstallRow and of its column in the page's data."""
        return f"{self.id}s" if self.many else self.id


def build_id(catalog: Catalog, build: str) -> str:
    """Return `stable` if `build` is the newest release, else `build`, for use in links.

    `build` is a release's version or `preview`. A link with `stable` stays current after the next
    release.
    """
    return STABLE if build == catalog.releases.newest.version else build


def _build_values(catalog: Catalog, _: Sequence[InstallRow]) -> tuple[Value, ...]:
    """Return the values of the axis `build`, in order.

    They are `stable`, the newest release, the nightly build, and the earlier releases.

    If a reader selects `stable`, they get the newest release that fits their other selections.
    """
    newest, *earlier = sorted(catalog.releases.by_version, key=Version, reverse=True)
    preview = catalog.releases.preview.version or ""
    return (
        Value(STABLE, message("Stable")),
        Value(newest, newest),
        Value(PREVIEW, message("Nightly"), preview.removesuffix(".dev0")),
        *(Value(version, version) for version in earlier),
    )


def _values_with_labels(
    axis: str, labels_by_id: Mapping[str, str]
) -> Callable[[Catalog, Sequence[InstallRow]], tuple[Value, ...]]:
    """Return a function for `Axis.values` that returns the values of the axis `axis` that rows use.

    `labels_by_id` maps the ids of all possible values to labels, in the order of the result.
    """

    def values(_: Catalog, rows: Sequence[InstallRow]) -> tuple[Value, ...]:
        used_ids = {getattr(row, axis) for row in rows}
        return tuple(Value(key, label) for key, label in labels_by_id.items() if key in used_ids)

    return values


def _python_values(catalog: Catalog, rows: Sequence[InstallRow]) -> tuple[Value, ...]:
    """Return the Python versions that rows use, newest first.

    If no row uses a Python version, returns the Python versions of the newest PyTorch release.
    """
    pythons = {python for row in rows for python in row.pythons or ()}
    pythons = pythons or set(catalog.releases.newest.python)
    return tuple(
        Value(p, p, message("free-threaded") if p.endswith("t") else "")
        for p in labels.pythons_newest_first(pythons)
    )


def _regular_pythons(catalog: Catalog, _: Sequence[InstallRow]) -> set[str]:
    """Return the Python versions of the newest PyTorch release, without free-threaded ones."""
    return {p for p in catalog.releases.newest.python if not p.endswith("t")}


def _platform_values(catalog: Catalog, rows: Sequence[InstallRow]) -> tuple[Value, ...]:
    platform_ids = {row.platform for row in rows}
    return tuple(
        Value(p.id, p.accelerator.name, p.accelerator.vendor)
        for p in catalog.platforms
        if p.id in platform_ids
    )


def _in_tree_platforms(catalog: Catalog, _: Sequence[InstallRow]) -> set[str]:
    return {platform.id for platform in catalog.platforms if platform.in_tree}


# All axes, in the order of addresses and data.
AXES = (
    Axis(
        "build",
        message("PyTorch release"),
        3,
        _build_values,
        own_column=True,
        weight=1,
        at_once=lambda *_: (STABLE, PREVIEW),
        more_label=message("Other releases"),
    ),
    Axis(
        "os",
        message("Operating system"),
        4,
        _values_with_labels("os", labels.OS_LABELS),
        is_machine=True,
    ),
    Axis(
        "arch",
        message("Architecture"),
        5,
        _values_with_labels("arch", labels.ARCH_LABELS),
        is_machine=True,
    ),
    Axis(
        "python",
        "Python",
        6,
        _python_values,
        many=True,
        own_column=True,
        at_once=_regular_pythons,
        more_label=message("Other versions"),
    ),
    Axis(
        "method",
        message("Format"),
        7,
        _values_with_labels("method", labels.METHOD_LABELS),
        own_column=True,
        group="format",
        weight=2,
    ),
    Axis(
        "platform",
        message("Compute platform"),
        1,
        _platform_values,
        own_column=True,
        group="main",
        at_once=_in_tree_platforms,
        more_label=message("More platforms"),
    ),
    Axis(
        "variant",
        message("Variant"),
        2,
        None,
        own_column=True,
        group="main",
        weight=3,
        more_label=message("Earlier variants"),
    ),
)


def axes_by_rank(axes: Iterable[Axis]) -> tuple[Axis, ...]:
    """Return axes by ascending rank, the order in which the selector shows them."""
    return tuple(sorted(axes, key=lambda axis: axis.rank))


def axes_by_weight(axes: Iterable[Axis]) -> tuple[Axis, ...]:
    """Return `axes` by ascending weight, without the axes for the platform and the machine.

    If the reader selected no value on an axis of the result, the selector derives the value.
    """
    other_axes = (axis for axis in axes if not axis.is_machine and axis.id != "platform")
    return tuple(sorted(other_axes, key=lambda axis: axis.weight))


def axes_by_column(axes: Iterable[Axis]) -> tuple[Axis, ...]:
    """Return `axes` in the order of the columns in tables of commands and in the page's data.

    The platform comes first, then the variant, then all other axes with one value per row, and then
    the axes on which a row can have several values (`many`).
    """
    return tuple(sorted(axes, key=lambda a: (a.many, a.id != "platform", a.values is not None)))


# The axes on which a row has one value.
KEY_AXES = tuple(axis for axis in axes_by_column(AXES) if not axis.many)


def row_key(row: InstallRow, *without: str) -> tuple[str, ...]:
    """Return a row's value ids on KEY_AXES, the axes on which a row has one value.

    `without` are the ids of axes to omit.
    """
    return tuple(getattr(row, axis.field) for axis in KEY_AXES if axis.id not in without)
