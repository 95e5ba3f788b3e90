"""Explains why a GitHub App cannot do its work: where, what is wrong, and the fix.

GitHub's messages are from the issues of octokit/auth-app.js and actions/create-github-app-token,
read 2026-11-23; where GitHub words one in another way, the message quotes it.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence

from accelerator_portal.automation.github import NOT_FOUND, GitHubError

_CREDENTIALS = "UPSTREAM_APP_ID and UPSTREAM_APP_KEY"
_UNAUTHORIZED, _FORBIDDEN, _UNPROCESSABLE = 401, 403, 422
_CLOCK = ("'iat'", "'exp'")
_UNKNOWN_APP = "integration not found"


class AppError(GitHubError):
    """A GitHub App can't be used somewhere; the same request fails until somebody has fixed it."""

    def __init__(self, where: str, problem: str, fix: str, status: int | None = None) -> None:
        super().__init__(f"{where}: {problem}. {fix}", status)
        self.where, self.problem, self.fix = where, problem, fix


def refused_app(error: GitHubError, now: dt.datetime) -> GitHubError:
    """Return the error of a request as the App: its credentials or the clock may be wrong."""
    words = str(error)
    if error.status == _UNAUTHORIZED and any(claim in words for claim in _CLOCK):
        problem = (
            f"GitHub refuses the time of the request: this machine says {now:%Y-%m-%d %H:%M:%S} UTC"
        )
        fix = "Synchronize the clock of this machine"
        return AppError(_CREDENTIALS, problem, fix, error.status)
    if error.status == _UNAUTHORIZED or _UNKNOWN_APP in words.casefold():
        problem = f"GitHub doesn't accept the App ({words})"
        fix = "Check that the key belongs to the App with this id and was not deleted"
        return AppError(_CREDENTIALS, problem, fix, error.status)
    return error


def missing_installation(repository: str, page: str) -> AppError:
    """Return the error for an owner without the App."""
    owner, _, name = repository.partition("/")
    fix = f"Ask an owner of {owner} to install it for {name}: {page}"
    return AppError(repository, f"the GitHub App is not installed at {owner}", fix)


def missing_repository(repository: str, page: str) -> AppError:
    """Return the error for an installation without the repository."""
    owner, _, name = repository.partition("/")
    problem = f"the installation of the GitHub App at {owner} doesn't include this repository"
    fix = f"Ask an owner of {owner} to add {name}, or correct the name: {page}"
    return AppError(repository, problem, fix)


def suspended_installation(repository: str, page: str) -> AppError:
    """Return the error for an installation that its owner has turned off."""
    owner = repository.partition("/")[0]
    problem = f"the installation of the GitHub App at {owner} is suspended"
    return AppError(repository, problem, f"Ask an owner of {owner} to unsuspend it: {page}")


def missing_permissions(repository: str, permissions: Sequence[str], page: str) -> AppError:
    """Return the error for permissions that the owner has not granted."""
    owner = repository.partition("/")[0]
    problem = f"the GitHub App lacks the permission {' and '.join(permissions)}"
    fix = f"Add it to the App if needed, and ask an owner of {owner} to accept it: {page}"
    return AppError(repository, problem, fix)


def refused_installation(repository: str, error: GitHubError, page: str) -> GitHubError:
    """Return the error where GitHub tells nothing of an installation, or creates no token for it.

    What was checked before the token was asked for may have changed since.
    """
    words = str(error)
    if error.passing or error.status in {None, _UNAUTHORIZED}:
        return error
    if error.status == NOT_FOUND:
        return missing_installation(repository, page)
    if error.status == _FORBIDDEN and "suspended" in words:
        return suspended_installation(repository, page)
    if error.status == _UNPROCESSABLE and "permission" not in words:
        return missing_repository(repository, page)
    problem = f"GitHub refuses the GitHub App ({words})"
    return AppError(repository, problem, f"Check the App's installation: {page}", error.status)
