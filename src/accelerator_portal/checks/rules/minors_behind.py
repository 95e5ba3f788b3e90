"""A platform's release lag is within the limit in `data/criteria.yaml`.

PyTorch's Additional Platforms page accepts platforms that are at most three minor releases
behind. The site shows the lag of every platform; this warning reminds its maintainers.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator

from accelerator_portal.catalog import Catalog, Problem
from accelerator_portal.install.release_support import followed_releases

LEVEL = "warning"


def check(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """Yield platforms that are too far behind."""
    most = catalog.criteria.most_minors_behind if catalog.criteria else None
    for platform in catalog.platforms:
        found = followed_releases(catalog, platform)
        if most is not None and found.behind is not None and found.behind > most:
            newest = catalog.releases.newest.version
            what = (
                f'the newest torch is "{found.newest}", {found.behind} minor releases '
                f"behind {newest}; {most} are allowed"
            )
            file = "install.yaml" if found.has_command else "compatibility.yaml"
            location = ("options",) if found.has_command else ("rows",)
            remedy = "add newer versions, or add the reason to data/exceptions.yaml"
            yield platform.problem(file, location, what, remedy)
