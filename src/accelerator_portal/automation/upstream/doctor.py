"""Lists everything that upstream events still need. Only reads; sends nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain

from accelerator_portal.automation.app_errors import AppError
from accelerator_portal.automation.github import GitHubError
from accelerator_portal.automation.github_app import GitHubApp
from accelerator_portal.automation.installation_tokens import InstallationApi, InstallationTokens
from accelerator_portal.automation.upstream.connections import (
    WORKFLOWS,
    checked_repositories,
    required_permissions,
)
from accelerator_portal.automation.upstream.setup_repositories import (
    SECRETS,
    HeaderApi,
    SetupFinding,
    environment_findings,
    network_finding,
    permission_findings,
    refused_request,
    token_findings,
    variable_findings,
    workflow_findings,
)
from accelerator_portal.catalog import Catalog
from accelerator_portal.catalog.upstream_events import Dispatch

SETTINGS = "GH_TOKEN"
"""The token of an administrator, which reads this repository's settings."""
DISPATCH, READ, COMMENT = SECRETS
TOKENS = (SETTINGS, *SECRETS)

Connect = Callable[[str], HeaderApi]
"""Return the API for the token in a variable. Raises GitHubError if there is none."""
SetupCheck = Callable[[HeaderApi], Iterator[SetupFinding]]


def setup_findings(
    catalog: Catalog, home: str, connect: Connect, connect_app: ConnectApp
) -> list[SetupFinding]:
    """Return everything that is missing, each finding once.

    The personal tokens are checked only where there is no App, which is used instead of them.
    """
    checks = _checks(targets(catalog), home)
    found = [*_of_token(SETTINGS, checks[SETTINGS], connect)]
    try:
        app = connect_app()
    except GitHubError as error:
        return list(dict.fromkeys([*found, app_finding(error)]))
    if app:
        found += app_findings(app, catalog, home, targets(catalog))
    else:
        found += chain.from_iterable(_of_token(name, checks[name], connect) for name in SECRETS)
        found += check_run_findings(COMMENT, catalog)
    return list(dict.fromkeys(found))


def targets(catalog: Catalog) -> list[Dispatch]:
    """Return the vendors' repositories that get events, each event type once."""
    events = (platform.accelerator.upstream_events for platform in catalog.platforms)
    sent_to = {one.run.sent_to for one in events if one is not None}
    known = (one for one in sent_to if one is not None)
    return sorted(known, key=lambda one: (one.repository, one.event_type))


def _checks(vendors: list[Dispatch], home: str) -> dict[str, list[SetupCheck]]:
    repositories = sorted({one.repository for one in vendors})
    return {
        SETTINGS: [
            lambda api: variable_findings(api, home),
            lambda api: environment_findings(api, home),
        ],
        DISPATCH: [_may_dispatch(repository) for repository in repositories],
        READ: [_has_workflow(target) for target in vendors],
        COMMENT: [],
    }


def _may_dispatch(repository: str) -> SetupCheck:
    return lambda api: permission_findings(api, DISPATCH, repository)


def _has_workflow(target: Dispatch) -> SetupCheck:
    return lambda api: workflow_findings(api, target)


def _of_token(variable: str, checks: list[SetupCheck], connect: Connect) -> Iterator[SetupFinding]:
    """Yield the findings of one token; without a valid token nothing else can be checked."""
    try:
        api = connect(variable)
    except GitHubError as error:
        problem, _, fix = str(error).partition(". ")
        yield SetupFinding(variable, problem.replace(f"{variable} is", "the variable is"), fix)
        return
    try:
        yield from token_findings(variable, api)
    except GitHubError as error:
        yield refused_request(variable, error)
        return
    for check in checks:
        try:
            yield from check(api)
        except GitHubError as error:
            yield refused_request(variable, error)


# The GitHub App of upstream events: whether it is installed wherever it is needed, and may work.
#
# Its installations are read, and the vendors' workflows with tokens that may read files alone.

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
        fix = "Set up the GitHub App that docs/upstream-events.md describes"
        yield SetupFinding(variable, problem, fix)
