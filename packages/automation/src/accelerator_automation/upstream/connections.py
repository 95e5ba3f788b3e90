"""Creates the GitHub clients of the upstream jobs."""

from __future__ import annotations

from dataclasses import dataclass

from accelerator_automation.github.api import Api
from accelerator_automation.github.app import AppApi, app_from_environment
from accelerator_automation.github.client import client_from_environment


@dataclass(frozen=True, slots=True)
class Clients:
    """Clients of GitHub for this repository, and for vendors' and PyTorch's repositories."""

    own: Api
    """Starts this repository's workflows, and reads the files of earlier runs."""
    app: Api
    """Sends events to vendors, reads their runs, and posts comments and check runs on PyTorch's
    pull requests, as the GitHub App."""
    home: str
    """This repository, as OWNER/NAME."""
    login: str
    """The account that posts the comments."""


def clients_from_environment(home: str) -> Clients:
    """Return the clients with the token in PORTAL_TOKEN, and the App of the environment.

    `home` is this repository, as OWNER/NAME. Raises GitHubError, AppError.
    """
    own, app = client_from_environment("PORTAL_TOKEN"), app_from_environment()
    return Clients(own, AppApi(app), home, app.login)
