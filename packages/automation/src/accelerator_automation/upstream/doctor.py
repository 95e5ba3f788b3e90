"""Finds missing and wrong settings for upstream events in each repository, without changing them.

In all functions, `variable` is the environment variable with the token that is checked.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from pydantic import BaseModel

from accelerator_automation.github.api import (
    Api,
    GitHubError,
    exists,
    none_if_missing,
    parse_response,
    read_response,
)
from accelerator_automation.github.app import APP_ID, APP_KEY, AppError, GitHubApp
from accelerator_automation.github.installation_tokens import InstallationApi, InstallationTokens
from accelerator_automation.upstream.connections import (
    WORKFLOW_PERMISSIONS,
    check_run_repositories,
    dispatch_targets,
    required_permissions,
)
from accelerator_portal.catalog import Catalog
from accelerator_portal.catalog.files.upstream_events import Dispatch

LOGIN_VARIABLE = "UPSTREAM_LOGIN"
ENVIRONMENT = "upstream"
SECRETS = ("UPSTREAM_DISPATCH_TOKEN", "UPSTREAM_READ_TOKEN", "UPSTREAM_COMMENT_TOKEN")
"""The secrets with personal tokens, which are used if there is no GitHub App."""
DISPATCH, READ, COMMENT = SECRETS
APP_SECRETS = (APP_ID, APP_KEY)
ADMINISTRATOR_VARIABLE = "GH_TOKEN"
"""The variable with an administrator's token, which reads this repository's settings."""

APP = "GitHub App"

LEAST_REQUESTS = 100
"""The number of requests that a token must have left in this hour, so that a round can finish."""

_WORKFLOWS_FOLDER = ".github/workflows"
_UNAUTHORIZED = 401
_FORBIDDEN = 403
# A classic token lists its scopes in this header; other tokens send no such header.
_SCOPES_HEADER = "x-oauth-scopes"
_ENOUGH_SCOPES = frozenset({"repo", "public_repo"})


@dataclass(frozen=True)
class SetupFinding:
    """A missing or wrong setting for upstream events, and the fix.

    `where` is a repository, an environment of a repository, a variable with a token or key, or the
    GitHub App.
    """

    where: str
    problem: str
    fix: str

    def __str__(self) -> str:
        return f"{self.where}: {self.problem}. {self.fix}"


class HeaderApi(Api, Protocol):
    """GitHub's API, including the headers of responses."""

    def get_with_headers(self, path: str) -> tuple[bytes, Mapping[str, str]]:
        """Return the response body for a path, and the headers by name in lower case."""


Connect = Callable[[str], HeaderApi]
"""Returns the API for the token in an environment variable. Raises GitHubError without a token."""
SetupCheck = Callable[[HeaderApi], Iterator[SetupFinding]]
ConnectApp = Callable[[], GitHubApp | None]
"""Returns the App, or None if the environment describes none. Raises GitHubError."""


class _NamedItem(BaseModel):
    name: str


class _Secrets(BaseModel):
    secrets: tuple[_NamedItem, ...]


class _Policy(_NamedItem):
    # Tags have policies in the same list; old servers list no type.
    type: str = "branch"


class _Policies(BaseModel):
    branch_policies: tuple[_Policy, ...]


class _PolicyKind(BaseModel):
    custom_branch_policies: bool


class _Environment(BaseModel):
    deployment_branch_policy: _PolicyKind | None = None


class _Permissions(BaseModel):
    push: bool


class _Repository(BaseModel):
    permissions: _Permissions | None = None


class _Core(BaseModel):
    remaining: int


class _Resources(BaseModel):
    core: _Core


class _RateLimit(BaseModel):
    resources: _Resources


class _FileContent(BaseModel):
    content: str


