"""Opens or updates a pull request for each change to a file, and pushes changed files with git.

A pull request is recognized by its branch, by the marker in its body and by its author. If somebody
closes a pull request without merging it, its versions are not proposed again. If somebody pushes to
the branch, the automation no longer changes the branch.
"""

from __future__ import annotations

import datetime as dt
import random
import re
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

from accelerator_automation.archive_store import UNFINISHED_SUFFIX, ArchiveError
from accelerator_automation.github.api import parse_response, read_all_pages
from accelerator_automation.github.branch import BranchFile, BranchRepository
from accelerator_automation.github.comments import BOT, require_harmless
from accelerator_automation.github.models import GitHubModel, GitObject, Number, User
from accelerator_portal.catalog.catalog import HISTORY
from accelerator_portal.catalog.git import GitError, git, git_error, run_git
from accelerator_portal.catalog.markdown_file import code_span

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


# Pushes changed files with git to branches that others push to at the same time.
#
# `push_data` adds a commit to a branch such as main. `push_archive` replaces the only commit of the
# branch `archive`. Both functions add the locally changed files to the newest files of the branch.
# If others have changed one of these files in another way, `push_data` leaves the file out, and
# `push_archive` pushes nothing.

ARCHIVE_BRANCH = "archive"

_ARCHIVE_MESSAGE = "Archive of the nightly update: older runs, package data, last valid folders"
_PUSH_ATTEMPTS = 5
_STATUS_NO_MATCH = 2  # of `git ls-remote --exit-code`

_HISTORY_FILE = re.compile(rf"{HISTORY}/(?:.*/accelerator=([^/]+)/.*|([^/]+)\.sha256)")

_EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
"""Git's object id of a tree without files."""

_TreeEntry = tuple[str, str]
"""The mode and the object id of a file in a tree; the mode is zeros if the file was removed."""


@dataclass(frozen=True, slots=True)
class PushResult:
    """The number of files that were pushed, and the paths that were not pushed (`left_out`).

    A file is not pushed if others have changed the file on the branch in another way. The files of
    an accelerator's archive are pushed together or not at all.
    """

    pushed: int
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PushRetry:
    """How often to try a push while others push first, and how long to wait between attempts.

    `first_wait` is in seconds. The wait doubles after each attempt and is multiplied by a random
    number from 1 to 2. `pause` sleeps for a number of seconds.
    """

    attempts: int = 6
    first_wait: float = 1.0
    pause: Callable[[float], None] = time.sleep


def push_data(
    repository: Path,
    branch: str,
    paths: Sequence[str],
    message: str,
    retry: PushRetry | None = None,
) -> PushResult:
    """Commit the changed files below `paths`, and push the commit to `branch` of `origin`.

    A file is changed if it differs from the commit that is checked out. Files that others have
    changed on the branch are not pushed (see `PushResult`). Raises GitError if git fails, or if
    others push first at each attempt.
    """
    retry = retry or PushRetry()
    git(repository, "add", "--all", "--", *paths)
    ours = _changed_entries(repository, "HEAD", git(repository, "write-tree").strip())
    for attempt in range(1, retry.attempts + 1):
        git(repository, "fetch", "--quiet", "--depth=1", "origin", branch)
        head = git(repository, "rev-parse", "FETCH_HEAD").strip()
        theirs = _changed_entries(repository, "HEAD", head)
        left_out = _conflicting_paths(ours, theirs, _merge_group)
        entries = {
            path: entry
            for path, entry in ours.items()
            if path not in left_out and theirs.get(path) != entry
        }
        if not entries:
            return PushResult(0, tuple(sorted(left_out)))
        tree = _merged_tree(repository, head, entries)
        commit = git(repository, "commit-tree", tree, "-p", head, "-m", message).strip()
        result = run_git(repository, "push", "--quiet", "origin", f"{commit}:refs/heads/{branch}")
        if not result.returncode:
            return PushResult(len(entries), tuple(sorted(left_out)))
        if "rejected]" not in result.stderr:
            raise git_error(result)
        retry.pause(retry.first_wait * 2 ** (attempt - 1) * random.uniform(1, 2))  # noqa: S311
    raise GitError(f"git push: others pushed to {branch} at the same time, {retry.attempts} times")


def _merge_group(path: str) -> str:
    """Return the group of a file: its accelerator if it is archived, otherwise its own path.

    Files of the same group are pushed together or not at all: the list of an accelerator's files
    and the files.
    """
    match = _HISTORY_FILE.fullmatch(path)
    return match[1] or match[2] if match else path


def fetch_archive(repository: Path, place: Path) -> bool:
    """Check out the branch `archive` into the new folder `place`; return whether the branch exists.

    Without the branch, the folder has no files. Raises ArchiveError if `place` exists, and GitError
    if the branch cannot be fetched.
    """
    if place.exists():
        raise ArchiveError(f"{place} already exists. Use a new folder")
    remote = git(repository, "remote", "get-url", "origin").strip()
    git(repository, "init", "--quiet", f"--initial-branch={ARCHIVE_BRANCH}", str(place.absolute()))
    git(place, "remote", "add", "origin", remote)
    result = run_git(place, "ls-remote", "--exit-code", "origin", f"refs/heads/{ARCHIVE_BRANCH}")
    if result.returncode == _STATUS_NO_MATCH:
        return False
    if result.returncode:
        raise git_error(result)
    git(place, "fetch", "--quiet", "--depth=1", "origin", ARCHIVE_BRANCH)
    git(place, "reset", "--quiet", "--hard", "FETCH_HEAD")
    return True


