"""`data/releases.yaml` lists each release and build once, newest first."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from typing import get_args

from packaging.version import Version

from accelerator_portal.catalog import Catalog, Problem
from accelerator_portal.catalog.catalog import RELEASES
from accelerator_portal.catalog.releases_file import Build, BuildKind
from accelerator_portal.catalog.yaml_file import Location


def check(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """Yield releases out of order or doubled, and builds listed twice."""
    releases = catalog.releases.releases
    for place in range(1, len(releases)):
        before, here = releases[place - 1].version, releases[place].version
        if Version(before) <= Version(here):
            what = f"{here} is listed below {before}"
            yield _problem(
                catalog, ("releases", place, "version"), what, "list newest versions first"
            )
    preview = catalog.releases.preview
    yield from _doubled_builds(catalog, preview.wheels, ("preview", "wheels"))
    for place, release in enumerate(releases):
        for kind in get_args(BuildKind):
            yield from _doubled_builds(catalog, release.builds(kind), ("releases", place, kind))


def _doubled_builds(
    catalog: Catalog, builds: tuple[Build, ...], location: Location
) -> Iterator[Problem]:
    seen: set[tuple[str, ...]] = set()
    for place, build in enumerate(builds):
        for arch in build.arch:
            if (build.variant, build.os, arch) in seen:
                what = f"{build.variant} for {build.os} {arch} is listed twice"
                yield _problem(catalog, (*location, place), what, "remove one of the two")
            seen.add((build.variant, build.os, arch))


def _problem(catalog: Catalog, location: Location, what: str, remedy: str) -> Problem:
    return Problem(RELEASES, catalog.files[RELEASES].line(location), what, remedy)
