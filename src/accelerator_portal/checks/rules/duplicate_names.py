"""Each folder has its own name and its own plugin package.

Package names are compared in normalized form, so `torch-tpu` and `torch_tpu` are the same. If
several vendors' packages share a name, such as builds of `torch`, each sets `package.shared_name`.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator

from packaging.utils import canonicalize_name

from accelerator_portal.catalog import Catalog, Platform, Problem
from accelerator_portal.catalog.yaml_file import Location
from accelerator_portal.checks.names import claimed_fault

COMPARES = True


def check(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """Yield the second and later claims."""
    claims: dict[tuple[str, str], Platform] = {}
    for platform in catalog.by_claim:
        for kind, name, location in _claims(platform):
            first = claims.setdefault((kind, name), platform)
            if first is not platform and not (kind == "package" and _share(first, platform)):
                yield platform.problem(
                    "accelerator.yaml", location, *claimed_fault(kind, name, first)
                )


def _share(first: Platform, second: Platform) -> bool:
    """Whether both vendors say that they share the name: one alone could take another's."""
    return first.accelerator.package.shared_name and second.accelerator.package.shared_name


def _claims(platform: Platform) -> Iterator[tuple[str, str, Location]]:
    yield "name", platform.accelerator.name.casefold(), ("name",)
    if not platform.in_tree:
        package = canonicalize_name(platform.accelerator.package.name)
        yield "package", package, ("package", "name")
