"""The install selector: its axes, its rows, and the nearest valid row to any choice."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import compress, product
from operator import ne

from accelerator_portal.catalog import Catalog
from accelerator_portal.catalog.selector_file import StartingChoice
from accelerator_portal.install.axes import AXES, Axis, Choice, Value, by_rank
from accelerator_portal.install.rows import NO_VARIANT, InstallRow

# A choice's values, or a row's, in the order of `by_rank`.
_Point = tuple[str, ...]

# What a row has on each axis, in that order, and the preferred of them.
_Reach = tuple[tuple[tuple[str, ...], str], ...]


@dataclass(frozen=True)
class Selector:
    """Every row, and the values of each axis in the order of preference and of the page.

    The variant axis depends on the platform; `variants` holds it for those that have one.
    """

    axes: Mapping[str, tuple[Value, ...]]
    variants: Mapping[str, tuple[Value, ...]]
    rows: tuple[InstallRow, ...]
    starts: tuple[Choice, ...]
    table: tuple[Axis, ...] = AXES

    @cached_property
    def _ranked(self) -> tuple[Axis, ...]:
        return by_rank(self.table)

    @cached_property
    def _preference(self) -> dict[str, dict[str, int]]:
        """For each axis the place of its values, the preferred first."""
        places: dict[str, dict[str, int]] = {}
        for axis in self.table:
            each = [self.axes[axis.id]] if axis.id in self.axes else self.variants.values()
            places[axis.id] = {v.id: place for values in each for place, v in enumerate(values)}
            if axis.preferred_last:
                places[axis.id][axis.preferred_last] = len(places[axis.id])
        return places

    @cached_property
    def _row_by_point(self) -> dict[_Point, InstallRow]:
        return {
            point: row
            for row in self.rows
            for point in product(*(self.ids(row, axis) for axis in self._ranked))
        }

    @cached_property
    def _numbers(self) -> dict[tuple[str, str], list[int]]:
        """The numbers of the rows that have a value on an axis."""
        found: dict[tuple[str, str], list[int]] = {}
        for number, row in enumerate(self.rows):
            for axis in self.table:
                for value in self.ids(row, axis):
                    found.setdefault((axis.id, value), []).append(number)
        return found

    @cached_property
    def _reach(self) -> tuple[_Reach, ...]:
        return tuple(tuple(self._reach_of(row, axis) for axis in self._ranked) for row in self.rows)

    def _reach_of(self, row: InstallRow, axis: Axis) -> tuple[tuple[str, ...], str]:
        ids, places = self.ids(row, axis), self._preference[axis.id]
        return ids, min(ids, key=lambda value: places.get(value, 0))

    @cached_property
    def _value_by_id(self) -> dict[str, dict[str, Value]]:
        return {axis: {v.id: v for v in values} for axis, values in self.axes.items()}

    @cached_property
    def _id_by_row_value(self) -> dict[str, dict[str, str]]:
        """For each axis the ids that are not what rows have."""
        return {
            axis: {v.row_value: v.id for v in values if v.row_value}
            for axis, values in self.axes.items()
        }

    def ids(self, row: InstallRow, axis: Axis) -> tuple[str, ...]:
        """Return the ids of a row's values on an axis; of all values where it does not matter."""
        found = getattr(row, axis.field)
        if found is None:
            return tuple(self._value_by_id[axis.id])
        ids = self._id_by_row_value.get(axis.id)
        if axis.many:
            return tuple(ids.get(value, value) for value in found) if ids else found
        return (ids.get(found, found) if ids else found,)

    def rows_with(self, axis: str, value: str) -> tuple[InstallRow, ...]:
        """Return the rows that have a value, named by its id, on an axis."""
        return tuple(self.rows[number] for number in self._numbers.get((axis, value), ()))

    def choices(self, row: InstallRow) -> Iterator[Choice]:
        """Yield each choice that leads to `row`."""
        names = [axis.id for axis in self.table]
        for values in product(*(self.ids(row, axis) for axis in self.table)):
            yield Choice(dict(zip(names, values, strict=True)))

    def row(self, choice: Choice) -> InstallRow | None:
        """Return the row for a choice, None where there is none."""
        return self._row_by_point.get(self._point(choice))

    def nearest(self, choice: Choice, pinned: Iterable[str] = ()) -> Choice:
        """Return the valid choice that changes the fewest axes, the `pinned` ones least of all.

        Ties keep the axes of the lowest ranks, and then take the newest build; of platforms as
        good, the one that a reader on that OS sees first. Raises ValueError where there are no
        rows at all.
        """
        kept = frozenset(pinned)
        numbers: Sequence[int] = range(len(self.rows))
        if len(kept) == 1:  # some row keeps a single pinned axis, so no other need be looked at
            (axis,) = kept
            numbers = self._numbers.get((axis, choice[axis]), numbers)
        wanted = self._point(choice)
        held = tuple(axis.id in kept for axis in self._ranked)
        points = dict.fromkeys(_nearest_point(self._reach[number], wanted) for number in numbers)
        distances = {point: _distance(wanted, point, held) for point in points}
        fewest = min(distances.values())
        nearest = (self._choice(p) for p, distance in distances.items() if distance == fewest)
        return min(nearest, key=self._order)

    def moved(self, choice: Choice, other: Choice) -> tuple[str, ...]:
        """Return the axes that differ; a variant counts only while the platform stays."""
        axes = [axis.id for axis in self.table if choice[axis.id] != other[axis.id]]
        return tuple(a for a in axes if a != "variant" or "platform" not in axes)

    def blocked_by(self, choice: Choice, axis: str, value: str) -> tuple[str, ...]:
        """Return the axes that stand against taking `value`; empty where it is possible."""
        wanted = choice | {axis: value}
        if self.row(wanted):
            return ()
        moved = self.moved(wanted, self.nearest(wanted, (axis,)))
        return tuple(a for a in moved if not (axis == "platform" and a == "variant"))

    def only(self, platform: str) -> Selector:
        """Return the selector of one platform: its rows, and the values that they use."""
        rows = self.rows_with("platform", platform)
        used = {a.id: {value for row in rows for value in self.ids(row, a)} for a in self.table}
        axes = {a: tuple(v for v in values if v.id in used[a]) for a, values in self.axes.items()}
        variants = {p: values for p, values in self.variants.items() if p == platform}
        one = replace(self, axes=axes, variants=variants, rows=rows, starts=())
        if not rows:
            return one
        starts = tuple(one.nearest(start, ("platform",)) for start in self.starts)
        return replace(one, starts=starts)

    def values(self, axis: str, platform: str) -> tuple[Value, ...]:
        """Return the values of an axis; of the variant axis those that the platform has."""
        return self.axes[axis] if axis in self.axes else self.variants.get(platform, ())

    def value(self, axis: str, choice: Choice) -> Value:
        """Return the choice's value on an axis; an empty one for a variant where there is none."""
        if axis in self.axes:
            return self._value_by_id[axis].get(choice[axis], Value("", ""))
        variants = self.variants.get(choice["platform"], ())
        return next((v for v in variants if v.id == choice[axis]), Value("", ""))

    def label(self, axis: str, choice: Choice) -> str:
        """Return what readers see for the choice's value on an axis."""
        return self.value(axis, choice).label

    def _point(self, choice: Choice) -> _Point:
        return tuple(choice[axis.id] for axis in self._ranked)

    def _choice(self, point: _Point) -> Choice:
        values = {axis.id: value for axis, value in zip(self._ranked, point, strict=True)}
        return Choice({axis.id: values[axis.id] for axis in self.table})

    def _order(self, choice: Choice) -> tuple[int, ...]:
        """Return the order among choices that change the same: the newest build first."""
        place = {a.id: self._preference[a.id].get(choice[a.id], 0) for a in self._ranked}
        usual = {(start["os"], start["platform"]) for start in self.starts}
        unusual = (choice["os"], choice["platform"]) not in usual
        return (place["build"], unusual, *place.values())


