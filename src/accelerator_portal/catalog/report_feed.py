"""`report_feeds` in `accelerator.yaml`: where the nightly finds a platform's newest reports."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import AfterValidator, model_validator

from accelerator_portal.catalog.fields import Id, Model, Url, fault
from accelerator_portal.catalog.shared_files import RepositoryName
from accelerator_portal.catalog.sources import Sourced

WAYS = ("url", "release", "artifact")

# What GitHub makes of a name otherwise: a path, a wildcard, another option.
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


def _name(value: str) -> str:
    if not _NAME.fullmatch(value):
        raise fault(f'"{value[:60]}" is not a valid GitHub name', "use letters, digits and . _ -")
    return value


GitHubName = Annotated[str, AfterValidator(_name)]


class ReleaseAsset(Model):
    """A file in a repository's latest release."""

    repository: RepositoryName
    """Owner and name on GitHub."""
    asset: GitHubName
    """The file name."""


class WorkflowArtifact(Model):
    """An artifact of the latest successful run of a workflow. It contains `report.json`."""

    repository: RepositoryName
    """Owner and name on GitHub."""
    workflow: GitHubName
    """The workflow's file name, for example `nightly.yml`."""
    artifact: GitHubName
    """The artifact name."""
    branch: GitHubName = "main"
    """The branch on which the workflow ran."""


class ReportFeed(Sourced):
    """The location of the platform's latest test report in the common test report format."""

    name: Id
    """File name of the report in `results/`, without `.json`. It never changes."""
    url: Url | None = None
    """The https address of the report. Redirects to another host are not followed."""
    sha256: Url | None = None
    """With `url`: address of a file with the report's SHA-256, as `sha256sum` writes it. A report
    with another checksum is refused."""
    release: ReleaseAsset | None = None
    """Instead of `url`: a file of a GitHub release."""
    artifact: WorkflowArtifact | None = None
    """Instead of `url`: an artifact of a GitHub workflow."""

    @model_validator(mode="after")
    def _stands_in_one_place(self) -> ReportFeed:
        given = [way for way in WAYS if getattr(self, way) is not None]
        if len(given) != 1:
            what = "a feed needs exactly one location"
            raise fault(what, f"use one of: {', '.join(WAYS)}")
        if self.sha256 is not None and self.url is None:
            raise fault("sha256 belongs to url", "remove it; GitHub provides its own checksum")
        return self
