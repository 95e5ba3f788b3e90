"""`data/releases.yaml` lists each release and wheel once, newest first."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator

from packaging.version import Version

from accelerator_portal.catalog import Catalog, Problem
from accelerator_portal.catalog.catalog import RELEASES
from accelerator_portal.catalog.releases_file import Wheel
from accelerator_portal.catalog.yaml_file import Location


def check(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """Yield releases out of order or doubled, and wheels said twice."""
    releases = catalog.releases.releases
    for place in range(1, len(releases)):
        before, here = releases[place - 1].version, releases[place].version
        if Version(before) <= Version(here):
            what = f"{here} is listed below {before}"
            yield _problem(
                catalog, ("releases", place, "version"), what, "list newest versions first"
            )
    yield from _doubled_wheels(catalog, catalog.releases.preview.wheels, ("preview",))
    for place, release in enumerate(releases):
        yield from _doubled_wheels(catalog, release.wheels, ("releases", place))


def _doubled_wheels(
    catalog: Catalog, wheels: tuple[Wheel, ...], location: Location
) -> Iterator[Problem]:
    seen: set[tuple[str, ...]] = set()
    for place, wheel in enumerate(wheels):
        for arch in wheel.arch:
            if (wheel.variant, wheel.os, arch) in seen:
                what = f"{wheel.variant} for {wheel.os} {arch} is listed twice"
                yield _problem(catalog, (*location, "wheels", place), what, "remove one of the two")
            seen.add((wheel.variant, wheel.os, arch))


def _problem(catalog: Catalog, location: Location, what: str, remedy: str) -> Problem:
    return Problem(RELEASES, catalog.files[RELEASES].line(location), what, remedy)
