"""Each platform with archived results has its folder: an id never changes.

Links, reports, the archive and other people's bookmarks use the id, which is the name of the
folder. A renamed folder would start with an empty history, and old links would lead nowhere. What
readers see is `name` in `accelerator.yaml`, which may change at any time.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator

from accelerator_portal.catalog import Catalog, Problem
from accelerator_portal.catalog.catalog import ACCELERATORS, HISTORY

LEVEL = "warning"


def check(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """Yield archives of results whose platform is gone."""
    for name in catalog.archived_without_folder:
        what = f"the archive has results of {name}, but the folder {ACCELERATORS}/{name} is missing"
        remedy = (
            f'rename the folder back to {name} and change "name" in accelerator.yaml instead; '
            "if the platform was removed, delete its archive"
        )
        yield Problem(f"{HISTORY}/{name}/manifest.json", 1, what, remedy)
