"""Builds the site without the platforms whose folders stop the build or cause broken links.

Such a folder passes all checks, so only a build shows the fault: it is one that no rule knows yet.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from accelerator_automation.archive_store import Archive
from accelerator_automation.building import BuildError, Engine, Quarantine, build, mkdocs
from accelerator_automation.last_good_folders import changed_folders, last_good_dates
from accelerator_portal.catalog import Catalog
from accelerator_reports.files.wording import count


def build_with_quarantine(  # noqa: PLR0913 - what, where, and how
    root: Path,
    target: Path,
    catalog: Catalog,
    quarantine: Quarantine,
    today: dt.date,
    *,
    engine: Engine = mkdocs,
    on_search: Callable[[str], None] = lambda _: None,
) -> Quarantine:
    """Build the site, and return the quarantine with which it could be built.

    `catalog` has the platforms whose folders have no errors. If the site cannot be built or has
    broken links, the function builds it without some of these platforms until it knows which of
    them cause this. The result's `excluded` names them, with the first thing that was wrong. If
    the archive has a valid version of their folders, the site shows this version. `on_search` is
    called with a line before each of these builds.

    Raises the BuildError of the first build if the site cannot be built without any platform
    either. Also raises ArchiveError, OSError.
    """

    def attempt(attempted: Quarantine) -> BuildError | None:
        try:
            build(root, target, attempted, engine=engine)
        except BuildError as error:
            return error
        return None

    if (error := attempt(quarantine)) is None:
        return quarantine
    suspects = _suspects(root, catalog, quarantine.archive)

    def without(platforms: frozenset[str]) -> Quarantine:
        return replace(quarantine, excluded=dict.fromkeys(sorted(platforms), error.cause))

    def builds_without(platforms: frozenset[str]) -> bool:
        on_search(f"{error}. Building without {_names(platforms, catalog)} to find the cause")
        return attempt(without(platforms)) is None

    for group in suspects:
        if builds_without(frozenset(group)):
            culprits = _culprits(group, frozenset(), builds_without)
            return _with_last_good(without(culprits), culprits, today, attempt)
    raise error


def _suspects(root: Path, catalog: Catalog, archive: Archive | None) -> list[Sequence[str]]:
    """Return groups of platforms that may stop the build, the most likely group first.

    These are the platforms whose folder changed since its archived version, then all platforms.
    """
    every = tuple(catalog.by_id)
    changed = tuple(changed_folders(archive, root, every)) if archive else ()
    return [group for group in dict.fromkeys((changed, every)) if group]


def _names(platforms: frozenset[str], catalog: Catalog) -> str:
    few = 3
    is_all = len(platforms) == len(catalog.platforms)
    number = "all platforms" if is_all else count(len(platforms), "platform")
    return ", ".join(sorted(platforms)) if len(platforms) <= few else number


def _culprits(
    suspects: Sequence[str], excluded: frozenset[str], builds: Callable[[frozenset[str]], bool]
) -> frozenset[str]:
    """Return the platforms among `suspects` without which the site can be built.

    The site can be built without `suspects` and `excluded`. `builds` takes platforms and returns
    whether the site can be built without them.
    """
    if len(suspects) == 1:
        return frozenset(suspects)
    middle = len(suspects) // 2
    first, second = frozenset(suspects[:middle]), frozenset(suspects[middle:])
    for half in (first, second):
        if builds(excluded | half):
            return _culprits([s for s in suspects if s in half], excluded, builds)
    found = _culprits(suspects[:middle], excluded | second, builds)
    return found | _culprits(suspects[middle:], excluded | found, builds)


def _with_last_good(
    quarantine: Quarantine,
    culprits: frozenset[str],
    today: dt.date,
    attempt: Callable[[Quarantine], BuildError | None],
) -> Quarantine:
    """Build the site with the last valid versions of the culprits, or without these.

    Returns the quarantine of the build. Raises BuildError, ArchiveError, OSError.
    """
    archive = quarantine.archive
    if archive and (dates := last_good_dates(archive, culprits, today)):
        standing_in = {**quarantine.standing_in, **dates}
        with_versions = replace(quarantine, standing_in=standing_in)
        if attempt(with_versions) is None:
            return with_versions
    if error := attempt(quarantine):
        raise error
    return quarantine