def make_selector(
    catalog: Catalog, rows: tuple[InstallRow, ...], table: tuple[Axis, ...] = AXES
) -> Selector:
    """Build the selector of `rows`, with the values that they use of each axis of `table`."""
    axes = {axis.id: axis.values(catalog, rows) for axis in table if axis.values}
    variants = {
        p.id: tuple(Value(v.id, v.name) for v in p.install.variants)
        for p in catalog.platforms
        if p.install.variants
    }
    selector = Selector(axes, variants, rows, (), table)
    starts = tuple(_start(selector, start) for start in catalog.defaults.start) if rows else ()
    return replace(selector, starts=starts)


def _start(selector: Selector, start: StartingChoice) -> Choice:
    """The stated choice; what it does not state is the first value of its axis."""
    stated = start.model_dump()
    first = {
        axis.id: next(iter(selector.values(axis.id, start.platform)), Value(NO_VARIANT, "")).id
        for axis in selector.table
    }
    return selector.nearest(Choice({**first, **stated}), ("os", "platform", "build"))


def _distance(wanted: _Point, point: _Point, held: Sequence[bool]) -> tuple[int, ...]:
    """How far a row is from a choice: pinned axes first, then how many change, then which."""
    changed = tuple(map(ne, wanted, point))
    return (sum(compress(changed, held)), sum(changed), *changed)


def _nearest_point(reach: _Reach, wanted: _Point) -> _Point:
    """The point of a row that changes least: the wanted value where the row has it."""
    return tuple(
        value if value in ids else preferred
        for value, (ids, preferred) in zip(wanted, reach, strict=True)
    )
