"""Adds a PyTorch release to the text of `data/releases.yaml`, and finds the new errors."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass, replace

from accelerator_portal.catalog import Catalog
from accelerator_portal.catalog.catalog import RELEASES
from accelerator_portal.checks import errors, run_checks
from accelerator_portal.releases.published_builds import PublishedRelease
from accelerator_portal.releases.release_entry import (
    EntryChange,
    entry_change,
    read_releases,
    with_release,
)
from accelerator_reports.files.problem import Problem


@dataclass(frozen=True, slots=True)
class ReleaseAddition:
    """A PyTorch release to add to `data/releases.yaml`, and the errors that the addition causes.

    `published` contains what package indexes publish about the release. `change` contains the
    additions to the release's entry. `text` is the new text of `data/releases.yaml`. `problems`
    are the new errors, which can be in any file.
    """

    published: PublishedRelease
    change: EntryChange
    text: str
    problems: tuple[Problem, ...]

    @property
    def own_problems(self) -> Sequence[Problem]:
        """The new errors in `data/releases.yaml`. If there are any, do not write `text`."""
        return [problem for problem in self.problems if problem.path == RELEASES]


def release_addition(
    catalog: Catalog, text: str, published: PublishedRelease, day: dt.date
) -> ReleaseAddition:
    """Return what a release adds to the text of `data/releases.yaml`.

    `day` is the day on which the indexes were read. Raises ProblemsError if the text cannot be
    edited, and NoReleaseError if `published` has too few facts for an entry.
    """
    change = entry_change(published, read_releases(RELEASES, text)[0])
    new_text = with_release(RELEASES, text, change, day)
    return ReleaseAddition(
        published, change, new_text, tuple(_new_problems(catalog, new_text, day))
    )


def _new_problems(catalog: Catalog, text: str, day: dt.date) -> Sequence[Problem]:
    releases, file = read_releases(RELEASES, text)
    new_catalog = replace(catalog, releases=releases, files={**catalog.files, RELEASES: file})
    known_errors = {(p.path, p.what) for p in errors(run_checks(catalog, day))}
    new_errors = errors(run_checks(new_catalog, day))
    return sorted(
        {problem for problem in new_errors if (problem.path, problem.what) not in known_errors}
    )
