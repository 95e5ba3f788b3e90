"""Returns the names that the portal knows, to check the names in reports."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from accelerator_portal.catalog.catalog import HISTORY, RELEASES, Catalog, platform_id_of
from accelerator_portal.catalog.grouping import grouped
from accelerator_portal.catalog.loader import load_catalog
from accelerator_reports.files.folders import ACCELERATORS
from accelerator_reports.files.problem import Problem, ProblemsError
from accelerator_reports.report_check import KnownNames


def is_clone(root: Path) -> bool:
    """Return whether a folder contains data of the portal, such as `accelerators/`."""
    return any((root / name).exists() for name in (ACCELERATORS, RELEASES, HISTORY))


def names_in_clone(root: Path) -> KnownNames | None:
    """Return the names that a clone of the portal knows, or None for another folder.

    Raises ProblemsError if the PyTorch releases or the selector's defaults cannot be used.
    """
    if not is_clone(root):
        return None
    catalog, problems = load_catalog(root)
    if catalog is None:
        raise ProblemsError(problems)
    return known_names(catalog, problems)


def known_names(catalog: Catalog, problems: Iterable[Problem] = ()) -> KnownNames:
    """Return the names of the accelerators, suites and plugin packages in a catalog.

    The accelerators include folders with errors, which `catalog.platforms` does not contain.
    `problems` are the problems of these folders.
    """
    folder_problems = grouped((platform_id_of(p.path), p) for p in problems)
    return KnownNames(
        accelerators=frozenset({*catalog.by_id, *catalog.unread_folders}),
        unread={name: tuple(folder_problems.get(name, ())) for name in catalog.unread_folders},
        suites=catalog.suites,
        own_suites=frozenset(catalog.own_suites),
        aliases=catalog.suite_names.aliases,
        plugin_packages={
            platform.id: name
            for platform in catalog.platforms
            if (name := platform.accelerator.package.name) != "torch"
        },
    )
