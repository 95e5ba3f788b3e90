"""The GitHub App of upstream events: whether it is installed wherever it is needed, and may work.

Its installations are read, and the vendors' workflows with tokens that may read files alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from accelerator_portal.automation.app_errors import AppError
from accelerator_portal.automation.github import GitHubError
from accelerator_portal.automation.github_app import GitHubApp
from accelerator_portal.automation.installation_api import InstallationApi
from accelerator_portal.automation.installation_tokens import InstallationTokens
from accelerator_portal.automation.upstream.app_permissions import (
    WORKFLOWS,
    checked_repositories,
    required_permissions,
)
from accelerator_portal.automation.upstream.setup_repositories import workflow_findings
from accelerator_portal.automation.upstream.setup_tokens import SetupFinding, network_finding
from accelerator_portal.catalog import Catalog
from accelerator_portal.catalog.upstream_events import Dispatch

APP = "GitHub App"

ConnectApp = Callable[[], GitHubApp | None]
"""Return the App, or None where the environment describes none. Raises GitHubError."""


def app_findings(
    app: GitHubApp, catalog: Catalog, home: str, vendors: Iterable[Dispatch]
) -> Iterator[SetupFinding]:
    """Yield where the App lacks something; a repository that lacks it is looked at no further."""
    lacking = set()
    for repository, permissions in required_permissions(catalog, home).items():
        try:
            app.installation(repository, permissions)
        except GitHubError as error:
            lacking.add(repository)
            yield app_finding(error)
    api = InstallationApi(InstallationTokens(app), lambda _: WORKFLOWS)
    for target in vendors:
        if target.repository in lacking:
            continue
        try:
            yield from workflow_findings(api, target)
        except GitHubError as error:
            yield app_finding(error)


def app_finding(error: GitHubError) -> SetupFinding:
    """Return the finding for what keeps the App from its work."""
    if isinstance(error, AppError):
        return SetupFinding(error.where, error.problem, error.fix)
    if error.passing:
        return network_finding(APP, error)
    return SetupFinding(APP, str(error), "Check its installation and permissions")


def check_run_findings(variable: str, catalog: Catalog) -> Iterator[SetupFinding]:
    """Yield whose check runs nobody can create, because there is no App."""
    if repositories := checked_repositories(catalog):
        problem = f"a personal token can't create the check runs of {', '.join(repositories)}"
        fix = "Set up the GitHub App that docs/maintenance.md describes"
        yield SetupFinding(variable, problem, fix)
