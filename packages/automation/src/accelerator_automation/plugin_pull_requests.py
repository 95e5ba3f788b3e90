"""Opens one pull request per platform for plugin releases that `compatibility.yaml` lacks.

If the metadata of a release states a torch version, the release gets a row in the platform's file.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from functools import partial

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
from accelerator_portal.catalog import Catalog, Platform
from accelerator_portal.catalog.markdown_quotes import code_span, escape_hidden_characters
from accelerator_portal.packages.compatibility_edit import with_row
from accelerator_portal.packages.plugin_releases import RowProposal, new_releases, proposal
from accelerator_reports.files.problem import ProblemsError

KIND: ProposalKind = "plugin-release"

_MOST_TITLE = 200


def propose_releases(api: Api, home: str, catalog: Catalog) -> ProposalResults:
    """Open or update a pull request for each platform with new plugin releases.

    Returns the outcomes by platform id. `home` is this repository (OWNER/NAME). Raises GitHubError.
    """
    results = ProposalResults("no new plugin release")
    repository = BranchRepository(api, home)
    for platform in catalog.platforms:
        rows = _new_rows(catalog, platform, results)
        if not rows:
            continue
        topic = ProposalTopic(KIND, platform.id, f"{KIND}/{platform.id}")
        propose = partial(_proposal, platform, rows)
        try:
            results.outcomes[platform.id] = update_pull_request(
                repository, topic, propose, room=results.has_room
            )
        except ProblemsError as error:
            results.add_problem(platform.id, str(error.problems[0]))
    return results


def _new_rows(
    catalog: Catalog, platform: Platform, results: ProposalResults
) -> tuple[RowProposal, ...]:
    """Return the proposals for new releases whose metadata states a torch version.

    For each new release whose metadata states no torch version, adds a problem to `results`. The
    problem names the command with which a person adds the row.
    """
    proposals = [
        proposal(catalog, platform, release) for release in new_releases(catalog, platform)
    ]
    for row in proposals:
        if row.row is None:
            version = row.release.facts.version
            command = f"accelerator-portal plugin-release {platform.id} {version} --torch VERSION"
            what = f"the metadata of {row.release.name} states no torch version; run {command}"
            results.add_problem(platform.id, what)
    return tuple(row for row in proposals if row.row)


def _proposal(
    platform: Platform, proposals: Iterable[RowProposal], declined: Collection[str]
) -> Proposal | None:
    """Return the pull request that adds a row to `compatibility.yaml` for each plugin release.

    `proposals` has the rows. Rows for the versions in `declined` are omitted. Returns None if no
    row remains.
    """
    rows = [row for row in proposals if row.release.facts.version not in declined]
    if not rows:
        return None
    path = platform.path("compatibility.yaml")
    names = ", ".join(escape_hidden_characters(row.release.name) for row in rows)
    required = " and ".join(sorted({line for row in rows for line in row.evidence.required}))
    owners = ", ".join(code_span(person.github) for person in platform.accelerator.maintainers)
    lines = [line for row in rows for line in (*_release_lines(row), "")]
    lines += [
        f"Owners of the folder: {owners or 'none are named'}.",
        "",
        (
            f"The rows are in {code_span(path)}. Push changes to this branch; "
            "the nightly build keeps them."
        ),
        "If you close this pull request, these releases are not proposed again.",
    ]
    return Proposal(
        path=path,
        title=f"Add {names} to {platform.id}"[:_MOST_TITLE],
        versions=[row.release.facts.version for row in rows],
        lines=lines,
        reason=f"The wheel metadata requires {required}."
        if required
        else "The package index lists it.",
        edited=lambda text: _with_rows(path, text, rows),
    )


def _release_lines(proposal: RowProposal) -> Iterator[str]:
    facts, row = proposal.release.facts, proposal.row
    date_text = f" on {facts.date}" if facts.date else ""
    required = " and ".join(map(code_span, proposal.evidence.required))
    requires = f"It requires {required}." if required else "Its metadata names no torch version."
    yield f"{code_span(proposal.release.name)} was published{date_text}. {requires}"
    yield ""
    yield f"- Wheels: {code_span(', '.join(proposal.systems) or 'none')}"
    yield f"- Python: {code_span(', '.join(row.python) if row and row.python else 'not stated')}"
    for question in proposal.questions:
        yield (
            f"- To add: the {code_span(question.name)}, with its source. "
            f"The newest row with this field has {code_span(question.example)}."
        )


def _with_rows(path: str, text: str, proposals: Iterable[RowProposal]) -> str:
    """Return `text`, the content of `compatibility.yaml` at `path`, with every proposed row added.

    Raises ProblemsError.
    """
    for row in sorted(proposals, key=lambda row: Version(row.release.facts.version)):
        if row.row:
            text = with_row(path, text, row.release, row.row)
    return text
