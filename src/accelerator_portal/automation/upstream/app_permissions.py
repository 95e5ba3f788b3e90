"""The least permissions of the GitHub App for each use, and the repositories that need them.

GitHub adds `metadata: read` itself. Source, read 2026-11-23: docs.github.com, "Permissions required
for GitHub Apps", as data in github/docs, `src/github-apps/data/fpt-2022-11-28/
server-to-server-permissions.json`.
"""

from __future__ import annotations

from accelerator_portal.automation.github_app import Permissions
from accelerator_portal.automation.upstream.change import UPSTREAM
from accelerator_portal.automation.upstream.checks import level_of
from accelerator_portal.catalog import Catalog

SEND: Permissions = {"contents": "write"}
"""`POST /repos/{owner}/{repo}/dispatches` is listed under Contents, and nowhere else."""
READ: Permissions = {"actions": "read"}
"""Lists of runs and artifacts, and the archives, are listed under Actions."""
COMMENT: Permissions = {"pull_requests": "write"}
"""Comments on a pull request need this or Issues; reading its labels needs this or Contents."""
CHECK: Permissions = {"checks": "write"}
"""Check runs are listed under Checks; GitHub lets only Apps create them."""
WORKFLOWS: Permissions = {"contents": "read"}
"""Files of a repository, which `upstream doctor` reads."""


def upstream_permissions(path: str) -> Permissions:
    """Return what a request to PyTorch needs: a comment is posted even where no check may be."""
    return CHECK if "/check-runs" in path else COMMENT


def required_permissions(catalog: Catalog, home: str) -> dict[str, Permissions]:
    """Return by repository what the App needs in all; `home` is this repository."""
    events = [platform.accelerator.upstream_events for platform in catalog.platforms]
    runs = [one.run for one in events if one is not None]
    found: dict[str, Permissions] = {}
    if runs:
        checks = CHECK if checked_repositories(catalog) else {}
        found[UPSTREAM] = {**COMMENT, **checks}
    if any(run.workflow_here for run in runs):
        found[home] = READ
    for repository in sorted({run.sent_to.repository for run in runs if run.sent_to}):
        found[repository] = {**SEND, **READ}
    return found


def checked_repositories(catalog: Catalog) -> list[str]:
    """Return the vendors' repositories whose results become check runs, by level."""
    events = (platform.accelerator.upstream_events for platform in catalog.platforms)
    found = {one.run.sent_to.repository for one in events if one and one.run.sent_to}
    return sorted(one for one in found if level_of(catalog, one) in {"L3", "L4"})
