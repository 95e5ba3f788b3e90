"""Ids that `install.yaml` and `compatibility.yaml` name exist, and each is given once."""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatchcase

from accelerator_portal.catalog import Catalog, Platform, Problem
from accelerator_portal.catalog.problem import did_you_mean


def check(catalog: Catalog) -> Iterator[Problem]:
    """Yield unknown variants and checks, doubled ids, and published variants not described."""
    for platform in catalog.platforms:
        yield from _doubled(platform)
        yield from _unknown(platform)
        yield from _undescribed(catalog, platform)


def _doubled(platform: Platform) -> Iterator[Problem]:
    for key in ("options", "variants"):
        seen: set[str] = set()
        for place, item in enumerate(getattr(platform.install, key)):
            if item.id in seen:
                what = f'the id "{item.id}" stands twice in {key}'
                remedy = "give each its own id"
                yield platform.problem("install.yaml", (key, place, "id"), what, remedy)
            seen.add(item.id)


def _unknown(platform: Platform) -> Iterator[Problem]:
    variants = [variant.id for variant in platform.install.variants]
    checks = list(platform.install.checks)
    for place, option in enumerate(platform.install.options):
        for name in option.variants or ():
            if name not in variants:
                location = ("options", place, "variants")
                what = f'the variant "{name}" is not described in variants'
                remedy = did_you_mean(name, variants)
                yield platform.problem("install.yaml", location, what, remedy)
        if option.check and option.check not in checks:
            location = ("options", place, "check")
            what = f'the check "{option.check}" is not described in checks'
            remedy = did_you_mean(option.check, checks)
            yield platform.problem("install.yaml", location, what, remedy)
        if variants and not option.wheels and not option.variants:
            what = "the option does not say which variants it serves"
            location = ("options", place, "id")
            yield platform.problem("install.yaml", location, what, "add variants")
    for place, row in enumerate(platform.compatibility.rows):
        if row.variant and row.variant not in variants:
            location = ("rows", place, "variant")
            what = f'the variant "{row.variant}" is not described in install.yaml'
            remedy = did_you_mean(row.variant, variants)
            yield platform.problem("compatibility.yaml", location, what, remedy)


def _undescribed(catalog: Catalog, platform: Platform) -> Iterator[Problem]:
    """Variants that a release publishes and an option's glob meets, but `variants` leaves out."""
    known = {variant.id for variant in platform.install.variants}
    if not known:
        return
    wheels = [wheel for release in catalog.releases.releases for wheel in release.wheels]
    published = sorted({wheel.variant for wheel in (*catalog.releases.preview.wheels, *wheels)})
    globs = [option.wheels for option in platform.install.options if option.wheels]
    for variant in published:
        if variant not in known and any(fnmatchcase(variant, glob) for glob in globs):
            what = f'data/releases.yaml publishes "{variant}", which variants leaves out'
            remedy = "add it with its name and what it requires"
            yield platform.problem("install.yaml", ("variants",), what, remedy)
