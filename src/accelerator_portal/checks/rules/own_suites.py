"""A platform's own test suites have names that start with its ID, such as `acme/kernels`.

This prevents two vendors from declaring the same suite and shows who maintains it.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator

from accelerator_portal.catalog import Catalog, Problem
from accelerator_portal.catalog.own_suite import owner_of


def check(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """Yield the declared suites whose names begin with another name than the folder's."""
    for platform in catalog.platforms:
        for place, suite in enumerate(platform.accelerator.suites):
            aliases = ((("aliases", number), alias) for number, alias in enumerate(suite.aliases))
            for keys, name in ((("name",), suite.name), *aliases):
                if owner_of(name) == platform.id:
                    continue
                what = f'the suite "{name}" does not start with the name of this folder'
                remedy = f'write "{platform.id}/{name.partition("/")[2]}"'
                location = ("suites", place, *keys)
                yield platform.problem("accelerator.yaml", location, what, remedy)
