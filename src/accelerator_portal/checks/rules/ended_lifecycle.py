"""What a command installs is still cared for: its row's lifecycle has not ended.

Only the newest row of each variant is looked at: older ones may have ended, and say so.
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
                what = f'the newest row\'s state "{cycle.status}" ended on {cycle.until}'
                remedy = "say what holds since, or add a newer row"
                yield platform.problem("compatibility.yaml", location, what, remedy)
