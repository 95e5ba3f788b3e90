"""Validation settings name suites and checks that there are, and each recipe once.

A setting for a suite that does not exist is never used, and nobody would notice.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator

from accelerator_portal.catalog import Catalog, Platform, Problem
from accelerator_portal.catalog.loader import VALIDATION
from accelerator_portal.catalog.problem import did_you_mean
from accelerator_portal.catalog.suite_file import SUITES_OF_CHECKOUTS


def check(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """Yield unknown suites, unknown checks, and ids that stand twice."""
    for platform in catalog.platforms:
        for suite in platform.validation.suites:
            if catalog.suites and suite not in {*catalog.suites, *SUITES_OF_CHECKOUTS}:
                what = f'the portal knows no suite "{suite}"'
                remedy = did_you_mean(suite, catalog.suites)
                yield platform.problem(VALIDATION, ("suites", suite), what, remedy)
        yield from _recipes(platform)


def _recipes(platform: Platform) -> Iterator[Problem]:
    seen: set[str] = set()
    for place, recipe in enumerate(platform.validation.deploy):
        if recipe.id in seen:
            what = f'the recipe "{recipe.id}" stands twice'
            location = ("deploy", place, "id")
            yield platform.problem(VALIDATION, location, what, "give each an id of its own")
        seen.add(recipe.id)
        if recipe.check not in platform.install.checks:
            what = f'install.yaml has no check "{recipe.check}"'
            remedy = did_you_mean(recipe.check, platform.install.checks)
            yield platform.problem(VALIDATION, ("deploy", place, "check"), what, remedy)
