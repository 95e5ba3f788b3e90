"""Checks that the links in vendors' folders still work, for `accelerator-portal check --network`.

A link that works today may fail tomorrow, and a host may refuse programs. The problems are
therefore warnings.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from accelerator_portal.catalog import Catalog
from accelerator_portal.http import (
    MISSING_STATUSES,
    FetchError,
    HttpClient,
    RequestLimits,
    open_client,
)
from accelerator_reports.files.problem import Problem

RULE = "network"
LIMITS = RequestLimits(concurrent_per_host=2, redirects=8)
AGENT = "accelerator-portal (link check)"

# Hosts that refuse programs respond with these statuses, which say nothing about the page.
_REFUSAL_STATUSES = {401, 403, 405, 406, 418, 429, 451, 503, 999}
_FIRST_ERROR_STATUS = 400


@dataclass(frozen=True, slots=True)
class Place:
    """The file and the line of an address."""

    path: str
    line: int


def links_to_check(catalog: Catalog) -> dict[str, Place]:
    """Return the addresses to check, each with the first place where it occurs.

    The addresses are the values of the keys `url` and `…_url` in vendors' YAML files, and the https
    links in guides and FAQs. Addresses with placeholders are left out.
    """
    place_by_url: dict[str, Place] = {}
    for platform in catalog.platforms:
        for file in platform.files.values():
            for location, value in file.values():
                is_address = bool(location) and str(location[-1]).rpartition("_")[2] == "url"
                if is_address and isinstance(value, str) and "{" not in value:
                    place_by_url.setdefault(value, Place(file.path, file.line(location)))
    for text in catalog.texts:
        for target in text.targets:
            if target.address.startswith("https://"):
                place_by_url.setdefault(target.address, Place(text.path, target.line))
    return place_by_url


def check_network(
    place_by_url: Mapping[str, Place], on_request: Callable[[], None] = lambda: None
) -> list[Problem]:
    """Request every address once, and return a problem for each broken link.

    A link is broken if there is no response or an error status. A status that hosts send to refuse
    programs, such as 403, is not an error. `on_request` is called after each request. Requests
    stay within LIMITS.
    """
    return sorted(asyncio.run(_check_links(place_by_url, on_request)))


async def _check_links(
    place_by_url: Mapping[str, Place], on_request: Callable[[], None]
) -> list[Problem]:
    async def check_link(client: HttpClient, address: str, place: Place) -> Problem | None:
        what = await _link_error(client, address)
        on_request()
        if what is None:
            return None
        return Problem(
            place.path, place.line, what, "correct the link or remove it", RULE, "warning"
        )

    async with open_client(AGENT, LIMITS) as client:
        results = await asyncio.gather(
            *(check_link(client, a, place) for a, place in place_by_url.items())
        )
    return [problem for problem in results if problem]


async def _link_error(client: HttpClient, address: str) -> str | None:
    """Return an error message for a broken link.

    None if the link works or its host refuses programs.
    """
    shown = f'"{address[:200]}"'
    try:
        status = await client.status(address)
    except FetchError as error:
        if error.kind == "loop":
            return f"{shown} has a redirect loop"
        return f"{shown} does not respond ({error.cause})"
    if status in MISSING_STATUSES:
        return f"{shown} no longer exists ({status})"
    if status >= _FIRST_ERROR_STATUS and status not in _REFUSAL_STATUSES:
        return f"{shown} responds with an error ({status})"
    return None
