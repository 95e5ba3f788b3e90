"""What the selector shows first is a real choice, one per operating system; its platforms exist."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from itertools import zip_longest

from accelerator_portal.catalog import Catalog, Problem
from accelerator_portal.catalog.catalog import ACCELERATORS, SELECTOR
from accelerator_portal.catalog.problem import did_you_mean
from accelerator_portal.install.expand import expand
from accelerator_portal.install.selector import make_selector


def check(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """Yield starting choices that no row answers, and systems that stand twice."""
    starts = make_selector(catalog, expand(catalog)[0]).starts
    yield from _unknown_primary(catalog)
    seen: set[str] = set()
    # Where no platform has a row, the selector starts nowhere; unknown platforms are still named.
    for place, (start, found) in enumerate(zip_longest(catalog.defaults.start, starts)):
        line = catalog.files[SELECTOR].line(("start", place))
        if start.os in seen:
            yield Problem(SELECTOR, line, f"{start.os} stands twice", "keep one of the two")
        seen.add(start.os)
        if start.platform not in catalog.by_id:
            yield from _unknown(catalog, start.platform, line)
            continue
        if found is None:
            continue
        wanted = start.model_dump()
        near = {axis: found[axis] for axis in wanted}
        if near != wanted:
            what = "no install option answers this choice"
            yield Problem(SELECTOR, line, what, f"the nearest is {', '.join(near.values())}")


def _unknown_primary(catalog: Catalog) -> Iterator[Problem]:
    for place, name in enumerate(catalog.defaults.primary):
        if name not in catalog.by_id:
            yield from _unknown(catalog, name, catalog.files[SELECTOR].line(("primary", place)))


def _unknown(catalog: Catalog, name: str, line: int) -> Iterator[Problem]:
    read = any(path.startswith(f"{ACCELERATORS}/{name}/") for path in catalog.files)
    if read or name in catalog.set_aside:
        return  # its own problems keep it out, and are said already
    what = f'there is no platform "{name}"'
    yield Problem(SELECTOR, line, what, did_you_mean(name, catalog.by_id))
