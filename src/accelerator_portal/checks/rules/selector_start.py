"""The selector's default selections are valid, one per operating system."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator

from accelerator_portal.catalog import Catalog, Problem
from accelerator_portal.catalog.catalog import ACCELERATORS, SELECTOR
from accelerator_portal.catalog.problem import did_you_mean
from accelerator_portal.catalog.selector_file import StartingChoice
from accelerator_portal.install.expand import expand
from accelerator_portal.install.resolution import resolve
from accelerator_portal.install.selector import Selector, make_selector


def check(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """Yield starting choices that no row answers, and systems that stand twice."""
    selector = make_selector(catalog, expand(catalog)[0])
    yield from _unknown_primary(catalog)
    seen: set[str] = set()
    for place, start in enumerate(catalog.defaults.start):
        line = catalog.files[SELECTOR].line(("start", place))
        if start.os in seen:
            yield Problem(SELECTOR, line, f"{start.os} is listed twice", "remove one of the two")
        seen.add(start.os)
        if start.platform not in catalog.by_id:
            yield from _unknown(catalog, start.platform, line)
            continue
        if selector.starts:  # where no platform has a row, the selector starts nowhere
            yield from _unserved(selector, start, line)


def _unserved(selector: Selector, start: StartingChoice, line: int) -> Iterator[Problem]:
    found = resolve(selector, start.model_dump())
    what = "no install option matches this selection"
    if found.choice is None:
        machine = f"{start.os} {start.arch}"
        yield Problem(SELECTOR, line, what, f"{start.platform} has no option for {machine}")
    elif found.unmet:
        near = ", ".join(f"{axis}: {found.choice[axis]}" for axis in found.unmet)
        yield Problem(SELECTOR, line, what, f"the closest option has {near}")


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
