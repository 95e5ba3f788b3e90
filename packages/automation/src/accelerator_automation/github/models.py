"""Parses GitHub's events and API responses into models with the fields that the automation reads.

GitHub sends this data. The names of files, branches and users in it are chosen by their authors, so
they are untrusted.
"""

from __future__ import annotations

import datetime as dt
from typing import Annotated

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, StringConstraints

Sha = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{40,64}$")]
FullName = Annotated[str, StringConstraints(pattern=r"^[\w.-]+/[\w.-]+$", max_length=200)]
PageUrl = Annotated[str, StringConstraints(pattern=r"^https://[\w.-]+/[\w.-]+/[\w.-]+$")]
Number = Annotated[int, Field(gt=0)]


def time_text(time: dt.datetime) -> str:
    """Return a time as GitHub writes it: in UTC, without fractions of a second."""
    return f"{time.astimezone(dt.timezone.utc):%Y-%m-%dT%H:%M:%SZ}"


class GitHubModel(BaseModel):
    """Base class of the models of GitHub's events and responses; unknown fields are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class Repository(GitHubModel):
    """A repository on GitHub."""

    full_name: FullName
    """The owner and the name, as OWNER/NAME."""

    def belongs_to(self, login: str) -> bool:
        """Return whether an account owns the repository."""
        return self.full_name.partition("/")[0].casefold() == login.casefold()


class HomeRepository(Repository):
    """The repository in which the workflow runs."""

    html_url: PageUrl


class WorkflowRun(GitHubModel):
    """A workflow run that has ended."""

    id: Number
    event: str
    """The event that started the run, such as `pull_request`."""
    conclusion: str | None
    """The result, such as `success`; None if GitHub states none."""
    head_sha: Sha
    """The commit that the workflow ran for."""
    head_repository: Repository | None
    """The repository of the commit; None if the repository was deleted."""


class PullRequestRun(GitHubModel):
    """The event `workflow_run`, which GitHub sends when a workflow run has ended."""

    workflow_run: WorkflowRun
    repository: HomeRepository
    """The repository in which the workflow ran."""

    @property
    def head_sha(self) -> str:
        """The commit that the workflow ran for."""
        return self.workflow_run.head_sha

    @property
    def address(self) -> str:
        """The URL of the run's page."""
        return f"{self.repository.html_url}/actions/runs/{self.workflow_run.id}"


class GitObject(GitHubModel):
    """A reference to a commit, a tree or a file, by its object id."""

    sha: Sha


class User(GitHubModel):
    """A GitHub account."""

    login: str
    type: str = ""
    """The kind of account, such as `User` or `Bot`; empty if GitHub does not state it."""

    @property
    def is_person(self) -> bool:
        """Whether a person, not a program, has this account.

        GitHub also lists programs as users, such as `pytorchbot` and `facebook-github-bot`. No
        account whose name ends in `bot` therefore counts as a person.
        """
        return self.type == "User" and not self.login.casefold().endswith("bot")


class Label(GitHubModel):
    """A label of a pull request or an issue."""

    name: str


class PullRequestBranch(GitHubModel):
    """The head or the base branch of a pull request: the newest commit and the repository."""

    sha: Sha
    """The newest commit of the branch."""
    ref: str = ""
    """The name of the branch."""
    repo: Repository | None
    """The repository of the branch; None if the repository was deleted."""


class PullRequest(GitHubModel):
    """A pull request on GitHub."""

    number: Number
    state: str
    """`open` or `closed`."""
    user: User | None
    """The author; None if the account was deleted."""
    head: PullRequestBranch
    base: PullRequestBranch


class ChangedFile(GitHubModel):
    """A file that a pull request touches."""

    filename: str
    previous_filename: str | None = None
    """The previous path of the file if it was moved, else None."""


class Comment(GitHubModel):
    """A comment on an issue or a pull request."""

    id: Number
    user: User | None
    """The author; None if the account was deleted."""
    body: str | None = None
    """The text of the comment; None if it is empty."""


class _Committer(GitHubModel):
    date: AwareDatetime


class _CommitText(GitHubModel):
    committer: _Committer


class ListedCommit(GitHubModel):
    """A commit, in a list or a comparison of commits."""

    sha: Sha
    commit: _CommitText
    """The data that git stores for the commit, such as its time."""

    @property
    def time(self) -> dt.datetime:
        """The time of the commit."""
        return self.commit.committer.date

    @property
    def day(self) -> dt.date:
        """The date of the commit."""
        return self.time.date()


class ListedRun(GitHubModel):
    """A workflow run, as GitHub returns it in a list or alone."""

    id: Number
    event: str = ""
    """The event that started the run, such as `repository_dispatch`."""
    status: str | None = None
    """The status; `completed` if the run has ended. None if GitHub does not state it."""
    conclusion: str | None = None
    """The result, such as `success`; None if the run has not ended."""
    display_title: str = ""
    created_at: AwareDatetime
    path: str = ""
    """The path of the workflow's file."""
    head_repository: Repository | None = None
    """The repository of the commit; None if the repository was deleted."""
    run_attempt: Number = 1
    """The number of the current attempt at the run."""


class ListedRuns(GitHubModel):
    """A page of a list of workflow runs: at most 100."""

    workflow_runs: tuple[ListedRun, ...]


class RunNumber(GitHubModel):
    """A reference to a workflow run."""

    id: Number


class ListedArtifact(GitHubModel):
    """An artifact of a run."""

    id: Number
    name: str
    size_in_bytes: int
    """The size of the compressed artifact in bytes."""
    expired: bool
    """Whether GitHub has deleted the artifact."""
    created_at: AwareDatetime | None = None
    """When the artifact was uploaded; None if GitHub does not state it."""
    workflow_run: RunNumber | None = None
    """The run that uploaded the artifact; None if GitHub does not state it."""


class Artifacts(GitHubModel):
    """A page of a list of artifacts: at most 100."""

    artifacts: tuple[ListedArtifact, ...]
