"""Returns the names that the portal knows, to check the names in reports."""

from __future__ import annotations

from pathlib import Path

from accelerator_portal.catalog.catalog import HISTORY, RELEASES, Catalog
from accelerator_portal.catalog.loader import load_catalog
from accelerator_reports.files.folders import ACCELERATORS
from accelerator_reports.files.problem import ProblemsError
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
    return known_names(catalog)


def known_names(catalog: Catalog) -> KnownNames:
    """Return the names of the accelerators, suites and plugin packages in a catalog.

    The accelerators include quarantined folders, which `catalog.platforms` does not contain.
    """
    return KnownNames(
        accelerators=frozenset({*catalog.by_id, *catalog.unloaded_reports}),
        suites=catalog.suites,
        own_suites=frozenset(catalog.own_suites),
        aliases=catalog.suite_names.aliases,
        plugin_packages={
            platform.id: name
            for platform in catalog.platforms
            if (name := platform.accelerator.package.name) != "torch"
        },
    )
