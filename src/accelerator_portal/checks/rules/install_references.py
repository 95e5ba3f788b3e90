"""IDs in `install.yaml` and `compatibility.yaml` exist and are unique."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator

from accelerator_portal.catalog import Catalog, Platform, Problem
from accelerator_portal.catalog.catalog import RELEASES
from accelerator_portal.catalog.problem import did_you_mean
from accelerator_portal.install.targets import served_builds


def check(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """Yield unknown variants, checks and releases, doubled ids, and variants not described."""
    for platform in catalog.platforms:
        yield from _doubled(platform)
        yield from _unknown(platform)
        yield from _unknown_releases(catalog, platform)
        yield from _undescribed(catalog, platform)


def _doubled(platform: Platform) -> Iterator[Problem]:
    for key in ("options", "variants"):
        seen: set[str] = set()
        for place, item in enumerate(getattr(platform.install, key)):
            if item.id in seen:
                what = f'the id "{item.id}" is listed twice in {key}'
                remedy = "use a unique ID for each"
                yield platform.problem("install.yaml", (key, place, "id"), what, remedy)
            seen.add(item.id)


def _unknown(platform: Platform) -> Iterator[Problem]:
    variants = [variant.id for variant in platform.install.variants]
    checks = list(platform.install.checks)
    for place, option in enumerate(platform.install.options):
        for name in option.variants or ():
            if name not in variants:
                location = ("options", place, "variants")
                what = f'the variant "{name}" is not listed in variants'
                remedy = did_you_mean(name, variants)
                yield platform.problem("install.yaml", location, what, remedy)
        if option.check and option.check not in checks:
            location = ("options", place, "check")
            what = f'the check "{option.check}" is not listed in checks'
            remedy = did_you_mean(option.check, checks)
            yield platform.problem("install.yaml", location, what, remedy)
        if variants and not option.published and not option.variants:
            what = "the option has no variants"
            location = ("options", place, "id")
            yield platform.problem("install.yaml", location, what, "add variants")
    for place, row in enumerate(platform.compatibility.rows):
        if row.variant and row.variant not in variants:
            location = ("rows", place, "variant")
            what = f'the variant "{row.variant}" is not listed in install.yaml'
            remedy = did_you_mean(row.variant, variants)
            yield platform.problem("compatibility.yaml", location, what, remedy)


def _unknown_releases(catalog: Catalog, platform: Platform) -> Iterator[Problem]:
    known = catalog.releases.by_version
    for place, option in enumerate(platform.install.options):
        if isinstance(option.torch, tuple):
            for version in (version for version in option.torch if version not in known):
                location = ("options", place, "torch", option.torch.index(version))
                what = f"{RELEASES} has no release {version}"
                yield platform.problem("install.yaml", location, what, did_you_mean(version, known))


def _undescribed(catalog: Catalog, platform: Platform) -> Iterator[Problem]:
    """Variants that a release publishes and an option serves, but `variants` leaves out."""
    known = {variant.id for variant in platform.install.variants}
    if not known:
        return
    options = platform.install.options
    served = {build.variant for option in options for build in served_builds(catalog, option)}
    for variant in sorted(served - known):
        what = f'{RELEASES} publishes "{variant}", which is missing from variants'
        remedy = "add it with its name and requirements, or restrict the option"
        yield platform.problem("install.yaml", ("variants",), what, remedy)
