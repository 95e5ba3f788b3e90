"""The tokens of upstream events: whether each is set, accepted, and allowed to do its work."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

from pydantic import BaseModel

from accelerator_portal.automation.github import Api, GitHubError, parsed

LEAST_REQUESTS = 100
"""With fewer requests left in the hour, a round can end early."""

_UNAUTHORIZED = 401
_FORBIDDEN = 403
# A classic token lists its scopes in this header; other tokens send no such header.
_SCOPES = "x-oauth-scopes"
_ENOUGH_SCOPES = frozenset({"repo", "public_repo"})


@dataclass(frozen=True)
class SetupFinding:
    """Something that upstream events need and that is missing."""

    where: str
    problem: str
    fix: str

    def __str__(self) -> str:
        return f"{self.where}: {self.problem}. {self.fix}"


class HeaderApi(Api, Protocol):
    """GitHub's API with the headers of an answer."""

    def get_with_headers(self, path: str) -> tuple[bytes, Mapping[str, str]]:
        """Return what stands at a path, and the headers in lower case."""


class _Core(BaseModel):
    remaining: int


class _Resources(BaseModel):
    core: _Core


class _RateLimit(BaseModel):
    resources: _Resources


def token_findings(variable: str, api: HeaderApi) -> Iterator[SetupFinding]:
    """Yield what is wrong with a token, whatever it is used for. Raises GitHubError."""
    body, headers = api.get_with_headers("rate_limit")
    remaining = parsed("rate_limit", body, _RateLimit).resources.core.remaining
    if remaining < LEAST_REQUESTS:
        problem = f"the token has {remaining} requests left in this hour"
        yield SetupFinding(variable, problem, "Wait an hour or use a token of another account")
    scopes = headers.get(_SCOPES)
    if scopes is not None and _ENOUGH_SCOPES.isdisjoint(scopes.replace(",", " ").split()):
        problem = f'the token has the scopes "{scopes}", which don\'t include public_repo'
        yield SetupFinding(variable, problem, f"Create a token with public_repo for {variable}")


def refused_request(variable: str, error: GitHubError) -> SetupFinding:
    """Return the finding for a request that failed."""
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
    """Return the finding for a request that may be answered later."""
    return SetupFinding(where, str(error), "Check the network, then run the command again")


def _permission_fix(variable: str, permissions: str) -> str:
    """Return the fix for a missing permission; classic tokens and some requests name none."""
    if not permissions:
        return (
            f"Give the token {variable} the permissions that docs/upstream-events.md lists for it"
        )
    sets = " or ".join(one.strip() for one in permissions.split(";"))
    return f"Give the token {variable} the permission {sets}"
