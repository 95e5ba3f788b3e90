"""Versions are sorted newest first, in PEP 440 order: 7.14 is newer than 7.2.

Entries in `compatibility.yaml` are sorted by PyTorch version. Variants in `install.yaml` whose IDs
differ only in the number at the end, such as rocm7.14 and rocm7.2, are sorted by that number. Pages
show the first entry as the newest.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator

from packaging.version import Version

from accelerator_portal.catalog import Catalog, Platform, Problem

_NUMBERED = re.compile(r"(.*?[a-z-])(\d+(?:\.\d+)+)")


def check(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """Yield rows and variants that stand below older ones."""
    for platform in catalog.platforms:
        yield from _rows(platform)
        yield from _variants(platform)


def _rows(platform: Platform) -> Iterator[Problem]:
    rows = platform.compatibility.rows
    for place in range(1, len(rows)):
        before, here = rows[place - 1].torch, rows[place].torch
        if Version(before) < Version(here):
            what = f'torch "{here}" is listed below {before}'
            location = ("rows", place, "torch")
            yield platform.problem(
                "compatibility.yaml", location, what, "list newest versions first"
            )


def _variants(platform: Platform) -> Iterator[Problem]:
    newest: dict[str, str] = {}
    for place, variant in enumerate(platform.install.variants):
        numbered = _NUMBERED.fullmatch(variant.id)
        if not numbered:
            continue
        family, number = numbered.groups()
        before = newest.setdefault(family, number)
        if Version(before) < Version(number):
            what = f'"{variant.id}" is listed below {family}{before}'
            location = ("variants", place, "id")
            yield platform.problem("install.yaml", location, what, "list newest versions first")
        newest[family] = number
