"""Ids of pytorch.org's Additional Platforms page stand for one folder each.

`additional_platform.id` is the id under which pytorch.org lists a platform, and
`additional-platforms.json` uses it. Two folders can't have the same one, and it can't be the id of
another folder. Hyphens and underscores are the same here.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from dataclasses import dataclass

from accelerator_portal.catalog import Catalog, Platform, Problem
from accelerator_portal.catalog.yaml_file import Location
from accelerator_portal.checks.names import claimed_fault

COMPARES = True


@dataclass(frozen=True, slots=True)
class _Claim:
    platform: Platform
    id: str
    location: Location
    """Where the file states the id; empty for the id of the folder itself."""


def check(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """Yield the second and later claims."""
    first: dict[str, Platform] = {}
    for claim in _claims(catalog):
        owner = first.setdefault(claim.id.replace("-", "_"), claim.platform)
        if owner is not claim.platform:
            fault = claimed_fault("id", claim.id, owner)
            yield claim.platform.problem("accelerator.yaml", claim.location, *fault)


def _claims(catalog: Catalog) -> list[_Claim]:
    """Folders claim their own ids first; who changes a folder claims after all others."""
    claims = [
        claim for platform in catalog.by_claim for claim in (_own(platform), *_listed(platform))
    ]
    return sorted(claims, key=lambda one: (one.platform.id in catalog.changed, bool(one.location)))


def _own(platform: Platform) -> _Claim:
    return _Claim(platform, platform.id, ())


def _listed(platform: Platform) -> Iterator[_Claim]:
    if entry := platform.accelerator.additional_platform:
        yield _Claim(platform, entry.id, ("additional_platform", "id"))
