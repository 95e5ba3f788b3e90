"""What folders and releases say of versions is not contradicted by the package's own index.

Rows name plugins that exist, were not withdrawn, and fit that torch; options offer them where they
have wheels; what is said to be on PyPI is there. The index was read at night, so this only reminds:
a change there must not hold up another vendor's pull request.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator

from accelerator_portal.catalog import Catalog, Problem
from accelerator_portal.packages.contradictions import contradictions
from accelerator_portal.packages.torch_contradictions import torch_contradictions

LEVEL = "warning"


def check(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """Yield contradictions, each with both sides and where they are written."""
    yield from contradictions(catalog)
    yield from torch_contradictions(catalog)
