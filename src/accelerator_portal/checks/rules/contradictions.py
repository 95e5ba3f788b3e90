"""No two facts of the catalog contradict each other.

Pairs that are compared: a row's Python versions and those that its PyTorch release supports; a
row's SDK and the version of its variant in `install.yaml`; the driver minimums of two SDK versions,
which grow with the SDK; two rows of one plugin version and the components that it brings, and the
day on which it ends; a card and the builds that it is listed for, by release, operating system
and architecture; a card that two platforms list, by memory size and power. Rows with a note are
left out where two rows of one plugin differ. Other rules compare the requirements of an option with
its rows (`version-conflicts`), rows and releases with package metadata (`package-facts`) and the
cards of one platform (`hardware-references`).
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator

from accelerator_portal.catalog import Catalog, Problem
from accelerator_portal.checks.pairs.builds import cards_beside_builds, cards_on_two_platforms
from accelerator_portal.checks.pairs.rows import (
    drivers_beside_sdks,
    lifecycles_of_one_version,
    plugins_beside_components,
    rows_beside_releases,
    variants_beside_rows,
)
from accelerator_portal.install.expand import rows_by_platform

COMPARES = True


def check(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """Yield every pair that contradicts each other, at the fact that stands later."""
    commands = rows_by_platform(catalog)
    for platform in catalog.platforms:
        yield from rows_beside_releases(catalog, platform)
        yield from variants_beside_rows(platform)
        yield from drivers_beside_sdks(platform)
        yield from plugins_beside_components(platform)
        yield from lifecycles_of_one_version(platform)
        yield from cards_beside_builds(platform, commands[platform.id])
    yield from cards_on_two_platforms(catalog)
