"""Creates the GitHub clients of the upstream jobs, with tokens of the GitHub App or personal ones.

Also lists the permissions that the App needs on each repository.
"""

from __future__ import annotations

from accelerator_automation.github.app import Permissions, app_from_environment
from accelerator_automation.github.client import client_from_environment
from accelerator_automation.github.installation_tokens import InstallationApi, InstallationTokens
from accelerator_automation.github.rate_limit import (
    OwnerRateLimitedApi,
    RateLimitedApi,
    RateLimiter,
)
from accelerator_automation.upstream.answer_round import Clients
from accelerator_automation.upstream.dispatch_round import Senders

READS_A_MINUTE = 450
"""The maximum number of reads in a minute: half of the 900 points that GitHub allows a token; a GET
costs one point."""

TOKENS_A_MINUTE = 45
"""The maximum number of App tokens that a job requests in a minute; each costs five points. The
sender may request 40 more tokens in the same minute. Together, this is less than half of the 900
points that GitHub allows."""

# The minimum permissions of the GitHub App for each use, and the repositories that need them.
#
# GitHub adds `metadata: read` itself. Source, read 2026-11-23: docs.github.com, "Permissions
# required for GitHub Apps", as data in github/docs,
# `src/github-apps/data/fpt-2022-11-28/server-to-server-permissions.json`.

SEND_PERMISSIONS: Permissions = {"contents": "write"}
"""The permissions for sending events: GitHub lists `POST /repos/{owner}/{repo}/dispatches` only
under Contents."""
READ_PERMISSIONS: Permissions = {"actions": "read"}
"""The permissions for reading runs and artifacts, which GitHub lists under Actions."""
COMMENT_PERMISSIONS: Permissions = {"pull_requests": "write"}
"""The permissions for commenting on pull requests and reading their labels."""
CHECK_PERMISSIONS: Permissions = {"checks": "write"}
"""The permissions for creating check runs; GitHub lets only Apps create them."""


def senders_from_environment(home: str) -> Senders:
    """Return the clients that send events, with tokens from the environment.

    If the environment has the credentials of the GitHub App, the client for vendors uses the App,
    otherwise the token in GH_TOKEN. The client for this repository uses PORTAL_TOKEN. Raises
    GitHubError, AppError.
    """
    own_api, app = client_from_environment("PORTAL_TOKEN"), app_from_environment()
    if app is None:
        return Senders(vendors=client_from_environment(), own=own_api, home=home)
    tokens = InstallationTokens(app, wait=RateLimiter(most=TOKENS_A_MINUTE).wait)
    vendors = InstallationApi(tokens, lambda _: SEND_PERMISSIONS)
    return Senders(vendors=vendors, own=own_api, home=home)


def clients_from_environment(home: str, login: str) -> Clients:
    """Return the clients that read reports and write comments, with tokens from the environment.

    If the environment has the credentials of the GitHub App, the clients use the App. Otherwise,
    the client for vendors' runs uses GH_TOKEN, and the client for comments uses UPSTREAM_TOKEN. The
    client for this repository always uses PORTAL_TOKEN. `login` is the account whose comments are
    updated. With the App, the App's own account is used instead. Raises GitHubError, AppError.
    """
    own_api, app = client_from_environment("PORTAL_TOKEN"), app_from_environment()
    if app is None:
        return Clients(
            own=own_api,
            vendors=RateLimitedApi(client_from_environment(), RateLimiter(most=READS_A_MINUTE)),
            upstream=client_from_environment("UPSTREAM_TOKEN"),
            home=home,
            login=login,
        )
    tokens = InstallationTokens(app, wait=RateLimiter(most=TOKENS_A_MINUTE).wait)
    return Clients(
        own=own_api,
        vendors=OwnerRateLimitedApi(
            InstallationApi(tokens, lambda _: READ_PERMISSIONS), READS_A_MINUTE
        ),
        upstream=InstallationApi(tokens, upstream_permissions),
        home=home,
        login=app.login,
    )


def upstream_permissions(path: str) -> Permissions:
    """Return the permissions that a request for a path of PyTorch's repository needs.

    A path of check runs needs other permissions than comments and labels.
    """
    return CHECK_PERMISSIONS if "/check-runs" in path else COMMENT_PERMISSIONS
