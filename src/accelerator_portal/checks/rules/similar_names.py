"""Platform IDs, names and packages don't look like another platform's.

For example, `torch-acrne` looks like `torch-acme`, and installing the wrong package runs its code.
The rule follows Unicode Technical Standard 39, Security Mechanisms. Of the table of confusable
characters, it covers the letters that names can contain.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator

from packaging.utils import canonicalize_name

from accelerator_portal.catalog import Catalog, Platform, Problem
from accelerator_portal.catalog.yaml_file import Location
from accelerator_portal.checks.names import skeleton

COMPARES = True


def check(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """Yield names that look like another platform's, and package names that do."""
    claims: dict[tuple[str, str], tuple[Platform, str]] = {}
    for platform in catalog.by_claim:
        told: set[str] = set()
        for kind, name, location in _names(platform):
            first, other = claims.setdefault((kind, skeleton(name)), (platform, name))
            if first is not platform and name.casefold() != other.casefold() and kind not in told:
                told.add(kind)
                what = f'"{name}" looks like "{other}" of {first.path("accelerator.yaml")}'
                yield platform.problem("accelerator.yaml", location, what, "choose another name")


def _names(platform: Platform) -> Iterator[tuple[str, str, Location]]:
    yield "platform", platform.id, ("name",)
    yield "platform", platform.accelerator.name, ("name",)
    package = canonicalize_name(platform.accelerator.package.name)
    yield "package", package, ("package", "name")
