"""`report_feeds` in `accelerator.yaml`: where the nightly finds a platform's newest reports."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import AfterValidator, model_validator

from accelerator_portal.catalog.fields import Id, Model, Url, fault
from accelerator_portal.catalog.relay_file import RepositoryName
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
    """A file of a repository's newest release."""

    repository: RepositoryName
    """Owner and name on GitHub."""
    asset: GitHubName
    """The file's name."""


class WorkflowArtifact(Model):
    """What the newest successful run of a workflow left; it holds `report.json`."""

    repository: RepositoryName
    """Owner and name on GitHub."""
    workflow: GitHubName
    """The workflow's file, as in `nightly.yml`."""
    artifact: GitHubName
    """The artifact's name."""
    branch: GitHubName = "main"
    """The branch that the workflow ran for."""


class ReportFeed(Sourced):
    """A place where the newest test report of the platform stands, in the common format."""

    name: Id
    """The name that it gets in `results/`; never changes."""
    url: Url | None = None
    """Its https address; a redirect to another host is not followed."""
    sha256: Url | None = None
    """With `url`: where its SHA-256 stands, as `sha256sum` writes it; what differs is refused."""
    release: ReleaseAsset | None = None
    """Instead of an address: a file of a release on GitHub."""
    artifact: WorkflowArtifact | None = None
    """Instead of an address: an artifact of a workflow on GitHub."""

    @model_validator(mode="after")
    def _stands_in_one_place(self) -> ReportFeed:
        given = [way for way in WAYS if getattr(self, way) is not None]
        if len(given) != 1:
            what = "a feed needs exactly one location"
            raise fault(what, f"use one of: {', '.join(WAYS)}")
        if self.sha256 is not None and self.url is None:
            raise fault("sha256 belongs to url", "remove it; GitHub provides its own checksum")
        return self
