"""The install selector: its axes, its rows, and the nearest valid row to any choice."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from operator import attrgetter, ne
from typing import NamedTuple

from packaging.version import Version

from accelerator_portal.catalog import Catalog
from accelerator_portal.catalog.selector_file import StartingChoice
from accelerator_portal.install import labels
from accelerator_portal.install.labels import python_order
from accelerator_portal.install.rows import NO_VARIANT, PREVIEW, InstallRow

STABLE = "stable"


class Choice(NamedTuple):
    """One value, by id, for each axis; the fields are the axes in the order of the page."""

    build: str
    os: str
    arch: str
    python: str
    method: str
    platform: str
    variant: str


# Where several rows are as near, the one that keeps the earlier of these is taken.
PRESERVED = ("platform", "os", "arch", "method", "python", "build", "variant")

_preserved = attrgetter(*PRESERVED)


class Value(NamedTuple):
    """A value of an axis: its stable id, what readers see, and a smaller word beside it."""

    id: str
    label: str
    detail: str = ""


@dataclass(frozen=True)
class Selector:
    """Every row, and the values of each axis in the order of preference and of the page.

    The variant axis depends on the platform; `variants` holds it for those that have one.
    """

    axes: dict[str, tuple[Value, ...]]
    variants: dict[str, tuple[Value, ...]]
    rows: tuple[InstallRow, ...]
    starts: tuple[Choice, ...]

    @cached_property
    def _rank(self) -> dict[str, dict[str, int]]:
        ranks = {axis: {v.id: i for i, v in enumerate(vs)} for axis, vs in self.axes.items()}
        ranks["build"][PREVIEW] = len(ranks["build"])  # shown second, preferred last
        ranks["variant"] = {v.id: i for vs in self.variants.values() for i, v in enumerate(vs)}
        return ranks

    @cached_property
    def _index(self) -> dict[Choice, InstallRow]:
        return {choice: row for row in self.rows for choice in self.choices(row)}

    @cached_property
    def _with(self) -> dict[tuple[str, str], list[InstallRow]]:
        """The rows that have a value on an axis."""
        found: dict[tuple[str, str], list[InstallRow]] = {}
        for row in self.rows:
            for axis in Choice._fields:
                for value in self._values(row, axis):
                    found.setdefault((axis, value), []).append(row)
        return found

    @cached_property
    def _of_platform(self) -> dict[str, list[InstallRow]]:
        found: dict[str, list[InstallRow]] = {}
        for row in self.rows:
            found.setdefault(row.platform, []).append(row)
        return found

    @cached_property
    def _shown(self) -> dict[str, dict[str, Value]]:
        """The values of each axis by id."""
        return {axis: {v.id: v for v in values} for axis, values in self.axes.items()}

    def choices(self, row: InstallRow) -> Iterator[Choice]:
        """Yield each choice that leads to `row`."""
        for python in self._pythons(row):
            yield _choice(row, python)

    def _values(self, row: InstallRow, axis: str) -> tuple[str, ...]:
        return self._pythons(row) if axis == "python" else (getattr(row, axis),)

    def _pythons(self, row: InstallRow) -> tuple[str, ...]:
        if row.pythons is None:
            return tuple(value.id for value in self.axes["python"])
        return row.pythons

    def row(self, choice: Choice) -> InstallRow | None:
        """Return the row for a choice, None where there is none."""
        return self._index.get(choice)

    def nearest(self, choice: Choice, pinned: Iterable[str] = ()) -> Choice:
        """Return the valid choice that changes the fewest axes, the `pinned` ones least of all.

        Ties keep platform, OS, architecture, method, Python, build and variant, in that order, and
        then take the newest; of platforms as good, the one that a reader on that OS sees first.
        Raises ValueError where there are no rows at all.
        """
        kept = frozenset(pinned)
        rows: Sequence[InstallRow] = self.rows
        if len(kept) == 1:  # some row keeps a single pinned axis, so no other need be looked at
            (axis,) = kept
            rows = self._with.get((axis, getattr(choice, axis)), rows)
        others = self._candidates(choice, rows)
        changes = {other: _changes(choice, other, kept) for other in others}
        fewest = min(changes.values())
        return min((c for c, found in changes.items() if found == fewest), key=self._place)

    def moved(self, choice: Choice, other: Choice) -> tuple[str, ...]:
        """Return the axes that differ; a variant counts only while the platform stays."""
        axes = [a for a in Choice._fields if getattr(choice, a) != getattr(other, a)]
        return tuple(a for a in axes if a != "variant" or "platform" not in axes)

    def blocked_by(self, choice: Choice, axis: str, value: str) -> tuple[str, ...]:
        """Return the axes that stand against taking `value`; empty where it is possible."""
        wanted = choice._replace(**{axis: value})
        if wanted in self._index:
            return ()
        moved = self.moved(wanted, self.nearest(wanted, (axis,)))
        return tuple(a for a in moved if not (axis == "platform" and a == "variant"))

    def only(self, platform: str) -> Selector:
        """Return the selector of one platform: its rows, and the values that they use."""
        rows = tuple(self._of_platform.get(platform, ()))
        used = {a: {value for row in rows for value in self._values(row, a)} for a in self.axes}
        axes = {a: tuple(v for v in values if v.id in used[a]) for a, values in self.axes.items()}
        variants = {p: values for p, values in self.variants.items() if p == platform}
        one = Selector(axes, variants, rows, ())
        if not rows:
            return one
        starts = tuple(one.nearest(start, ("platform",)) for start in self.starts)
        return replace(one, starts=starts)

    def value(self, axis: str, choice: Choice) -> Value:
        """Return the choice's value on an axis; an empty one for a variant where there is none."""
        if axis in self.axes:
            return self._shown[axis].get(getattr(choice, axis), Value("", ""))
        variants = self.variants.get(choice.platform, ())
        return next((v for v in variants if v.id == choice.variant), Value("", ""))

    def label(self, axis: str, choice: Choice) -> str:
        """Return what readers see for the choice's value on an axis."""
        return self.value(axis, choice).label

    def _candidates(self, choice: Choice, rows: Iterable[InstallRow]) -> Iterator[Choice]:
        ranks = self._rank["python"]
        for row in rows:
            pythons = self._pythons(row)
            if choice.python in pythons:
                yield _choice(row, choice.python)
            else:
                yield _choice(row, min(pythons, key=lambda python: ranks[python]))

    def _place(self, choice: Choice) -> tuple[int, ...]:
        """Return the order among choices that change the same: the newest build first."""
        place = {axis: self._rank[axis].get(getattr(choice, axis), 0) for axis in PRESERVED}
        unusual = all((s.os, s.platform) != (choice.os, choice.platform) for s in self.starts)
        return (place["build"], unusual, *place.values())


