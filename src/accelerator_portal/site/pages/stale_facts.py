"""Builds the page of stale facts, which lists facts whose sources were read too long ago.

A fact is a statement in a contributed file that names its sources.
"""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Iterable, Iterator

from accelerator_portal.catalog import Catalog
from accelerator_portal.catalog.catalog import (
    STALE_DAYS,
    TRUST_LEVELS,
    AgedFact,
    TrustLevel,
    aged_facts,
    facts_by_platform,
)
from accelerator_portal.catalog.files.package_file import PYPI
from accelerator_portal.catalog.grouping import cached_by_owner
from accelerator_portal.site.site import Page, Site
from accelerator_portal.site.site_file import SiteFile, data_file
from accelerator_reports.files.fields import StrictModel
from accelerator_reports.files.sources import points_to_branch

MOST_SHOWN = 200
"""The maximum number of facts on the page; the JSON has all facts."""


class StaleFact(StrictModel):
    """A fact whose source was read too long ago."""

    path: str
    """The file, relative to the repository."""
    line: int
    """The line of the fact in the file."""
    fact: str
    """The fact as a text."""
    platform: str
    """Id of the platform; empty for the shared data."""
    read: dt.date
    """The earliest day on which one of the fact's sources was read."""
    trust: TrustLevel
    """The trust level of the fact's most reliable source."""
    addresses: tuple[str, ...]
    """The addresses of the fact's sources, with a link to the exact lines or words if possible."""


class FactOwner(StrictModel):
    """The number, age and trust of the facts in a vendor's folder or in the shared data."""

    platform: str
    """Id of the platform; empty for the shared data."""
    owners: tuple[str, ...]
    """GitHub user names of the maintainers."""
    facts: int
    """The number of facts in the folder."""
    stale: int
    """The number of stale facts in the folder."""
    oldest: dt.date
    """The earliest day on which one of the folder's sources was read."""
    stale_after: dt.date
    """The day after which the folder's oldest fact is stale."""
    trust: dict[TrustLevel, int]
    """The number of facts by the trust level of their most reliable source."""


class MovingSource(StrictModel):
    """A source on a Git branch. Its content can change after it was read."""

    path: str
    """The file that names the source, relative to the repository."""
    url: str
    """The address of the source."""
    title: str
    """The title of the source."""
    read: dt.date
    """The day on which the source was read."""


class SourceAges(StrictModel):
    """The ages of all facts."""

    as_of: dt.date
    """The date of the data. Ages are relative to it."""
    days: int
    """The number of days after which a fact is stale."""
    trust: dict[TrustLevel, int]
    """The number of facts by the trust level of their most reliable source."""
    owners: tuple[FactOwner, ...]
    """The folders, the one with the oldest fact first."""
    stale: tuple[StaleFact, ...]
    """The stale facts, the oldest first."""
    moving: tuple[MovingSource, ...]
    """Sources on Git branches, sorted by address."""


@cached_by_owner
def source_ages(catalog: Catalog, day: dt.date) -> SourceAges:
    """Return the ages of all facts as of `day`."""
    facts_with_age = aged_facts(catalog)
    owners = [
        _fact_owner(catalog, platform_id, platform_facts, day)
        for platform_id, platform_facts in facts_by_platform(facts_with_age).items()
    ]
    stale = tuple(_stale_fact(aged_fact) for aged_fact in facts_with_age if aged_fact.is_stale(day))
    return SourceAges(
        as_of=day,
        days=STALE_DAYS,
        trust=_trust_counts(facts_with_age),
        owners=tuple(owners),
        stale=stale,
        moving=tuple(_moving_sources(facts_with_age)),
    )


SCHEMAS = {"stale-facts": SourceAges}


def pages(site: Site) -> Iterator[Page]:
    """Yield the page of stale facts."""
    ages = source_ages(site.catalog, site.data_time.date())
    context = {
        "ages": ages,
        "names": {platform.id: platform.accelerator.name for platform in site.catalog.platforms},
        "levels": TRUST_LEVELS,
        "shown": ages.stale[:MOST_SHOWN],
    }
    yield Page("contribute/stale-facts.md", context)


def data(site: Site) -> Iterator[SiteFile]:
    """Yield the JSON file with all stale facts."""
    yield data_file("stale-facts.json", source_ages(site.catalog, site.data_time.date()))


def _fact_owner(
    catalog: Catalog, platform_id: str, facts_with_age: list[AgedFact], day: dt.date
) -> FactOwner:
    platform = catalog.by_id.get(platform_id)
    maintainers = platform.accelerator.maintainers if platform else ()
    return FactOwner(
        platform=platform_id,
        owners=tuple(person.github for person in maintainers),
        facts=len(facts_with_age),
        stale=sum(aged_fact.is_stale(day) for aged_fact in facts_with_age),
        oldest=facts_with_age[0].read,
        stale_after=facts_with_age[0].read + dt.timedelta(days=STALE_DAYS),
        trust=_trust_counts(facts_with_age),
    )


def _trust_counts(facts_with_age: Iterable[AgedFact]) -> dict[TrustLevel, int]:
    counts = Counter(aged_fact.trust for aged_fact in facts_with_age)
    return {level: counts[level] for level in TRUST_LEVELS}


def _moving_sources(facts_with_age: Iterable[AgedFact]) -> Iterator[MovingSource]:
    """Yield the sources on Git branches, sorted by address and file.

    A source is yielded once for each file that names the source.
    """
    moving_sources = {
        (source.url, aged_fact.fact.path): source
        for aged_fact in facts_with_age
        for source in aged_fact.fact.sources
        if source.url and points_to_branch(source.url)
    }
    for (url, path), source in sorted(moving_sources.items()):
        yield MovingSource(path=path, url=url, title=source.title, read=source.read)


def _stale_fact(aged_fact: AgedFact) -> StaleFact:
    sources = aged_fact.fact.sources
    addresses = tuple(s.address or f"https://{PYPI}.org/project/{s.package}/" for s in sources)
    return StaleFact.from_objects(
        aged_fact, aged_fact.fact, fact=aged_fact.fact.text, addresses=addresses
    )
