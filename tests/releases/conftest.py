from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.releases.made_up import Indexes, made_up_indexes


@pytest.fixture
def indexes() -> Iterator[Indexes]:
    """Indexes on loopback with a release 2.16.0 that nobody published."""
    with made_up_indexes() as found:
        yield found
