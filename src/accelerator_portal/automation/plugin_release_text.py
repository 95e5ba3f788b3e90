"""What the pull request for new plugin releases says; all data stands in code."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from accelerator_portal.automation.proposals import ProposalKind, marker
from accelerator_portal.automation.sanitizer import faults
from accelerator_portal.catalog import Platform
from accelerator_portal.packages.plugin_releases import RowProposal
from accelerator_portal.site.difference.harmless import span, visible

KIND: ProposalKind = "plugin-release"

_MOST_TITLE = 200


def title(proposals: Sequence[RowProposal]) -> str:
    """Return the title of the pull request, which is the subject of its commit, too."""
    names = ", ".join(visible(proposal.release.name) for proposal in proposals)
    return f"Add {names} to {proposals[0].release.platform}"[:_MOST_TITLE]


def body(platform: Platform, proposals: Sequence[RowProposal]) -> str:
    """Return the text of the pull request.

    Raises ValueError if it held anything that could act on GitHub: that would be a fault here.
    """
    first = marker(KIND, platform.id, [p.release.facts.version for p in proposals])
    owners = ", ".join(span(person.github) for person in platform.accelerator.maintainers)
    lines = [line for proposal in proposals for line in (*_release(proposal), "")]
    file = span(platform.path("compatibility.yaml"))
    lines += [
        f"Owners of the folder: {owners or 'none are named'}.",
        "",
        f"The rows are in {file}. Push changes to this branch; the nightly build keeps them.",
        "If you close this pull request, these releases are not proposed again.",
    ]
    text = "\n".join([first, "", *lines]) + "\n"
    if wrong := faults(text, first):
        raise ValueError(f"the pull request for {platform.id}: {wrong[0]}")
    return text


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
            f"The newest row that has one says {span(question.example)}."
        )
