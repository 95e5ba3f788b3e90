"""PyTorch releases in `compatibility.yaml` are listed in `data/releases.yaml`.

The site generates commands only for listed releases. The rule doesn't check releases that are older
than all listed ones.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator

from packaging.version import Version

from accelerator_portal.catalog import Catalog, Problem
from accelerator_portal.catalog.catalog import RELEASES
from accelerator_portal.catalog.problem import did_you_mean

LEVEL = "warning"


def check(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """Yield rows about releases that are not listed."""
    known = catalog.releases.by_version
    oldest = min(map(Version, known))
    for platform in catalog.platforms:
        for place, row in enumerate(platform.compatibility.rows):
            if row.torch in known or Version(row.torch) < oldest:
                continue
            what = f'{RELEASES} has no release "{row.torch}", so this entry has no install command'
            remedy = did_you_mean(row.torch, known)
            if Version(row.torch) > max(map(Version, known)):
                remedy = f"add the release to {RELEASES}, or correct the entry"
            yield platform.problem("compatibility.yaml", ("rows", place, "torch"), what, remedy)
