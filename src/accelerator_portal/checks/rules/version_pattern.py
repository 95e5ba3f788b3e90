"""Rows of `compatibility.yaml` follow the `version_pattern` that the file declares.

A vendor's document may state that plugin and PyTorch share the first two or three numbers of their
versions. A row with other numbers is a typing error, or the pattern ends: `since` limits it.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator

from accelerator_portal.catalog import Catalog, Problem

_SHARED = {"minor": "first two numbers", "release": "first three numbers"}


def check(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """Yield the rows that break the declared pattern of their file."""
    for platform in catalog.platforms:
        pattern = platform.compatibility.version_pattern
        for place, row in enumerate(platform.compatibility.rows if pattern else ()):
            if pattern and row.plugin and not pattern.admits(row.plugin, row.torch):
                what = (
                    f'plugin "{row.plugin}" and torch "{row.torch}" differ in the '
                    f"{_SHARED[pattern.same]} of the version, but version_pattern says that they "
                    f"are the same ({', '.join(pattern.source)})"
                )
                remedy = "correct the row, or limit the pattern with since"
                location = ("rows", place, "plugin")
                yield platform.problem("compatibility.yaml", location, what, remedy)