def setup_findings(
    catalog: Catalog, home: str, connect: Connect, connect_app: ConnectApp
) -> list[SetupFinding]:
    """Return the missing and wrong settings, without duplicates.

    `connect` takes the name of a variable and returns a client with its token. `connect_app`
    returns the App or None. If there is an App, the personal tokens that it replaces are not
    checked. If a token is missing or refused, the settings that need this token are not checked.
    """
    vendors = dispatch_targets(catalog)
    setting_checks = [
        partial(check, home=home) for check in (variable_findings, environment_findings)
    ]
    findings = [*_token_findings_and_checks(ADMINISTRATOR_VARIABLE, connect, setting_checks)]
    try:
        app = connect_app()
    except GitHubError as error:
        return list(dict.fromkeys([*findings, app_finding(error)]))
    if app:
        findings += app_findings(app, catalog, home, vendors)
    else:
        repositories = sorted({one.repository for one in vendors})
        send_checks = [partial(permission_findings, repository=one) for one in repositories]
        findings += _token_findings_and_checks(DISPATCH, connect, send_checks)
        workflow_checks = [partial(workflow_findings, target=one) for one in vendors]
        findings += _token_findings_and_checks(READ, connect, workflow_checks)
        findings += _token_findings_and_checks(COMMENT, connect)
        findings += check_run_findings(catalog)
    return list(dict.fromkeys(findings))


def _token_findings_and_checks(
    variable: str, connect: Connect, checks: Iterable[SetupCheck] = ()
) -> Iterator[SetupFinding]:
    """Yield the findings about the token in `variable`, and the findings of `checks`.

    The checks use the token. If the token is missing or refused, they are skipped.
    """
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


def variable_findings(api: Api, home: str) -> Iterator[SetupFinding]:
    """Yield a finding if the variable that enables the workflows is missing. Raises GitHubError."""
    if not exists(api, f"repos/{home}/actions/variables/{LOGIN_VARIABLE}"):
        fix = f"Run: gh variable set {LOGIN_VARIABLE} --body LOGIN"
        yield SetupFinding(home, f"the variable {LOGIN_VARIABLE} is not set", fix)


def environment_findings(api: Api, home: str) -> Iterator[SetupFinding]:
    """Yield findings about the environment that holds the secrets. Raises GitHubError."""
    path = f"repos/{home}/environments/{ENVIRONMENT}"
    where = f"{home}, environment {ENVIRONMENT}"
    if not exists(api, path):
        fix = (
            "Create it in the repository's settings, restrict it to main, and add "
            f"{' and '.join(APP_SECRETS)}, or {DISPATCH}, {READ} and {COMMENT}"
        )
        yield SetupFinding(where, "the environment does not exist", fix)
        return
    if _branch_policies(api, path) != (_Policy(name="main"),):
        problem = "deployments are not restricted to the branch main"
        yield SetupFinding(where, problem, "Select the branch main alone in its settings")
    secret_names = {
        one.name for one in read_response(api, f"{path}/secrets?per_page=100", _Secrets).secrets
    }
    for secret in SECRETS if secret_names.isdisjoint(APP_SECRETS) else APP_SECRETS:
        if secret not in secret_names:
            fix = f"Run: gh secret set {secret} --env {ENVIRONMENT}"
            yield SetupFinding(where, f"the secret {secret} is not set", fix)


def permission_findings(api: Api, repository: str) -> Iterator[SetupFinding]:
    """Yield a finding if a token can't send events to a repository. Raises GitHubError."""
    permissions = read_response(api, f"repos/{repository}", _Repository).permissions
    if permissions is None or not permissions.push:
        problem = f"the token may not send events to {repository}"
        fix = f"Give it the permission contents: write on {repository}"
        yield SetupFinding(DISPATCH, problem, fix)


def workflow_findings(api: Api, target: Dispatch) -> Iterator[SetupFinding]:
    """Yield a finding if no workflow in a vendor's repository handles the event.

    `target` names the repository and the type of the event. Raises GitHubError.
    """
    path = f"repos/{target.repository}/contents/{_WORKFLOWS_FOLDER}"
    items = none_if_missing(lambda: read_response(api, path, tuple[_NamedItem, ...])) or ()
    files = (f"{path}/{one.name}" for one in items if one.name.endswith((".yml", ".yaml")))
    if not any(_handles_event(api, file, target.event_type) for file in files):
        problem = f"no workflow handles repository_dispatch with the type {target.event_type}"
        fix = f"Ask the vendor to add one to {_WORKFLOWS_FOLDER}, or correct event_type"
        yield SetupFinding(target.repository, problem, fix)


