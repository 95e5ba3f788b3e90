"""Each pattern in `data/model-families.yaml` matches a test of a suite.

A misspelled pattern would hide results of that model family. A family without tests in any suite is
allowed; the models page shows it without results.
"""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Iterator

from accelerator_portal.catalog import Catalog, Problem
from accelerator_portal.catalog.catalog import MODEL_FAMILIES
from accelerator_portal.catalog.model_families_file import (
    ModelFamilies,
    ModelFamily,
    model_suites,
    name_matches,
)
from accelerator_portal.catalog.yaml_file import Location


def check(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """Yield patterns that match nothing or name no suite, and ids that stand twice."""
    if catalog.model_families is None:
        return
    yield from _doubled(catalog, catalog.model_families)
    for place, family in enumerate(catalog.model_families.families):
        matched = {pattern: _matches(catalog, pattern) for pattern in family.names}
        for number, pattern in enumerate(family.names):
            location = ("families", place, "names", number)
            if "/" not in pattern:
                what = f'the pattern "{pattern}" names no suite'
                yield _problem(catalog, location, what, f'write "*/{pattern}" for every suite')
            elif any(matched.values()) and not matched[pattern]:
                what = f'no test of a model suite matches "{pattern}"'
                yield _problem(catalog, location, what, "correct it or remove it")


def _doubled(catalog: Catalog, table: ModelFamilies) -> Iterator[Problem]:
    counts = Counter(family.id for family in table.families)
    for place, family in enumerate(table.families):
        if counts[family.id] > 1 and not _is_first(table.families, place):
            what = f'the family "{family.id}" is listed twice'
            yield _problem(catalog, ("families", place, "id"), what, "merge the two")


def _is_first(families: tuple[ModelFamily, ...], place: int) -> bool:
    return all(family.id != families[place].id for family in families[:place])


def _matches(catalog: Catalog, pattern: str) -> bool:
    return any(
        name_matches(pattern, suite, name)
        for suite, listed in model_suites(catalog.suites).items()
        for name in listed.tests
    )


def _problem(catalog: Catalog, location: Location, what: str, remedy: str) -> Problem:
    line = catalog.files[MODEL_FAMILIES].line(location)
    return Problem(MODEL_FAMILIES, line, what, remedy)
