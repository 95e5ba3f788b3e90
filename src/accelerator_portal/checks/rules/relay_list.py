"""Repositories in `upstream_ci` are on the allowlist of PyTorch's CI relay.

`data/relay.yaml` contains that list. The relay sends nothing to a repository with a misspelled
name.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator

from accelerator_portal.catalog import Catalog, Problem
from accelerator_portal.catalog.problem import did_you_mean


def check(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """Yield repositories that there is no entry in the relay list for."""
    listed = catalog.relay.repositories if catalog.relay else ()
    known = {entry.repository for entry in listed}
    for platform in catalog.platforms:
        for place, entry in enumerate(platform.accelerator.upstream_ci):
            if entry.repository not in known:
                location = ("upstream_ci", place, "repository")
                what = f'there is no entry in the relay list for "{entry.repository}"'
                remedy = did_you_mean(entry.repository, known)
                yield platform.problem("accelerator.yaml", location, what, remedy)
