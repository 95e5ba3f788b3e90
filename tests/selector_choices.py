"""The choices that rows of the selector cover, and the row of a choice."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from accelerator_portal.catalog.grouping import cached_by_owner
from accelerator_portal.install import Choice, InstallRow, Selector


def choices_of(selector: Selector, row: InstallRow) -> Iterator[Choice]:
    """Yield each choice that a row covers."""
    names = [axis.id for axis in selector.table]
    for values in product(*(selector.ids(row, axis) for axis in selector.table)):
        yield dict(zip(names, values, strict=True))


def row_of(selector: Selector, choice: Choice) -> InstallRow | None:
    """Return the row that covers a choice, or None."""
    return _row_by_values(selector).get(tuple(choice[axis.id] for axis in selector.table))


@cached_by_owner
def _row_by_values(selector: Selector) -> dict[tuple[str, ...], InstallRow]:
    return {
        tuple(choice.values()): row for row in selector.rows for choice in choices_of(selector, row)
    }