def push_archive(place: Path) -> bool:
    """Push the folder's changes to the branch `archive`; return whether a commit was pushed.

    First removes unfinished files of an interrupted run. Keeps the changes that others pushed since
    `fetch_archive`. Raises GitError. Raises ArchiveError if others pushed a different change of one
    of the changed files, or if others push first at each attempt.
    """
    for unfinished in place.rglob(f"*{UNFINISHED_SUFFIX}"):
        unfinished.unlink(missing_ok=True)
    git(place, "add", "--all")
    tree = git(place, "write-tree").strip()
    fetched_commit = run_git(place, "rev-parse", "--quiet", "--verify", "HEAD").stdout.strip()
    if fetched_commit and git(place, "rev-parse", f"{fetched_commit}^{{tree}}").strip() == tree:
        return False
    newest_commit, own_tree = fetched_commit, tree
    for _ in range(_PUSH_ATTEMPTS):
        commit = git(place, "commit-tree", tree, "-m", _ARCHIVE_MESSAGE).strip()
        # The lease is the fetched commit; if it is empty, the branch must not exist yet.
        lease = f"--force-with-lease=refs/heads/{ARCHIVE_BRANCH}:{newest_commit}"
        result = run_git(
            place, "push", "--quiet", lease, "origin", f"{commit}:refs/heads/{ARCHIVE_BRANCH}"
        )
        if not result.returncode:
            git(place, "reset", "--quiet", "--hard", commit)
            return True
        if "rejected]" not in result.stderr:
            raise git_error(result)
        newest_commit, tree = _merge_with_branch(place, fetched_commit, own_tree)
    raise ArchiveError(f"{ARCHIVE_BRANCH} changed during {_PUSH_ATTEMPTS} attempts to push")


def _merge_with_branch(folder: Path, fetched_commit: str, tree: str) -> tuple[str, str]:
    """Return the newest commit of the branch, and a git tree that adds our changes to that commit.

    Our changes are the differences from the commit `fetched_commit` to `tree`. `fetched_commit` is
    empty if the branch did not exist when the work started. Raises GitError. Raises ArchiveError if
    one of our changed files has a different change on the branch.
    """
    git(folder, "fetch", "--quiet", "--depth=1", "origin", ARCHIVE_BRANCH)
    newest_commit = git(folder, "rev-parse", "FETCH_HEAD").strip()
    base = fetched_commit or _EMPTY_TREE
    ours = _changed_entries(folder, base, tree)
    if conflicts := sorted(_conflicting_paths(ours, _changed_entries(folder, base, newest_commit))):
        what = f"{conflicts[0]} changed on the branch {ARCHIVE_BRANCH} in the meantime"
        raise ArchiveError(f"{what}. Run the job again")
    return newest_commit, _merged_tree(folder, newest_commit, ours)


def _changed_entries(repository: Path, before: str, after: str) -> dict[str, _TreeEntry]:
    """Return the files that differ between two trees or commits, with their entries in `after`.

    The keys are paths. The entry of a removed file has a mode of zeros. Raises GitError.
    """
    text = git(repository, "diff-tree", "-r", "-z", "--no-renames", before, after)
    fields = text.split("\0")[:-1]
    entries = {}
    for header, path in zip(fields[::2], fields[1::2], strict=True):
        _, mode, _, blob, _ = header.split(" ")
        entries[path] = (mode, blob)
    return entries


def _conflicting_paths(
    ours: Mapping[str, _TreeEntry],
    theirs: Mapping[str, _TreeEntry],
    group_of: Callable[[str], str] = lambda path: path,
) -> frozenset[str]:
    """Return the paths in `ours` that cannot be merged with `theirs`.

    Both map the path of a changed file to its new entry. `group_of` returns the group of a path
    (default: each path is its own group). A group conflicts if `theirs` changes one of its files
    and `ours` does not have the same change. All paths of a conflicting group are returned.
    """
    groups = {group_of(path) for path in ours}
    differing = {
        group_of(path)
        for path, entry in theirs.items()
        if group_of(path) in groups and ours.get(path) != entry
    }
    return frozenset(path for path in ours if group_of(path) in differing)


def _merged_tree(repository: Path, onto: str, files: Mapping[str, _TreeEntry]) -> str:
    """Create a git tree from the tree `onto` with the changes in `files`, and return its id.

    `files` maps the path of a changed file to its new entry. An entry with a mode of zeros removes
    the file. Raises GitError.
    """
    entries = "".join(f"{mode} {blob}\t{path}\0" for path, (mode, blob) in files.items())
    with TemporaryDirectory(prefix="portal-index-") as folder:
        index = {"GIT_INDEX_FILE": str(Path(folder, "index"))}
        git(repository, "read-tree", onto, variables=index)
        git(repository, "update-index", "-z", "--index-info", variables=index, text=entries)
        return git(repository, "write-tree", variables=index).strip()
