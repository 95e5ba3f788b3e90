"""A repository named in `upstream_ci` is on the list of PyTorch's cross-repository CI relay.

`data/relay.yaml` holds that list. A misspelt name would never be told of a change, and nobody would
notice.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator

from accelerator_portal.catalog import Catalog, Problem
from accelerator_portal.catalog.problem import did_you_mean


def check(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """Yield repositories that the relay does not know."""
    listed = catalog.relay.repositories if catalog.relay else ()
    known = {entry.repository for entry in listed}
    for platform in catalog.platforms:
        for place, entry in enumerate(platform.accelerator.upstream_ci):
            if entry.repository not in known:
                location = ("upstream_ci", place, "repository")
                what = f'the relay does not know "{entry.repository}"'
                remedy = did_you_mean(entry.repository, known)
                yield platform.problem("accelerator.yaml", location, what, remedy)
