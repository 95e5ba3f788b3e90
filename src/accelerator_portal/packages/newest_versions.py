"""Finds the newest versions of packages, and fills them into the placeholders of texts.

Answers and guides write `{newest:torchaudio}` instead of a version that is outdated soon.
"""

from __future__ import annotations

import re

from packaging.version import Version

from accelerator_portal.catalog import Catalog
from accelerator_portal.catalog.files.package_file import PYPI
from accelerator_portal.packages.fitting_releases import usable_releases
from accelerator_portal.packages.portal_packages import TORCH

PLACEHOLDER = re.compile(r"\{newest:([a-z0-9-]{1,60})((?:\+[a-z0-9.]{1,20}){0,9})\}")
"""`{newest:torchaudio}`, or `{newest:torch+cpu+cu126}` for the newest torch with these builds."""


def fill_versions(catalog: Catalog, text: str) -> str:
    """Return `text` with each placeholder replaced. Placeholders without a version stay."""

    def value(match: re.Match[str]) -> str:
        return newest_version(catalog, match[1], match[2].split("+")[1:]) or match[0]

    return PLACEHOLDER.sub(value, text) if "{newest:" in text else text


def newest_version(catalog: Catalog, package: str, variants: list[str] | None = None) -> str | None:
    """Return the newest version of a package, or None if it is unknown.

    For torch, this is the newest release in `data/releases.yaml` that has wheels of all `variants`.
    For a companion of torch, it is the newest version that the file lists for the newest torch. For
    another package, it is the newest release on PyPI in `data/packages/`.
    """
    releases = catalog.releases
    if package == TORCH:
        wanted = set(variants or ())
        matching = (r for r in releases.releases if wanted <= {w.variant for w in r.wheels})
        return max((r.version for r in matching), key=Version, default=None)
    companions = releases.companions_of(releases.newest.version).get(package)
    if companions:
        return companions[0]
    facts = catalog.packages.get(package)
    on_pypi = facts.on(PYPI) if facts else None
    return next((r.version for r in usable_releases(on_pypi.releases)), None) if on_pypi else None
