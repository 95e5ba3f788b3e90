"""Computes how long ago each fact was read at its source."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from accelerator_portal.catalog.catalog import ACCELERATORS, Catalog
from accelerator_portal.catalog.facts import Fact, facts
from accelerator_portal.catalog.source_trust import (
    TRUST_LEVELS,
    TrustLevel,
    trust_level,
    vendor_places,
)

STALE_DAYS = 90
"""Nobody has to read a source again earlier."""

SHARED = ""
"""Stands for the shared data where a platform's id is expected."""


@dataclass(frozen=True, slots=True)
class AgedFact:
    """A fact, the folder that it is in, and the day on which its oldest source was read.

    `trust` is the level of its most reliable source.
    """

    fact: Fact
    platform: str
    read: dt.date
    trust: TrustLevel

    def is_stale(self, day: dt.date, days: int = STALE_DAYS) -> bool:
        """Return whether it was read more than so many days before `day`."""
        return (day - self.read).days > days


def aged_facts(catalog: Catalog) -> tuple[AgedFact, ...]:
    """Return every fact with its age, the one that was read longest ago first."""
    vendors = {p.id: vendor_places(p.accelerator) for p in catalog.platforms}
    found = [_aged(fact, vendors) for fact in facts(catalog) if fact.sources]
    return tuple(sorted(found, key=lambda one: (one.read, one.fact.path, one.fact.line)))


def by_platform(found: Iterable[AgedFact]) -> dict[str, list[AgedFact]]:
    """Return facts by the platform that owns them, in the order of the oldest one of each."""
    groups: dict[str, list[AgedFact]] = {}
    for one in found:
        groups.setdefault(one.platform, []).append(one)
    return groups


def platform_of(fact: Fact) -> str:
    """Return the id of the platform whose folder a fact is in; SHARED for the shared data."""
    folder, _, rest = fact.path.partition("/")
    return rest.partition("/")[0] if folder == ACCELERATORS else SHARED


def _aged(fact: Fact, vendors: Mapping[str, frozenset[str]]) -> AgedFact:
    platform = platform_of(fact)
    levels = {trust_level(source, vendors.get(platform, ())) for source in fact.sources}
    best = next(level for level in TRUST_LEVELS if level in levels)
    return AgedFact(fact, platform, min(source.read for source in fact.sources), best)
