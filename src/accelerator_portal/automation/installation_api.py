"""GitHub's API where each repository is used with a token of its own."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from accelerator_portal.automation.github import GitHubError
from accelerator_portal.automation.github_app import Permissions
from accelerator_portal.automation.github_client import GitHubClient
from accelerator_portal.automation.installation_tokens import InstallationTokens

_UNAUTHORIZED = 401
_REPOSITORY = re.compile(r"repos/([^/?]+/[^/?]+)")


def repository_of(path: str) -> str:
    """Return the repository, as OWNER/NAME, that a path of the API is about."""
    found = _REPOSITORY.match(path)
    if found is None:
        raise ValueError(f"the path names no repository: {path}")
    return found[1]


@dataclass(frozen=True, slots=True)
class InstallationApi:
    """Sends each request with the least permissions for it."""

    tokens: InstallationTokens
    permissions: Callable[[str], Permissions]
    """What a request to a path needs."""

    def get(self, path: str) -> bytes:
        """Return what stands at a path. Raises GitHubError."""
        return self._answer(path, lambda api: api.get(path))

    def send(self, method: str, path: str, body: Mapping[str, Any]) -> bytes:
        """Send a body as JSON. Raises GitHubError."""
        return self._answer(path, lambda api: api.send(method, path, body))

    def download(self, path: str, most: int) -> bytes:
        """Return a file of at most `most` bytes. Raises GitHubError."""
        return self._answer(path, lambda api: api.download(path, most))

    def _answer(self, path: str, ask: Callable[[GitHubClient], bytes]) -> bytes:
        """Ask with the token, and once more with a new one where GitHub does not know it."""
        repository, permissions = repository_of(path), self.permissions(path)
        api = self.tokens.client(repository, permissions)
        try:
            return ask(api)
        except GitHubError as error:
            if error.status != _UNAUTHORIZED:
                raise
        return ask(self.tokens.client_after(api, repository, permissions))
