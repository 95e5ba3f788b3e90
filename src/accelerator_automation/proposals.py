"""Opens or updates one pull request for each file that the automation wants to change.

A pull request is recognized by its branch, by the marker in its body and by its author. If somebody
closes a pull request without merging it, its versions are not proposed again. If somebody pushes to
the branch, the automation no longer changes the branch.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from typing import ClassVar, Literal, Protocol

from accelerator_automation.comment_posting import BOT
from accelerator_automation.events import Number, Part, Sha, User
from accelerator_automation.github.api import parsed, read_all
from accelerator_automation.github.branch import BaseCommit, BranchFile, BranchRepository
from accelerator_automation.sanitizer import faults
from accelerator_portal.catalog import Platform

ProposalKind = Literal["plugin-release", "pytorch-release", "stated-models", "baseline"]
ProposalOutcome = Literal["opened", "updated", "unchanged", "left", "declined", "waiting"]

_MARKER = re.compile(
    r"^<!-- accelerator-portal (?P<kind>[a-z-]{1,30}) (?P<about>[0-9a-z.-]{1,60})"
    r"(?P<versions>( [0-9a-z.+!]{1,60}){1,20}) -->\n"
)
_WORDS: dict[ProposalOutcome, str] = {
    "left": "edited by a person",
    "declined": "declined by closing",
}


class Proposal(Protocol):
    """A pull request that changes one file.

    Its versions are what it proposes: releases of a package, or commits of cited files. Whoever
    closes the pull request declines these versions.
    """

    @property
    def kind(self) -> ProposalKind:
        """The kind: releases of a plugin or of PyTorch, stated models, or a baseline."""

    @property
    def about(self) -> str:
        """The id of the platform or the report, or `torch`."""

    @property
    def path(self) -> str:
        """The path of the file to change."""

    @property
    def branch(self) -> str:
        """The branch of the pull request."""

    @property
    def title(self) -> str:
        """The title of the pull request, which is also the subject of its commit."""

    @property
    def body(self) -> str:
        """The text of the pull request; its first line is the marker."""

    @property
    def reason(self) -> str:
        """The body of the commit message."""

    def without(self, versions: Collection[str]) -> Proposal | None:
        """Return the proposal without these versions, or None if nothing is left."""

    def edited(self, text: str) -> str:
        """Return the text of the file with the change. Raises ProblemsError."""


@dataclass(frozen=True)
class PlatformProposal:
    """Base class of proposals that change one file of a platform."""

    platform: Platform
    kind: ClassVar[ProposalKind]
    file: ClassVar[str]

    @property
    def about(self) -> str:
        """The platform's id."""
        return self.platform.id

    @property
    def path(self) -> str:
        """The path of the file to change."""
        return self.platform.path(self.file)

    @property
    def branch(self) -> str:
        """The branch of the platform's pull request."""
        return f"{self.kind}/{self.about}"


class _Head(Part):
    sha: Sha


class ProposalPullRequest(Part):
    """A pull request, as GitHub lists it."""

    number: Number
    state: Literal["open", "closed"]
    title: str
    body: str | None = None
    user: User | None = None
    head: _Head
    merged_at: dt.datetime | None = None

    def versions(self, kind: str, about: str) -> tuple[str, ...]:
        """Return the versions that this pull request proposes.

        Empty if the automation did not open it, or if its marker has another kind or subject.
        """
        own = self.user is not None and self.user.login == BOT
        return versions_in(self.body or "", kind, about) if own else ()


