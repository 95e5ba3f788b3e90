"""Dates on which sources were read are not in the future.

The site calculates the age of facts from these dates. A future date is usually a typing error.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping
from contextlib import suppress

from pydantic import ValidationError

from accelerator_portal.catalog import Catalog, Problem
from accelerator_portal.catalog.sources import Source


def check(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """Yield sources whose date lies after `today`, which is a day in UTC."""
    for path, file in catalog.files.items():
        declared = file.data.get("sources") if isinstance(file.data, Mapping) else None
        if isinstance(declared, Mapping):
            for name, day in _late(_valid(declared), today):
                yield _problem(path, file.line(("sources", name, "read")), day, today)
    for text in catalog.texts:
        for name, day in _late(text.sources, today):
            yield _problem(text.path, text.source_lines.get(name, 1), day, today)


def _valid(declared: Mapping[str, object]) -> dict[str, Source]:
    """Sources as written; those with faults of their own are reported where the file is read."""
    found: dict[str, Source] = {}
    for name, item in declared.items():
        with suppress(ValidationError):
            found[name] = Source.model_validate(item)
    return found


def _late(sources: Mapping[str, Source], today: dt.date) -> Iterator[tuple[str, dt.date]]:
    return ((name, source.read) for name, source in sources.items() if source.read > today)


def _problem(path: str, line: int, day: dt.date, today: dt.date) -> Problem:
    what = f"the date {day} is in the future (today is {today} in UTC)"
    return Problem(path, line, what, "use the date on which you read the source")
