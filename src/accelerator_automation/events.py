"""Defines the fields of GitHub's events and responses that the automation reads.

GitHub itself sends this data. But names of files, branches and users are chosen by authors, and are
untrusted like any other text.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, StringConstraints

Sha = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{40,64}$")]
FullName = Annotated[str, StringConstraints(pattern=r"^[\w.-]+/[\w.-]+$", max_length=200)]
PageUrl = Annotated[str, StringConstraints(pattern=r"^https://[\w.-]+/[\w.-]+/[\w.-]+$")]
Number = Annotated[int, Field(gt=0)]


class Part(BaseModel):
    """Base class of events, responses and their parts; fields that are not listed are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class Repository(Part):
    """A repository on GitHub."""

    full_name: FullName
    """The owner and the name, as OWNER/NAME."""


class HomeRepository(Repository):
    """The repository in which the workflow runs."""

    html_url: PageUrl
    """The URL of its page."""


class WorkflowRun(Part):
    """A workflow run that has ended."""

    id: Number
    """Its number."""
    event: str
    """The event that started it, such as `pull_request`."""
    conclusion: str | None
    """The result, such as `success`; None if there is none."""
    head_sha: Sha
    """The commit that it ran for."""
    head_repository: Repository | None
    """The repository of that commit; None if it was deleted."""


class PullRequestRun(Part):
    """The event `workflow_run`, which GitHub sends when a workflow run has ended."""

    workflow_run: WorkflowRun
    """The run that ended."""
    repository: HomeRepository
    """The repository in which it ran."""

    @property
    def head_sha(self) -> str:
        """The commit that the workflow ran for."""
        return self.workflow_run.head_sha

    @property
    def address(self) -> str:
        """The URL of the run's page."""
        return f"{self.repository.html_url}/actions/runs/{self.workflow_run.id}"


class User(Part):
    """A GitHub account."""

    login: str
    """Its name."""


class Side(Part):
    """The head or the base of a pull request."""

    sha: Sha
    """Its newest commit."""
    repo: Repository | None
    """Its repository; None if it was deleted."""


class PullRequest(Part):
    """A pull request."""

    number: Number
    """Its number."""
    state: str
    """`open` or `closed`."""
    user: User | None
    """Its author; None if the account was deleted."""
    head: Side
    """The branch to merge."""
    base: Side
    """The branch to merge into."""


class ChangedFile(Part):
    """A file that a pull request touches."""

    filename: str
    """Its path."""
    previous_filename: str | None = None
    """Its previous path if it was moved, else None."""


class Comment(Part):
    """A comment on an issue or a pull request."""

    id: Number
    """Its number."""
    user: User | None
    """Its author; None if the account was deleted."""
    body: str | None = None
    """Its text."""


class ListedRun(Part):
    """A workflow run, in a list of runs or by itself."""

    id: Number
    """Its number."""
    event: str = ""
    """The event that started it, such as `repository_dispatch`."""
    status: str = ""
    """The status; `completed` if it has ended."""
    conclusion: str | None = None
    """The result, such as `success`; None if it has not ended."""
    display_title: str = ""
    """Its title."""
    created_at: AwareDatetime
    """When it was created."""
    path: str = ""
    """The path of its workflow file."""
    head_repository: Repository | None = None
    """The repository of its commit; None if it was deleted."""
    run_attempt: Number = 1
    """The number of its current attempt."""


class ListedRuns(Part):
    """A page of a list of workflow runs."""

    workflow_runs: tuple[ListedRun, ...]
    """The runs, at most 100."""


class RunNumber(Part):
    """A reference to a workflow run."""

    id: Number
    """The number of the run."""


class ListedArtifact(Part):
    """An artifact of a run."""

    id: Number
    """Its number."""
    name: str
    """Its name."""
    size_in_bytes: int
    """Its size in bytes, compressed."""
    expired: bool
    """Whether GitHub has deleted it."""
    created_at: AwareDatetime | None = None
    """When it was uploaded."""
    workflow_run: RunNumber | None = None
    """The run that uploaded it."""


class Artifacts(Part):
    """A page of a list of artifacts."""

    artifacts: tuple[ListedArtifact, ...]
    """The artifacts, at most 100."""
