"""Whether a platform's folder still passes the check with a report that a feed brought.

A report that is right by itself can be wrong in its folder: two reports of the same run, or more
reports than a folder may have. Taken all the same, it would fail the check of every pull request.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

from accelerator_portal.catalog import Catalog, Platform, Problem
from accelerator_portal.catalog.catalog import ACCELERATORS, RESULTS
from accelerator_portal.catalog.results_folder import excess
from accelerator_portal.checks import errors, run_checks


@dataclass
class FolderCheck:
    """The folders as they are after the reports that were taken already."""

    catalog: Catalog
    day: dt.date
    _results: dict[str, tuple[Path, ...]] = field(default_factory=dict)

    def problems(self, accelerator: str, file: Path) -> list[Problem]:
        """Return the errors that the folder has with this report and has not without it.

        The report counts instead of the one with the same file name.
        """
        platform = self.catalog.by_id[accelerator]
        before = self._results.get(accelerator, platform.results)
        after = _with(before, file)
        path = f"{ACCELERATORS}/{accelerator}/{RESULTS}"
        remedy = "remove older reports from the folder"
        found = [Problem(path, 1, what, remedy) for what in excess(after)]
        return found or sorted(self._errors(platform, after) - self._errors(platform, before))

    def take(self, accelerator: str, file: Path) -> None:
        """Count a report, which was written to its place, as part of its folder."""
        platform = self.catalog.by_id[accelerator]
        before = self._results.get(accelerator, platform.results)
        self._results[accelerator] = _with(before, file)

    def _errors(self, platform: Platform, results: tuple[Path, ...]) -> set[Problem]:
        """The errors of one platform; rules that compare platforms don't report errors."""
        alone = replace(self.catalog, platforms=(replace(platform, results=results),))
        return set(errors(run_checks(alone, self.day)))


def _with(results: Iterable[Path], file: Path) -> tuple[Path, ...]:
    kept = (one for one in results if one.name != file.name)
    return tuple(sorted((*kept, file), key=lambda one: one.name))
