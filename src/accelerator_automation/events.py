"""Defines what the automation reads of GitHub's events and answers; ignores the rest.

The event and the answers come from GitHub itself. What an author chooses in them (names of files,
of branches, of themselves) is text like any other's.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, StringConstraints

Sha = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{40,64}$")]
FullName = Annotated[str, StringConstraints(pattern=r"^[\w.-]+/[\w.-]+$", max_length=200)]
PageUrl = Annotated[str, StringConstraints(pattern=r"^https://[\w.-]+/[\w.-]+/[\w.-]+$")]
Number = Annotated[int, Field(gt=0)]


class Part(BaseModel):
    """A part of a response or an event of GitHub; fields that are not listed are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class Repository(Part):
    """A repository."""

    full_name: FullName
    """Owner and name."""


class HomeRepository(Repository):
    """The repository in which the workflow runs."""

    html_url: PageUrl
    """Its page."""


class WorkflowRun(Part):
    """A workflow run that has ended."""

    id: Number
    """Its number."""
    event: str
    """What it ran for."""
    conclusion: str | None
    """How it ended."""
    head_sha: Sha
    """The commit that it was about."""
    head_repository: Repository | None
    """The repository of that commit; None if it was deleted."""


class PullRequestRun(Part):
    """The event `workflow_run`, which GitHub sends after a workflow run."""

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
    """An account."""

    login: str
    """Its name."""


class Side(Part):
    """One side of a pull request."""

    sha: Sha
    """Its newest commit."""
    repo: Repository | None
    """Its repository; None where that is gone."""


class PullRequest(Part):
    """A pull request."""

    number: Number
    """Its number."""
    state: str
    """`open` or `closed`."""
    user: User | None
    """Its author; None where the account is gone."""
    head: Side
    """What is to be merged."""
    base: Side
    """Where to."""


class ChangedFile(Part):
    """A file that a pull request touches."""

    filename: str
    """Its path."""
    previous_filename: str | None = None
    """Where it was before, if it was moved."""


class Comment(Part):
    """A comment."""

    id: Number
    """Its number."""
    user: User | None
    """Its author."""
    body: str | None = None
    """Its text."""


class ListedRun(Part):
    """A workflow run, in a list of runs or by itself."""

    id: Number
    """Its number."""
    event: str = ""
    """The event that started it."""
    status: str = ""
    """`completed` after its end."""
    conclusion: str | None = None
    """How it ended."""
    display_title: str = ""
    """Its title."""
    created_at: AwareDatetime
    """When it was started."""
    path: str = ""
    """The path of its workflow."""
    head_repository: Repository | None = None
    """The repository of its commit; None if it was deleted."""
    run_attempt: Number = 1
    """How often it was started."""


class ListedRuns(Part):
    """A page of runs."""

    workflow_runs: tuple[ListedRun, ...]
    """The runs, at most 100."""


class RunNumber(Part):
    """The number of a run."""

    id: Number
    """The number."""


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
    """A page of artifacts."""

    artifacts: tuple[ListedArtifact, ...]
    """The artifacts, at most 100."""
