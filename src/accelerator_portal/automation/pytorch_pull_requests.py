"""A pull request for each PyTorch release whose entry is missing or incomplete."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass

from packaging.version import Version

from accelerator_portal.automation import pytorch_release_text as texts
from accelerator_portal.automation.github import Api
from accelerator_portal.automation.github_branch import BranchRepository
from accelerator_portal.automation.proposals import ProposalKind, ProposalResults, settle
from accelerator_portal.catalog import Catalog, ProblemsError
from accelerator_portal.catalog.catalog import RELEASES
from accelerator_portal.catalog.package_file import PYPI
from accelerator_portal.checks.release_addition import ReleaseAddition, release_addition
from accelerator_portal.packages.portal_packages import TORCH
from accelerator_portal.releases.entry import NoReleaseError
from accelerator_portal.releases.entry_edit import with_release
from accelerator_portal.releases.published import PublishedRelease

COMPLETED_FOR = dt.timedelta(days=30)
"""So long after a release its entry is completed: indexes get builds for days."""

AskIndexes = Callable[[str], PublishedRelease]
"""Returns what the indexes publish of a version."""


@dataclass(frozen=True)
class PyTorchProposal:
    """The entry of a release, or what it lacks."""

    addition: ReleaseAddition
    day: dt.date
    kind: ProposalKind = texts.KIND
    about: str = texts.ABOUT
    path: str = RELEASES

    @property
    def branch(self) -> str:
        """The branch of the release's pull request."""
        return f"{self.kind}/{self.addition.published.version}"

    @property
    def title(self) -> str:
        """Whether the release is added or completed."""
        return texts.title(self.addition)

    @property
    def body(self) -> str:
        """The builds, and what people have to add."""
        return texts.body(self.addition)

    @property
    def reason(self) -> str:
        """Where the facts come from."""
        return "PyPI and PyTorch's indexes publish these builds; the sources name each index."

    def without(self, versions: Collection[str]) -> PyTorchProposal | None:
        """Return the proposal, unless its release is one of these."""
        return None if self.addition.published.version in versions else self

    def edited(self, text: str) -> str:
        """Return the text of the file with the entry. Raises ProblemsError."""
        return with_release(self.path, text, self.addition.change, self.day)


def propose_pytorch_releases(
    api: Api, home: str, catalog: Catalog, ask: AskIndexes, day: dt.date
) -> ProposalResults:
    """Open or update a pull request for each release with something new. Raises GitHubError.

    The entry is worked out from the file as the default branch has it.
    """
    done = ProposalResults("no new PyTorch release")
    versions = list(open_releases(catalog, day))
    if not versions:
        return done
    repository = BranchRepository(api, home)
    base = repository.base()
    text = repository.file_text(RELEASES, base.commit)
    for version in versions:
        try:
            addition = release_addition(catalog, text, ask(version), day)
            if addition.own_problems:
                done.problems[version] = str(addition.own_problems[0])
            elif not addition.change.is_empty:
                done.outcomes[version] = settle(repository, base, PyTorchProposal(addition, day))
        except NoReleaseError as error:
            done.problems[version] = str(error)
        except ProblemsError as error:
            done.problems[version] = str(error.problems[0])
    return done


def open_releases(catalog: Catalog, day: dt.date) -> Iterator[str]:
    """Yield the releases on PyPI that are newer than the newest listed one, and that one if new."""
    newest = catalog.releases.newest
    if day - newest.date <= COMPLETED_FOR:
        yield newest.version
    facts = catalog.packages[TORCH].on(PYPI) if TORCH in catalog.packages else None
    for release in facts.releases if facts else ():
        version = Version(release.version)
        final = not version.is_prerelease and version.local is None and release.yanked is None
        if final and version > Version(newest.version):
            yield release.version