def _handles_event(api: Api, path: str, event_type: str) -> bool:
    text = base64.b64decode(read_response(api, path, _FileContent).content).decode(
        "utf-8", "replace"
    )
    return "repository_dispatch" in text and event_type in text


def _branch_policies(api: Api, path: str) -> tuple[_Policy, ...]:
    policy = read_response(api, path, _Environment).deployment_branch_policy
    if policy is None or not policy.custom_branch_policies:
        return ()
    return read_response(
        api, f"{path}/deployment-branch-policies?per_page=100", _Policies
    ).branch_policies


def token_findings(variable: str, api: HeaderApi) -> Iterator[SetupFinding]:
    """Yield findings if a token has too few requests left or lacks a scope. Raises GitHubError."""
    body, headers = api.get_with_headers("rate_limit")
    remaining = parse_response("rate_limit", body, _RateLimit).resources.core.remaining
    if remaining < LEAST_REQUESTS:
        problem = f"the token has {remaining} requests left in this hour"
        yield SetupFinding(variable, problem, "Wait an hour or use a token of another account")
    scopes = headers.get(_SCOPES_HEADER)
    if scopes is not None and _ENOUGH_SCOPES.isdisjoint(scopes.replace(",", " ").split()):
        problem = f'the token has the scopes "{scopes}", which don\'t include public_repo'
        yield SetupFinding(variable, problem, f"Create a token with public_repo for {variable}")


def refused_request(variable: str, error: GitHubError) -> SetupFinding:
    """Return the finding for a request that failed with the token in `variable`."""
    if error.status == _UNAUTHORIZED:
        fix = f"Create a new token and set {variable}"
        return SetupFinding(variable, "the token is expired or not valid", fix)
    if error.passing:
        return network_finding(variable, error)
    if error.status == _FORBIDDEN:
        return SetupFinding(variable, str(error), _permission_fix(variable, error.permissions))
    fix = f"Check the name, and give the token {variable} access to it"
    return SetupFinding(variable, str(error), fix)


def network_finding(where: str, error: GitHubError) -> SetupFinding:
    """Return the finding for a request that failed, but may succeed later."""
    return SetupFinding(where, str(error), "Check the network, then run the command again")


def _permission_fix(variable: str, permissions: str) -> str:
    """Return a sentence that says which permissions to give to the token in `variable`.

    `permissions` are the permissions that GitHub requires, or empty if GitHub lists none.
    """
    if not permissions:
        return (
            f"Give the token {variable} the permissions that docs/upstream-events.md lists for it"
        )
    sets = " or ".join(one.strip() for one in permissions.split(";"))
    return f"Give the token {variable} the permission {sets}"


def app_findings(
    app: GitHubApp, catalog: Catalog, home: str, vendors: Iterable[Dispatch]
) -> Iterator[SetupFinding]:
    """Yield findings about the App's permissions, and about the workflows of `vendors`.

    If the App lacks permissions on a repository, the workflows of this repository are not checked.
    """
    failed_repositories = set()
    for repository, permissions in required_permissions(catalog, home).items():
        try:
            app.installation(repository, permissions)
        except GitHubError as error:
            failed_repositories.add(repository)
            yield app_finding(error)
    api = InstallationApi(InstallationTokens(app), lambda _: WORKFLOW_PERMISSIONS)
    for target in vendors:
        if target.repository in failed_repositories:
            continue
        try:
            yield from workflow_findings(api, target)
        except GitHubError as error:
            yield app_finding(error)


def app_finding(error: GitHubError) -> SetupFinding:
    """Return the finding for an error of a request that used the GitHub App."""
    if isinstance(error, AppError):
        return SetupFinding(error.where, error.problem, error.fix)
    if error.passing:
        return network_finding(APP, error)
    return SetupFinding(APP, str(error), "Check its installation and permissions")


def check_run_findings(catalog: Catalog) -> Iterator[SetupFinding]:
    """Yield a finding if check runs are needed; call this only if there is no GitHub App.

    Personal tokens cannot create check runs, only an App can.
    """
    if repositories := check_run_repositories(catalog):
        problem = f"a personal token can't create the check runs of {', '.join(repositories)}"
        fix = "Set up the GitHub App that docs/upstream-events.md describes"
        yield SetupFinding(COMMENT, problem, fix)
