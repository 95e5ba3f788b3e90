"""Loads the catalog without the folders that have errors, so that the site shows all others."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from accelerator_portal.catalog import Catalog
from accelerator_portal.catalog.catalog import platform_id_of
from accelerator_portal.catalog.grouping import grouped
from accelerator_portal.catalog.loader import load_platform
from accelerator_portal.checks import RULES, errors, run_checks
from accelerator_portal.checks.folder_limits import load_within_limits
from accelerator_portal.checks.stored_data import is_package_data
from accelerator_reports.files.folders import ACCELERATORS
from accelerator_reports.files.problem import Problem

# The file beside the last valid versions that has the first day on which each was shown.
SINCE_FILE = "since.json"

_COMPARING_RULES = {rule.id for rule in RULES if rule.compares}


def load_with_quarantine(
    root: Path,
    today: dt.date,
    last_good: Path | None = None,
    excluded: Mapping[str, str] | None = None,
) -> tuple[Catalog | None, list[Problem]]:
    """Return the catalog without vendors' folders that have errors, and the other problems.

    The folders with errors are quarantined: `Catalog.set_aside` contains their errors. The other
    problems are warnings, or errors of shared data. The site cannot be built if shared data has
    errors. If the shared data cannot be used at all, the catalog is None. Problems of package facts
    are warnings: the site omits these facts.

    `excluded` are quarantined, too: the ids of platforms, each with the reason.

    `last_good` is a folder with the last valid versions of vendors' folders. The last valid version
    of a quarantined folder is added to the catalog if it can be loaded and the rules find no error
    with it. `Catalog.shown_before` names the folders for which a version was added.
    """
    catalog, problems = _quarantine_broken_folders(root, today, excluded or {})
    if catalog is not None and last_good is not None:
        for folder, since in last_good_versions(last_good).items():
            if folder in catalog.set_aside:
                catalog = _with_last_good(catalog, last_good, folder, since, today)
    return catalog, problems


def last_good_versions(last_good: Path) -> dict[str, dt.date]:
    """Return the day since which the site shows a folder's last valid version, by folder name.

    The site shows the last valid version while the folder has errors. The nightly job writes the
    versions to `accelerators/<id>` below `last_good`, and the dates to `since.json`. Without a
    valid `since.json`, the result is empty.
    """
    try:
        day_by_folder = json.loads((last_good / SINCE_FILE).read_text("utf-8"))
        return {folder: dt.date.fromisoformat(day) for folder, day in sorted(day_by_folder.items())}
    except (OSError, ValueError, AttributeError, TypeError):
        return {}


def _with_last_good(
    catalog: Catalog, last_good: Path, folder: str, since: dt.date, today: dt.date
) -> Catalog:
    """Return the catalog with the last valid version of a quarantined folder added.

    The version is loaded from `accelerators/<folder>` below `last_good`. `since` is the date that
    `last_good_versions` returns for the folder. The catalog is returned unchanged if the version
    cannot be loaded, or if the rules find an error in the catalog with the version.
    """
    platform, _ = load_platform(last_good, folder)
    if platform is None:
        return catalog
    shown_before = {**catalog.shown_before, folder: since}
    extended = replace(catalog.with_platform(platform), shown_before=shown_before)
    return catalog if errors(_rule_problems(extended, today)) else extended


def _quarantine_broken_folders(
    root: Path, today: dt.date, excluded: Mapping[str, str]
) -> tuple[Catalog | None, list[Problem]]:
    catalog, problems = load_within_limits(root, today)
    if catalog is None:
        return None, sorted(set(problems))
    quarantined, shared = _errors_by_folder(
        replace(p, level="warning") if is_package_data(p) else p for p in problems
    )
    for name, reason in excluded.items():
        what = f"the site cannot be built with this folder ({reason})"
        remedy = "correct what the folder states, or report a bug of the portal"
        quarantined.setdefault(name, (Problem(f"{ACCELERATORS}/{name}", 1, what, remedy),))
    catalog = _without_folders(catalog, quarantined)
    while True:
        rule_problems = _rule_problems(catalog, today)
        new_errors = _errors_by_folder(rule_problems)[0]
        if not new_errors:
            return catalog, sorted({*shared, *rule_problems})
        for folder, problems_there in new_errors.items():
            quarantined[folder] = tuple(sorted({*quarantined.get(folder, ()), *problems_there}))
        catalog = replace(_without_folders(catalog, quarantined), unloaded_reports={})


def _rule_problems(catalog: Catalog, today: dt.date) -> list[Problem]:
    """Return the problems that all rules find. Problems from comparing folders are warnings.

    For example, if two folders have the same name, a rule reports an error in one of them. Here,
    the error becomes a warning, so neither folder is quarantined. `accelerator-portal check` still
    reports the error, so that the pull request that adds the second folder fails.
    """
    return [
        replace(problem, level="warning") if problem.rule in _COMPARING_RULES else problem
        for problem in run_checks(catalog, today)
    ]


def _errors_by_folder(
    problems: Iterable[Problem],
) -> tuple[dict[str, tuple[Problem, ...]], list[Problem]]:
    """Return the errors of each vendor's folder that has errors, and all problems elsewhere."""
    problems = list(problems)
    folders = grouped((folder, p) for p in errors(problems) if (folder := platform_id_of(p.path)))
    other_problems = [
        problem for problem in problems if platform_id_of(problem.path) not in folders
    ]
    return {
        name: tuple(sorted(set(folder_errors))) for name, folder_errors in folders.items()
    }, other_problems


def _without_folders(catalog: Catalog, quarantined: Mapping[str, tuple[Problem, ...]]) -> Catalog:
    return replace(
        catalog,
        platforms=tuple(p for p in catalog.platforms if p.id not in quarantined),
        files={
            path: file
            for path, file in catalog.files.items()
            if platform_id_of(path) not in quarantined
        },
        set_aside=dict(sorted(quarantined.items())),
    )
