"""Opens a pull request for each PyTorch release to add or complete in `data/releases.yaml`."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable, Iterator

from packaging.version import Version

from accelerator_automation.github.api import Api
from accelerator_automation.github.branch import BranchRepository
from accelerator_automation.proposals import (
    Proposal,
    ProposalKind,
    ProposalResults,
    ProposalTopic,
    update_pull_request,
)
from accelerator_portal.catalog import Catalog
from accelerator_portal.catalog.catalog import RELEASES
from accelerator_portal.catalog.files.package_file import PYPI
from accelerator_portal.catalog.markdown_quotes import code_span
from accelerator_portal.checks.release_addition import ReleaseAddition, release_addition
from accelerator_portal.packages.portal_packages import TORCH
from accelerator_portal.releases.published_builds import PublishedRelease
from accelerator_portal.releases.release_edit import with_release
from accelerator_portal.releases.release_entry import NoReleaseError
from accelerator_reports.files.problem import ProblemsError

KIND: ProposalKind = "pytorch-release"
ABOUT = "torch"

COMPLETED_FOR = dt.timedelta(days=30)
"""The time after a PyTorch release during which new builds of it are added to its entry."""

_MOST_LISTED = 40

AskIndexes = Callable[[str], PublishedRelease]
"""Returns the builds and dates of a version in the package indexes."""


def propose_pytorch_releases(
    api: Api, home: str, catalog: Catalog, ask: AskIndexes, day: dt.date
) -> ProposalResults:
    """Open or update a pull request for each release whose entry is missing or incomplete.

    Returns the outcomes by version. `ask` takes a version and returns its builds and dates in the
    package indexes. The existing entries are read from `data/releases.yaml` on the default branch.
    `home` is this repository (OWNER/NAME). Raises GitHubError.
    """
    results = ProposalResults("no new PyTorch release")
    versions = list(incomplete_releases(catalog, day))
    if not versions:
        return results
    repository = BranchRepository(api, home)
    text = repository.file_text(RELEASES, repository.base.commit)
    for version in versions:
        try:
            addition = release_addition(catalog, text, ask(version), day)
            if addition.own_problems:
                results.problems[version] = str(addition.own_problems[0])
            elif not addition.change.is_empty:
                topic = ProposalTopic(KIND, ABOUT, f"{KIND}/{version}")
                propose = _proposal(addition, day).unless_declined
                results.outcomes[version] = update_pull_request(repository, topic, propose)
        except NoReleaseError as error:
            results.problems[version] = str(error)
        except ProblemsError as error:
            results.problems[version] = str(error.problems[0])
    return results


def incomplete_releases(catalog: Catalog, day: dt.date) -> Iterator[str]:
    """Yield the PyTorch versions whose entry in `data/releases.yaml` may be missing or incomplete.

    Yields the newest version in the catalog if it was released at most `COMPLETED_FOR` ago. Then
    yields each newer version on PyPI that is final and not yanked.
    """
    newest = catalog.releases.newest
    if day - newest.date <= COMPLETED_FOR:
        yield newest.version
    facts = catalog.packages[TORCH].on(PYPI) if TORCH in catalog.packages else None
    for release in facts.releases if facts else ():
        version = Version(release.version)
        final = not version.is_prerelease and version.local is None and release.yanked is None
        if final and version > Version(newest.version):
            yield release.version


def _proposal(addition: ReleaseAddition, day: dt.date) -> Proposal:
    """Return the pull request that adds or completes a release's entry in `data/releases.yaml`.

    `day` is the date on which the package indexes were read.
    """
    verb = "Add" if addition.change.is_new else "Complete"
    return Proposal(
        path=RELEASES,
        title=f"{verb} torch {addition.published.version}",
        versions=[addition.published.version],
        lines=list(_paragraphs(addition)),
        reason="PyPI and PyTorch's indexes publish these builds; the sources name each index.",
        edited=lambda text: with_release(RELEASES, text, addition.change, day),
    )


def _paragraphs(addition: ReleaseAddition) -> Iterator[str]:
    published, change = addition.published, addition.change
    date_text = f" on {published.date}" if published.date else ""
    name = code_span(f"torch {published.version}")
    yield f"{name} was published{date_text}. The indexes have these builds:"
    yield ""
    added_keys = {(wheel.variant, wheel.os, arch) for wheel in change.wheels for arch in wheel.arch}
    builds = [build for build in published.builds if build.key in added_keys]
    yield from _limited_list_items(
        f"{code_span(' '.join(build.key))}: {code_span(', '.join(sorted(build.tags)))}, "
        f"Python {code_span(', '.join(sorted(build.pythons)))}, from {code_span(build.index)}"
        for build in builds
    )
    if change.torchvision:
        yield f"- {code_span(f'torchvision {change.torchvision}')} requires {name}."
    for companion_release in change.companions:
        companion = code_span(f"{companion_release.package} {companion_release.version}")
        yield f"- {companion} matches {name}, according to its metadata on PyPI."
    yield ""
    yield from _section("To check, because the entry and the indexes differ", change.differences)
    unread_lines = [f"{name}: {fault}" for name, fault in sorted(published.unread.items())]
    yield from _section("Could not be read; a later run completes the entry", unread_lines)
    yield from _section("Files to update for this release", map(str, addition.problems))
    yield "The indexes state neither Docker images nor LibTorch archives: add them by hand."
    yield ""
    file_span = code_span(RELEASES)
    yield f"The entry is in {file_span}. Push changes to this branch; the nightly build keeps them."
    yield "If you close this pull request, the release is not proposed again."


def _section(heading: str, lines: Iterable[str]) -> Iterator[str]:
    all_lines = list(lines)
    if all_lines:
        yield f"{heading}:"
        yield ""
        yield from _limited_list_items(code_span(line) for line in all_lines)
        yield ""


def _limited_list_items(lines: Iterable[str]) -> Iterator[str]:
    """Yield the first _MOST_LISTED lines as list items, then an item with the number left out."""
    all_lines = list(lines)
    yield from (f"- {line}" for line in all_lines[:_MOST_LISTED])
    if len(all_lines) > _MOST_LISTED:
        yield f"- {len(all_lines) - _MOST_LISTED} more"
