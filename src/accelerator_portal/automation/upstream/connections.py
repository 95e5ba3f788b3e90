"""With which tokens the workflows use GitHub: those of the GitHub App, or personal ones."""

from __future__ import annotations

from pathlib import Path

from accelerator_portal.automation.github_app import app_here
from accelerator_portal.automation.github_client import client_here
from accelerator_portal.automation.installation_api import InstallationApi
from accelerator_portal.automation.installation_tokens import InstallationTokens
from accelerator_portal.automation.upstream.answer_round import Clients
from accelerator_portal.automation.upstream.app_permissions import READ, SEND, upstream_permissions
from accelerator_portal.automation.upstream.dispatching import Senders
from accelerator_portal.automation.upstream.pace import Pace
from accelerator_portal.automation.upstream.paced_api import (
    READS_A_MINUTE,
    TOKENS_A_MINUTE,
    OwnerPacedApi,
    PacedApi,
)
from accelerator_portal.http.cache import HttpCache


def senders_here(home: str) -> Senders:
    """Return who sends, by the environment. Raises GitHubError, and AppError.

    Where the App is set, its tokens are used; GH_TOKEN is read only where it is not.
    """
    own, app = client_here("PORTAL_TOKEN"), app_here()
    if app is None:
        return Senders(vendors=client_here(), own=own, home=home)
    tokens = InstallationTokens(app, wait=Pace(most=TOKENS_A_MINUTE).wait)
    vendors = InstallationApi(tokens, lambda _: SEND)
    return Senders(vendors=vendors, own=own, home=home)


def clients_here(home: str, login: str, cache: Path | None) -> Clients:
    """Return who reads and comments, by the environment. Raises GitHubError, and AppError.

    Comments of the App have its own login: with another one they would be posted again and again.
    """
    own, app = client_here("PORTAL_TOKEN"), app_here()
    if app is None:
        return Clients(
            own=own,
            vendors=PacedApi(client_here(cache=cache), Pace(most=READS_A_MINUTE)),
            upstream=client_here("UPSTREAM_TOKEN"),
            home=home,
            login=login,
        )
    wait = Pace(most=TOKENS_A_MINUTE).wait
    tokens = InstallationTokens(app, HttpCache(cache), wait=wait)
    return Clients(
        own=own,
        vendors=OwnerPacedApi(InstallationApi(tokens, lambda _: READ), READS_A_MINUTE),
        upstream=InstallationApi(tokens, upstream_permissions),
        home=home,
        login=app.login,
    )
