"""Opens or updates one pull request for each change that the automation proposes to a file.

A pull request is recognized by its branch, by the marker in its body and by its author. If somebody
closes a pull request without merging it, its versions are not proposed again. If somebody pushes to
the branch, the automation no longer changes the branch.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from accelerator_automation.github.api import parse_response, read_all_pages
from accelerator_automation.github.branch import BranchFile, BranchRepository
from accelerator_automation.github.comments import BOT
from accelerator_automation.github.models import GitHubModel, GitObject, Number, User
from accelerator_automation.markdown_check import require_harmless
from accelerator_portal.catalog.markdown_quotes import code_span

ProposalKind = Literal["plugin-release", "pytorch-release", "stated-models", "baseline"]
ProposalOutcome = Literal["opened", "updated", "unchanged", "left", "declined", "waiting"]

# A person who edits the text on GitHub's page leaves line breaks of two characters.
_MARKER = re.compile(
    r"^<!-- accelerator-portal (?P<kind>[a-z-]{1,30}) (?P<about>[0-9a-z.-]+)"
    r"(?P<versions>(?: [0-9a-z.+!]+)+) -->\r?\n"
)
_OUTCOME_TEXTS: dict[ProposalOutcome, str] = {
    "opened": "opened",
    "updated": "updated",
    "unchanged": "unchanged",
    "left": "edited by a person",
    "declined": "declined by closing",
    "waiting": "for the next run",
}

MOST_OPENED = 10
"""The maximum number of new pull requests of one kind in a nightly run, so that owners don't get
many at once. The number of pull requests for PyTorch releases is not limited."""

_MOST_LISTED = 50


@dataclass(frozen=True, slots=True)
class ProposalTopic:
    """What a pull request is about; a later run recognizes the pull request by these fields."""

    kind: ProposalKind
    about: str
    """What the pull request is about: a platform's id, a report's id, or `torch`."""
    branch: str


@dataclass(frozen=True)
class Proposal:
    """A pull request that changes one file.

    `versions` are the proposed releases of a package, or the newest commits of cited files. A
    person who closes the pull request declines these versions.
    """

    path: str
    """The path of the file to change."""
    title: str
    """The title of the pull request, which is also the subject of its commit."""
    versions: Sequence[str]
    lines: Sequence[str]
    """The text of the pull request, as lines of Markdown."""
    reason: str
    """The body of the commit message."""
    edited: Callable[[str], str]
    """Takes the text of the file and returns it with the change. Raises ProblemsError."""

    def unless_declined(self, versions: Collection[str]) -> Proposal | None:
        """Return the proposal, or None if one of its versions is in `versions`."""
        return None if set(self.versions) & set(versions) else self


class ProposalPullRequest(GitHubModel):
    """A pull request, as GitHub lists it."""

    number: Number
    state: Literal["open", "closed"]
    title: str
    body: str | None = None
    user: User | None = None
    head: GitObject
    merged_at: dt.datetime | None = None

    def versions(self, topic: ProposalTopic) -> tuple[str, ...]:
        """Return the versions that this pull request proposes.

        The result is empty if the automation did not open the pull request, or if its marker has
        another topic.
        """
        match = _MARKER.match(self.body or "")
        is_own = self.user is not None and self.user.login == BOT
        if not is_own or not match or (match["kind"], match["about"]) != (topic.kind, topic.about):
            return ()
        return tuple(match["versions"].split())


@dataclass
class ProposalResults:
    """The outcome of each proposal, and the reasons why proposals could not be made (`problems`).

    The keys of `outcomes` and `problems` are the names of proposals. The name is the id of a
    platform, the id of a baseline's report, or a version of PyTorch.
    """

    nothing: str
    """The text for a run without proposals."""
    outcomes: dict[str, ProposalOutcome] = field(default_factory=dict)
    problems: dict[str, str] = field(default_factory=dict)

    def add_problem(self, name: str, what: str) -> None:
        """Add a reason why the proposal `name` could not be made; there can be several reasons."""
        self.problems[name] = f"{self.problems[name]}; {what}" if name in self.problems else what

    def count(self, outcome: ProposalOutcome) -> int:
        """Return the number of proposals with this outcome."""
        return list(self.outcomes.values()).count(outcome)

    @property
    def has_room(self) -> bool:
        """Whether fewer than `MOST_OPENED` pull requests were opened."""
        return self.count("opened") < MOST_OPENED

    @property
    def words(self) -> str:
        """The number of proposals by outcome, and the problems, in one line."""
        line = ", ".join(
            f"{number} {text}"
            for outcome, text in _OUTCOME_TEXTS.items()
            if (number := self.count(outcome))
        )
        problems = "".join(f"; {name}: {what}" for name, what in self.problems.items())
        return (line or self.nothing) + problems


def update_pull_request(
    repository: BranchRepository,
    topic: ProposalTopic,
    propose: Callable[[Collection[str]], Proposal | None],
    *,
    room: bool = True,
) -> ProposalOutcome:
    """Open or update the pull request of a topic; return what was done.

    `propose` takes the versions that a person declined, and returns a proposal without these
    versions. If `propose` returns None, the outcome is `declined`. If `room` is false, no new pull
    request is opened; the outcome is then `waiting`. If a person edited the branch, it is not
    changed; the outcome is then `left`. The call can be repeated: it finds an existing pull request
    by its branch and marker. Raises GitHubError, ProblemsError.
    """
    pulls = list(_pulls(repository, topic))
    closed = [pull for pull in pulls if pull.state == "closed" and pull.merged_at is None]
    proposal = propose({v for pull in closed for v in pull.versions(topic)})
    if proposal is None:
        return "declined"
    pull = next((p for p in pulls if p.state == "open"), None)
    if pull is None and not room:
        return "waiting"
    if pull and not repository.is_own(pull.head.sha):
        return "left"
    return _write_pull_request(repository, topic, proposal, pull)


def names_list_item(heading: str, names: list[str]) -> Iterator[str]:
    """Yield one list item, with `heading` and the names; nothing if there are no names.

    The item shows at most _MOST_LISTED names, then the number of names that are not shown.
    """
    unique_names = list(dict.fromkeys(names))
    if unique_names:
        more = len(unique_names) - _MOST_LISTED
        end = f" and {more:,} more" if more > 0 else ""
        yield f"- {heading}: {', '.join(map(code_span, unique_names[:_MOST_LISTED]))}{end}"


def _pulls(repository: BranchRepository, topic: ProposalTopic) -> Iterator[ProposalPullRequest]:
    owner = repository.name.partition("/")[0]
    path = f"{repository.path}/pulls?state=all&head={owner}:{topic.branch}"
    for pull in read_all_pages(repository.api, path, ProposalPullRequest):
        if pull.versions(topic):
            yield pull


def _write_pull_request(
    repository: BranchRepository,
    topic: ProposalTopic,
    proposal: Proposal,
    pull: ProposalPullRequest | None,
) -> ProposalOutcome:
    fields = {"title": proposal.title, "body": _body(topic, proposal)}
    text = proposal.edited(repository.file_text(proposal.path, repository.base.commit))
    file = BranchFile(topic.branch, proposal.path, text)
    same_file = pull is not None and repository.has(file)
    if pull and same_file and {"title": pull.title, "body": pull.body} == fields:
        return "unchanged"
    if not same_file:
        repository.write(file, f"{proposal.title}\n\n{proposal.reason}\n")
    pulls_path = f"{repository.path}/pulls"
    if pull:
        repository.api.send("PATCH", f"{pulls_path}/{pull.number}", fields)
        return "updated"
    new_pull = {**fields, "head": file.branch, "base": repository.base.branch}
    parse_response(
        pulls_path, repository.api.send("POST", pulls_path, new_pull), ProposalPullRequest
    )
    return "opened"


def _body(topic: ProposalTopic, proposal: Proposal) -> str:
    """Return the text of a pull request: the marker, then the lines of the proposal.

    Raises HarmfulError if the text must not be posted, which would be a bug of the caller.
    """
    versions = " ".join(proposal.versions)
    marker = f"<!-- accelerator-portal {topic.kind} {topic.about} {versions} -->"
    text = "\n".join([marker, "", *proposal.lines]) + "\n"
    require_harmless(f"pull request for {topic.about}", text, marker)
    return text
