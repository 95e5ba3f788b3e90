"""Commands install only versions that are still maintained.

The rule checks the lifecycle of the newest entry of each variant. Older entries may have ended.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator

from accelerator_portal.catalog import Catalog, Problem

LEVEL = "warning"


def check(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """Yield newest rows whose last known state is over."""
    for platform in catalog.platforms:
        seen: set[str | None] = set()
        for place, row in enumerate(platform.compatibility.rows):
            if row.variant in seen:
                continue
            seen.add(row.variant)
            cycle = row.lifecycle
            if cycle and cycle.until and cycle.until < today:
                location = ("rows", place, "lifecycle", "until")
                what = f'the newest entry\'s lifecycle "{cycle.status}" ended on {cycle.until}'
                remedy = "update the lifecycle, or add a newer entry"
                yield platform.problem("compatibility.yaml", location, what, remedy)
