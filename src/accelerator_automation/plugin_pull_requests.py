"""Opens one pull request per platform for plugin releases that `compatibility.yaml` lacks.

Each release whose metadata states a torch version gets a row in that file of the platform.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from packaging.version import Version

from accelerator_automation.github.api import Api
from accelerator_automation.github.branch import BaseCommit, BranchRepository
from accelerator_automation.proposals import (
    PlatformProposal,
    ProposalKind,
    ProposalResults,
    proposal_text,
    settle,
)
from accelerator_portal.catalog import Catalog, Platform, ProblemsError
from accelerator_portal.packages.compatibility_edit import with_row
from accelerator_portal.packages.plugin_releases import RowProposal, new_releases, proposal
from accelerator_portal.site.difference.harmless import span, visible

KIND: ProposalKind = "plugin-release"

_MOST_TITLE = 200


def title(proposals: Sequence[RowProposal]) -> str:
    """Return the title of the pull request, which is also the subject of its commit."""
    names = ", ".join(visible(proposal.release.name) for proposal in proposals)
    return f"Add {names} to {proposals[0].release.platform}"[:_MOST_TITLE]


def body(platform: Platform, proposals: Sequence[RowProposal]) -> str:
    """Return the text of the pull request."""
    owners = ", ".join(span(person.github) for person in platform.accelerator.maintainers)
    lines = [line for proposal in proposals for line in (*_release(proposal), "")]
    file = span(platform.path("compatibility.yaml"))
    lines += [
        f"Owners of the folder: {owners or 'none are named'}.",
        "",
        f"The rows are in {file}. Push changes to this branch; the nightly build keeps them.",
        "If you close this pull request, these releases are not proposed again.",
    ]
    versions = [p.release.facts.version for p in proposals]
    return proposal_text(KIND, platform.id, versions, lines)


def _release(proposal: RowProposal) -> Iterator[str]:
    facts, row = proposal.release.facts, proposal.row
    when = f" on {facts.date}" if facts.date else ""
    required = " and ".join(map(span, proposal.evidence.required))
    requires = f"It requires {required}." if required else "Its metadata names no torch version."
    yield f"{span(proposal.release.name)} was published{when}. {requires}"
    yield ""
    yield f"- Wheels: {span(', '.join(proposal.systems) or 'none')}"
    yield f"- Python: {span(', '.join(row.python) if row and row.python else 'not stated')}"
    for question in proposal.questions:
        yield (
            f"- To add: the {span(question.name)}, with its source. "
            f"The newest row with this field has {span(question.example)}."
        )


MOST_OPENED = 10
"""The maximum number of new pull requests in a nightly run, so that owners don't get many at
once."""


@dataclass(frozen=True)
class PluginProposal(PlatformProposal):
    """A pull request that adds the rows of a platform's new plugin releases."""

    rows: tuple[RowProposal, ...]
    kind = KIND
    file = "compatibility.yaml"

    @property
    def title(self) -> str:
        """The title, with the packages and their versions."""
        return title(self.rows)

    @property
    def body(self) -> str:
        """The text of the pull request: the metadata's facts, and which ones owners have to add."""
        return body(self.platform, self.rows)

    @property
    def reason(self) -> str:
        """The body of the commit message, with the requirements in the metadata."""
        said = " and ".join(sorted({line for one in self.rows for line in one.evidence.required}))
        return f"The wheel metadata requires {said}." if said else "The package index lists it."

    def without(self, versions: Collection[str]) -> PluginProposal | None:
        """Return the proposal without these versions, or None if no row is left."""
        rows = tuple(row for row in self.rows if row.release.facts.version not in versions)
        return replace(self, rows=rows) if rows else None

    def edited(self, text: str) -> str:
        """Return the text of `compatibility.yaml` with every row added. Raises ProblemsError."""
        return with_rows(self.path, text, self.rows)


def propose_releases(api: Api, home: str, catalog: Catalog) -> ProposalResults:
    """Open or update a pull request for each platform with new plugin releases.

    Returns the outcomes by platform id. `home` is this repository (OWNER/NAME). Raises GitHubError.
    """
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
    """Return the proposals for new releases whose metadata states a torch version.

    For each other release, add a problem to `done` that names the command for adding its row.
    """
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