def make_selector(catalog: Catalog, rows: tuple[InstallRow, ...]) -> Selector:
    """Build the selector; the newest release gets the id `stable`, so that links outlive it."""
    newest = catalog.releases.newest.version
    rows = tuple(replace(row, build=STABLE) if row.build == newest else row for row in rows)
    served = {row.platform for row in rows}
    axes = {
        "build": _builds(catalog),
        "os": _values(labels.OS, (row.os for row in rows)),
        "arch": _values(labels.ARCH, (row.arch for row in rows)),
        "python": _pythons(catalog, rows),
        "method": _values(labels.METHOD, (row.method for row in rows)),
        "platform": tuple(
            Value(p.id, p.accelerator.name, p.accelerator.vendor)
            for p in catalog.platforms
            if p.id in served
        ),
    }
    variants = {
        p.id: tuple(Value(v.id, v.name) for v in p.install.variants)
        for p in catalog.platforms
        if p.install.variants
    }
    selector = Selector(axes, variants, rows, ())
    starts = tuple(_start(selector, start) for start in catalog.defaults.start) if rows else ()
    return replace(selector, starts=starts)


def _builds(catalog: Catalog) -> tuple[Value, ...]:
    newest = catalog.releases.newest.version
    earlier = sorted(catalog.releases.by_version, key=Version, reverse=True)[1:]
    preview = catalog.releases.preview.version or ""
    return (
        Value(STABLE, "Stable", newest),
        Value(PREVIEW, "Preview", preview.removesuffix(".dev0") or "nightly"),
        *(Value(version, version) for version in earlier),
    )


def _values(shown: dict[str, str], used: Iterable[str]) -> tuple[Value, ...]:
    present = set(used)
    return tuple(Value(key, label) for key, label in shown.items() if key in present)


def _pythons(catalog: Catalog, rows: tuple[InstallRow, ...]) -> tuple[Value, ...]:
    """Those that rows are for; where it matters to none, the newest release's: a choice has one."""
    known = {python for row in rows for python in row.pythons or ()}
    known = known or set(catalog.releases.newest.python)
    return tuple(
        Value(p, p, "free-threaded" if p.endswith("t") else "") for p in python_order(known)
    )


def _start(selector: Selector, start: StartingChoice) -> Choice:
    values = selector.variants.get(start.platform)
    variant = values[0].id if values else NO_VARIANT
    wanted = Choice(
        STABLE, start.os, start.arch, start.python, start.method, start.platform, variant
    )
    return selector.nearest(wanted, ("os", "platform", "build"))


def _changes(choice: Choice, other: Choice, pinned: frozenset[str]) -> tuple[int, ...]:
    """Return how far a choice is from another: pinned axes first, then their number, then which."""
    changed = tuple(map(ne, _preserved(choice), _preserved(other)))
    kept = sum(getattr(choice, axis) != getattr(other, axis) for axis in pinned)
    return (kept, sum(changed), *changed)


def _choice(row: InstallRow, python: str) -> Choice:
    return Choice(row.build, row.os, row.arch, python, row.method, row.platform, row.variant)
