from __future__ import annotations

from collections.abc import Iterator

import pytest

from accelerator_automation.github.api import Patience
from accelerator_automation.github.client import GitHubClient
from tests.automation.github_double import HOME, TOKEN, GitHubDouble, serve

QUICK = Patience(tries=3, wait=0.01, most_wait=2.0, limited=0.05)


@pytest.fixture
def double() -> Iterator[GitHubDouble]:
    """GitHub on loopback, with one repository."""
    with serve() as found:
        found.repositories.add(HOME)
        yield found


@pytest.fixture
def client(double: GitHubDouble) -> Iterator[GitHubClient]:
    """The real client of it, in a hurry."""
    made = GitHubClient(TOKEN, double.home, QUICK)
    yield made
    made.close()


@pytest.fixture
def git_identity(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who commits, whatever the machine's own settings say."""
    for who in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{who}_NAME", "A Test")
        monkeypatch.setenv(f"GIT_{who}_EMAIL", "test@example.org")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")
