"""No two folders may claim the same name, or the same package of a plugin.

Package names are compared as an index does, so `torch-tpu` and `torch_tpu` are one.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator

from packaging.utils import canonicalize_name

from accelerator_portal.catalog import Catalog, Platform, Problem
from accelerator_portal.catalog.yaml_file import Location

COMPARES = True


def check(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """Yield the second and later claims."""
    claims: dict[tuple[str, str], Platform] = {}
    for platform in sorted(catalog.platforms, key=lambda p: (not p.in_tree, p.id)):
        for kind, name, location in _claims(platform):
            first = claims.setdefault((kind, name), platform)
            if first is not platform:
                yield platform.problem("accelerator.yaml", location, *words(kind, name, first))


def words(kind: str, name: str, first: Platform) -> tuple[str, str]:
    """Say that the name, or the package, is another's, and what would be right."""
    what = f'the {kind} "{name}" is already claimed by {first.path("accelerator.yaml")}'
    return what, "give this one its own, or merge the two folders"


def _claims(platform: Platform) -> Iterator[tuple[str, str, Location]]:
    yield "name", platform.accelerator.name.casefold(), ("name",)
    if not platform.in_tree:
        package = canonicalize_name(platform.accelerator.package.name)
        yield "package", package, ("package", "name")
