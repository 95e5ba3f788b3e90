"""Every plugin release on the platform's index has a row in `compatibility.yaml`, and a command.

A reader must not miss a release that was published weeks ago. The command `accelerator-portal
plugin-release` writes the row. Where an install option lists its PyTorch releases one by one, the
row alone is not enough: the newest row then has no install command.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator

from accelerator_portal.catalog import Catalog, Platform, Problem
from accelerator_portal.install.expand import rows_by_platform
from accelerator_portal.packages.plugin_releases import new_releases

LEVEL = "warning"


def check(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """Yield releases without a row, and newest rows that no install option serves."""
    commands = rows_by_platform(catalog)
    for platform in catalog.platforms:
        yield from _without_row(catalog, platform)
        yield from _without_command(platform, {row.build for row in commands[platform.id]})


def _without_row(catalog: Catalog, platform: Platform) -> Iterator[Problem]:
    for release in new_releases(catalog, platform):
        what = f"no row lists {release.name}, which the package index has"
        command = f"accelerator-portal plugin-release {platform.id} {release.facts.version}"
        yield platform.problem("compatibility.yaml", ("rows",), what, f"run {command}")


def _without_command(platform: Platform, builds: set[str]) -> Iterator[Problem]:
    rows = [row for row in platform.compatibility.rows if row.plugin]
    if rows and builds and rows[0].torch not in builds:
        newest = rows[0]
        what = f"no install option serves torch {newest.torch}, the newest row's ({newest.plugin})"
        remedy = "add the release to an option, or use `compatibility: true`"
        yield platform.problem("install.yaml", ("options",), what, remedy)
