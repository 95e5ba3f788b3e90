"""Validation settings refer to existing suites and checks, and recipe IDs are unique.

A setting for a suite that doesn't exist has no effect.
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
                what = f'there is no suite "{suite}"'
                remedy = did_you_mean(suite, catalog.suites)
                yield platform.problem(VALIDATION, ("suites", suite), what, remedy)
        yield from _recipes(platform)


def _recipes(platform: Platform) -> Iterator[Problem]:
    seen: set[str] = set()
    for place, recipe in enumerate(platform.validation.deploy):
        if recipe.id in seen:
            what = f'the recipe "{recipe.id}" is listed twice'
            location = ("deploy", place, "id")
            yield platform.problem(VALIDATION, location, what, "use a unique ID for each")
        seen.add(recipe.id)
        if recipe.check not in platform.install.checks:
            what = f'install.yaml has no check "{recipe.check}"'
            remedy = did_you_mean(recipe.check, platform.install.checks)
            yield platform.problem(VALIDATION, ("deploy", place, "check"), what, remedy)
