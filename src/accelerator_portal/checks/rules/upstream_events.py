"""A platform that answers on PyTorch's pull requests names who answers for it.

A comment that says what broke also says whom to ask; without a maintainer it could name nobody.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator

from accelerator_portal.catalog import Catalog, Problem


def check(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """Yield platforms with `upstream_events` and without maintainers."""
    for platform in catalog.platforms:
        if platform.accelerator.upstream_events and not platform.accelerator.maintainers:
            what = "upstream_events is there, and nobody to ask is named"
            remedy = "add maintainers"
            yield platform.problem("accelerator.yaml", ("upstream_events",), what, remedy)
