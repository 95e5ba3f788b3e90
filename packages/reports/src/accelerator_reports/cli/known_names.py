"""Asks the installed packages which names a folder knows, to check the names in reports."""

from __future__ import annotations

from importlib.metadata import entry_points
from pathlib import Path

import click

from accelerator_reports.files.folders import ACCELERATORS
from accelerator_reports.report_check import KnownNames

ENTRY_POINTS = "accelerator_reports.known_names"
"""The entry point group of functions that return the names that a clone of the portal knows, or
None for another folder. The package `accelerator-portal` has one."""


def names_known_in(root: Path) -> KnownNames:
    """Return the names that a clone of the portal knows; no names for another folder.

    Without names, those in a report are not checked. A vendor's CI has no clone: the portal checks
    the names when it gets the report. Raises ProblemsError if the clone cannot be read.
    """
    for point in entry_points(group=ENTRY_POINTS):
        names: KnownNames | None = point.load()(root)
        if names:
            return names
    if (root / ACCELERATORS).is_dir():
        problem = "The names of platforms and suites are not checked"
        click.echo(f"{problem}: accelerator-portal is not installed.", err=True)
    return KnownNames()
