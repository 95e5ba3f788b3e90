"""One pull request for each platform whose plugin has a release that no row lists.

A pull request is known by its branch, by the marker in its body and by who opened it. Releases of
one that somebody closed without merging are not proposed again. A branch to which somebody pushed
is theirs: it is left as it is.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from packaging.version import Version

from accelerator_portal.automation import plugin_release_text as texts
from accelerator_portal.automation.comment_posting import BOT
from accelerator_portal.automation.events import Number, Part, Sha, User
from accelerator_portal.automation.github import Api, parsed, read_all
from accelerator_portal.automation.github_branch import BaseCommit, BranchFile, BranchRepository
from accelerator_portal.catalog import Catalog, Platform, ProblemsError
from accelerator_portal.packages.compatibility_edit import with_row
from accelerator_portal.packages.plugin_releases import RowProposal, new_releases, proposal

MOST_OPENED = 10
"""In one night: owners read a few pull requests, not one for each platform at once."""

ProposalOutcome = Literal["opened", "updated", "unchanged", "left", "declined", "waiting"]


class _Head(Part):
    sha: Sha


class ReleasePullRequest(Part):
    """A pull request, as GitHub lists it."""

    number: Number
    state: Literal["open", "closed"]
    title: str
    body: str | None = None
    user: User | None = None
    head: _Head
    merged_at: dt.datetime | None = None

    def versions(self, platform: str) -> tuple[str, ...]:
        """Return the releases that it proposes; none where the automation did not open it."""
        own = self.user is not None and self.user.login == BOT
        return texts.versions_in(self.body or "", platform) if own else ()


@dataclass
class PluginPullRequests:
    """What was done, by platform, and why nothing could be proposed for others."""

    outcomes: dict[str, ProposalOutcome] = field(default_factory=dict)
    problems: dict[str, str] = field(default_factory=dict)

    def count(self, outcome: ProposalOutcome) -> int:
        """Return how many platforms have an outcome."""
        return list(self.outcomes.values()).count(outcome)

    @property
    def words(self) -> str:
        """The result in one line."""
        shown: tuple[ProposalOutcome, ...] = ("opened", "updated", "unchanged", "left", "declined")
        line = ", ".join(f"{self.count(o)} {_WORDS.get(o, o)}" for o in shown if self.count(o))
        if waiting := self.count("waiting"):
            line += f", {waiting} for the next run"
        problems = "".join(f"; {name}: {what}" for name, what in self.problems.items())
        return (line or "no new plugin release") + problems


_WORDS: dict[ProposalOutcome, str] = {
    "left": "edited by a person",
    "declined": "declined by closing",
}


def branch_of(platform: Platform) -> str:
    """Return the branch of a platform's pull request."""
    return f"plugin-release/{platform.id}"


def propose_releases(api: Api, home: str, catalog: Catalog) -> PluginPullRequests:
    """Open or update a pull request for each platform with new releases. Raises GitHubError.

    An interrupted run can be repeated: what was done is found by its branch and its marker.
    """
    done = PluginPullRequests()
    repository = BranchRepository(api, home)
    base: BaseCommit | None = None
    for platform in catalog.platforms:
        proposals = _proposals(catalog, platform, done)
        if not proposals:
            continue
        base = base or repository.base()
        try:
            room = done.count("opened") < MOST_OPENED
            done.outcomes[platform.id] = _settle(repository, base, platform, proposals, room=room)
        except ProblemsError as error:
            done.problems[platform.id] = str(error.problems[0])
    return done


def _proposals(catalog: Catalog, platform: Platform, done: PluginPullRequests) -> list[RowProposal]:
    """The proposals that have a row; the others are named with the command that adds one."""
    found = [proposal(catalog, platform, release) for release in new_releases(catalog, platform)]
    for one in found:
        if one.row is None:
            version = one.release.facts.version
            command = f"accelerator-portal plugin-release {platform.id} {version} --torch VERSION"
            what = f"the metadata of {one.release.name} states no torch version; run {command}"
            done.problems[platform.id] = what
    return [one for one in found if one.row]


def _settle(
    repository: BranchRepository,
    base: BaseCommit,
    platform: Platform,
    proposals: Sequence[RowProposal],
    *,
    room: bool,
) -> ProposalOutcome:
    pulls = list(_pulls(repository, platform))
    closed = [pull for pull in pulls if pull.state == "closed" and pull.merged_at is None]
    declined = {version for pull in closed for version in pull.versions(platform.id)}
    wanted = [one for one in proposals if one.release.facts.version not in declined]
    if not wanted:
        return "declined"
    pull = next((p for p in pulls if p.state == "open"), None)
    if pull is None and not room:
        return "waiting"
    if pull and not repository.is_own(pull.head.sha):
        return "left"
    return _write(repository, base, platform, wanted, pull)


def _pulls(repository: BranchRepository, platform: Platform) -> Iterator[ReleasePullRequest]:
    owner = repository.name.partition("/")[0]
    path = f"{repository.path}/pulls?state=all&head={owner}:{branch_of(platform)}"
    for pull in read_all(repository.api, path, ReleasePullRequest):
        if pull.versions(platform.id):
            yield pull


def _write(
    repository: BranchRepository,
    base: BaseCommit,
    platform: Platform,
    wanted: Sequence[RowProposal],
    pull: ReleasePullRequest | None,
) -> ProposalOutcome:
    path = platform.path("compatibility.yaml")
    title, body = texts.title(wanted), texts.body(platform, wanted)
    text = with_rows(path, repository.file_text(path, base.commit), wanted)
    file = BranchFile(branch_of(platform), path, text)
    same_file = pull is not None and repository.has(file)
    if pull and same_file and (pull.title, pull.body) == (title, body):
        return "unchanged"
    if not same_file:
        repository.write(base, file, f"{title}\n\n{_reason(wanted)}\n")
    fields = {"title": title, "body": body}
    place = f"{repository.path}/pulls"
    if pull:
        repository.api.send("PATCH", f"{place}/{pull.number}", fields)
        return "updated"
    new = {**fields, "head": file.branch, "base": base.branch}
    parsed(place, repository.api.send("POST", place, new), ReleasePullRequest)
    return "opened"


def with_rows(path: str, text: str, proposals: Sequence[RowProposal]) -> str:
    """Return the text of `compatibility.yaml` with every proposed row. Raises ProblemsError."""
    for one in sorted(proposals, key=lambda one: Version(one.release.facts.version)):
        if one.row:
            text = with_row(path, text, one.release, one.row)
    return text


def _reason(proposals: Sequence[RowProposal]) -> str:
    said = " and ".join(sorted({line for one in proposals for line in one.evidence.required}))
    return f"The wheel metadata requires {said}." if said else "The package index lists it."
