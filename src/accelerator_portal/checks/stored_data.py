"""Checks the data that jobs write: verification results of install commands, and archived results.

A damaged file of this kind does not stop the site, which shows everything else.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from accelerator_portal.catalog import Catalog
from accelerator_portal.catalog.files.package_file import PACKAGES, PACKAGES_READ
from accelerator_portal.packages.verdict_file import read_verdicts
from accelerator_portal.results.result_files import archive_problems, archived_accelerators
from accelerator_reports.files.problem import Problem, ProblemsError


def stored_data_problems(catalog: Catalog, root: Path) -> Iterator[Problem]:
    """Yield the problems of verification results and of the archive below `root`."""
    for platform in catalog.platforms:
        try:
            read_verdicts(root, platform.id)
        except ProblemsError as error:
            yield from error.problems
    for accelerator in archived_accelerators(root):
        yield from archive_problems(root, accelerator)


def is_package_data(problem: Problem) -> bool:
    """Return whether a problem is in the package facts, which `packages sync` writes."""
    return problem.path == PACKAGES_READ or problem.path.startswith(f"{PACKAGES}/")