@dataclass
class ProposalResults:
    """The outcome of each proposal, or the reason why it could not be made (`problems`).

    Keys are what the proposals are about: ids of platforms, ids of baselines' reports, or versions
    of PyTorch.
    """

    nothing: str
    """The text for a run without proposals."""
    outcomes: dict[str, ProposalOutcome] = field(default_factory=dict)
    problems: dict[str, str] = field(default_factory=dict)

    def count(self, outcome: ProposalOutcome) -> int:
        """Return the number of proposals with this outcome."""
        return list(self.outcomes.values()).count(outcome)

    @property
    def words(self) -> str:
        """The number of proposals by outcome, and the problems, in one line."""
        shown: tuple[ProposalOutcome, ...] = ("opened", "updated", "unchanged", "left", "declined")
        line = ", ".join(f"{self.count(o)} {_WORDS.get(o, o)}" for o in shown if self.count(o))
        if waiting := self.count("waiting"):
            line += f", {waiting} for the next run"
        problems = "".join(f"; {name}: {what}" for name, what in self.problems.items())
        return (line or self.nothing) + problems


def proposal_text(
    kind: ProposalKind, about: str, versions: Collection[str], lines: Iterable[str]
) -> str:
    """Return the text of a pull request: the marker, then `lines`.

    The marker is an HTML comment with `kind`, `about` and `versions`. Raises ValueError if
    `sanitizer.faults` refuses the text, which would be a bug in the caller.
    """
    marker = f"<!-- accelerator-portal {kind} {about} {' '.join(versions)} -->"
    text = "\n".join([marker, "", *lines]) + "\n"
    if wrong := faults(text, marker):
        raise ValueError(f"the pull request for {about}: {wrong[0]}")
    return text


def versions_in(body: str, kind: str, about: str) -> tuple[str, ...]:
    """Return the versions in the marker of a pull request; empty if it is about something else."""
    found = _MARKER.match(body)
    own = found is not None and (found["kind"], found["about"]) == (kind, about)
    return tuple(found["versions"].split()) if found and own else ()


def settle(
    repository: BranchRepository, base: BaseCommit, proposal: Proposal, *, room: bool = True
) -> ProposalOutcome:
    """Open or update the pull request of a proposal; return what was done.

    Versions that a person declined are removed from the proposal; if none remains, the outcome is
    `declined`. If `room` is false, a new pull request is not opened (`waiting`). A branch that a
    person edited is not changed (`left`). The call can be repeated: an existing pull request is
    found by its branch and marker. Raises GitHubError, ProblemsError.
    """
    pulls = list(_pulls(repository, proposal))
    closed = [pull for pull in pulls if pull.state == "closed" and pull.merged_at is None]
    declined = {v for pull in closed for v in pull.versions(proposal.kind, proposal.about)}
    wanted = proposal.without(declined)
    if wanted is None:
        return "declined"
    pull = next((p for p in pulls if p.state == "open"), None)
    if pull is None and not room:
        return "waiting"
    if pull and not repository.is_own(pull.head.sha):
        return "left"
    return _write(repository, base, wanted, pull)


def _pulls(repository: BranchRepository, proposal: Proposal) -> Iterator[ProposalPullRequest]:
    owner = repository.name.partition("/")[0]
    path = f"{repository.path}/pulls?state=all&head={owner}:{proposal.branch}"
    for pull in read_all(repository.api, path, ProposalPullRequest):
        if pull.versions(proposal.kind, proposal.about):
            yield pull


def _write(
    repository: BranchRepository,
    base: BaseCommit,
    proposal: Proposal,
    pull: ProposalPullRequest | None,
) -> ProposalOutcome:
    title, body = proposal.title, proposal.body
    text = proposal.edited(repository.file_text(proposal.path, base.commit))
    file = BranchFile(proposal.branch, proposal.path, text)
    same_file = pull is not None and repository.has(file)
    if pull and same_file and (pull.title, pull.body) == (title, body):
        return "unchanged"
    if not same_file:
        repository.write(base, file, f"{title}\n\n{proposal.reason}\n")
    fields = {"title": title, "body": body}
    place = f"{repository.path}/pulls"
    if pull:
        repository.api.send("PATCH", f"{place}/{pull.number}", fields)
        return "updated"
    new = {**fields, "head": file.branch, "base": base.branch}
    parsed(place, repository.api.send("POST", place, new), ProposalPullRequest)
    return "opened"
