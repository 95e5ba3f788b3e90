"""One pull request for each platform whose plugin has a release that no row lists."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from packaging.version import Version

from accelerator_portal.automation import plugin_release_text as texts
from accelerator_portal.automation.github import Api
from accelerator_portal.automation.github_branch import BaseCommit, BranchRepository
from accelerator_portal.automation.proposals import ProposalKind, ProposalResults, settle
from accelerator_portal.catalog import Catalog, Platform, ProblemsError
from accelerator_portal.packages.compatibility_edit import with_row
from accelerator_portal.packages.plugin_releases import RowProposal, new_releases, proposal

MOST_OPENED = 10
"""In one night: owners read a few pull requests, not one for each platform at once."""


@dataclass(frozen=True)
class PluginProposal:
    """The rows of a platform's new plugin releases."""

    platform: Platform
    rows: tuple[RowProposal, ...]
    kind: ProposalKind = texts.KIND

    @property
    def about(self) -> str:
        """The platform."""
        return self.platform.id

    @property
    def path(self) -> str:
        """The file with the rows."""
        return self.platform.path("compatibility.yaml")

    @property
    def branch(self) -> str:
        """The branch of the platform's pull request."""
        return f"{self.kind}/{self.about}"

    @property
    def title(self) -> str:
        """The packages with their versions."""
        return texts.title(self.rows)

    @property
    def body(self) -> str:
        """What the metadata says, and what the owners have to add."""
        return texts.body(self.platform, self.rows)

    @property
    def reason(self) -> str:
        """What the metadata requires."""
        said = " and ".join(sorted({line for one in self.rows for line in one.evidence.required}))
        return f"The wheel metadata requires {said}." if said else "The package index lists it."

    def without(self, versions: Collection[str]) -> PluginProposal | None:
        """Return the rows of the other releases; None where none is left."""
        rows = tuple(row for row in self.rows if row.release.facts.version not in versions)
        return replace(self, rows=rows) if rows else None

    def edited(self, text: str) -> str:
        """Return the text of `compatibility.yaml` with every row. Raises ProblemsError."""
        return with_rows(self.path, text, self.rows)


def propose_releases(api: Api, home: str, catalog: Catalog) -> ProposalResults:
    """Open or update a pull request for each platform with new releases. Raises GitHubError."""
    done = ProposalResults("no new plugin release")
    repository = BranchRepository(api, home)
    base: BaseCommit | None = None
    for platform in catalog.platforms:
        rows = _rows(catalog, platform, done)
        if not rows:
            continue
        base = base or repository.base()
        try:
            room = done.count("opened") < MOST_OPENED
            wanted = PluginProposal(platform, rows)
            done.outcomes[platform.id] = settle(repository, base, wanted, room=room)
        except ProblemsError as error:
            done.problems[platform.id] = str(error.problems[0])
    return done


def _rows(catalog: Catalog, platform: Platform, done: ProposalResults) -> tuple[RowProposal, ...]:
    """The proposals that have a row; the others are named with the command that adds one."""
    found = [proposal(catalog, platform, release) for release in new_releases(catalog, platform)]
    for one in found:
        if one.row is None:
            version = one.release.facts.version
            command = f"accelerator-portal plugin-release {platform.id} {version} --torch VERSION"
            what = f"the metadata of {one.release.name} states no torch version; run {command}"
            done.problems[platform.id] = what
    return tuple(one for one in found if one.row)


def with_rows(path: str, text: str, proposals: Sequence[RowProposal]) -> str:
    """Return the text of `compatibility.yaml` with every proposed row. Raises ProblemsError."""
    for one in sorted(proposals, key=lambda one: Version(one.release.facts.version)):
        if one.row:
            text = with_row(path, text, one.release, one.row)
    return text
