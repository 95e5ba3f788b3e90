from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.automation.github_double import GitHubDouble, serve
from tests.automation.upstream import scene


@pytest.fixture
def double() -> Iterator[GitHubDouble]:
    """GitHub, with a portal, PyTorch, a vendor and an open pull request."""
    with serve() as found:
        scene.populate(found)
        yield found
