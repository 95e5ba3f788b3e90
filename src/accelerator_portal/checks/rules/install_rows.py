"""Every install option produces commands, and no two options match the same selection."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator

from accelerator_portal.catalog import Catalog, Problem
from accelerator_portal.install.axes import row_key
from accelerator_portal.install.expand import expand
from accelerator_portal.install.rows import InstallRow


def check(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """Yield options and variants that lead nowhere, and combinations answered twice."""
    rows, problems = expand(catalog)
    yield from problems
    yield from _idle_variants(catalog, rows, {problem.path for problem in problems})
    answered: dict[tuple[str, ...], InstallRow] = {}
    reported: set[tuple[str, str, str]] = set()
    for row in rows:
        for python in row.pythons or ("any",):
            place = (*row_key(row), python)
            other = answered.setdefault(place, row)
            pair = (row.platform, other.option, row.option)
            if other.option != row.option and pair not in reported:
                reported.add(pair)
                yield _overlap(catalog, row, other, place)


def _idle_variants(
    catalog: Catalog, rows: tuple[InstallRow, ...], faulty: set[str]
) -> Iterator[Problem]:
    """Variants without a row, where no fault of an option has kept the row away."""
    served = {(row.platform, row.variant) for row in rows}
    for platform in catalog.platforms:
        if platform.path("install.yaml") in faulty:
            continue
        for place, variant in enumerate(platform.install.variants):
            if (platform.id, variant.id) not in served:
                location = ("variants", place, "id")
                what = f'no option has the variant "{variant.id}"'
                remedy = "remove it, or add an option"
                yield platform.problem("install.yaml", location, what, remedy)


def _overlap(
    catalog: Catalog, row: InstallRow, other: InstallRow, place: tuple[str, ...]
) -> Problem:
    platform = catalog.by_id[row.platform]
    positions = {option.id: n for n, option in enumerate(platform.install.options)}
    location = ("options", positions[row.option], "id")
    what = f'"{row.option}" and "{other.option}" both match {", ".join(place[1:])}'
    return platform.problem("install.yaml", location, what, "restrict one of the two")
