from __future__ import annotations

from pathlib import Path

import pytest

from tests.built_site import EXAMPLE, Site, build_site, copy_sources, site

__all__ = ["site"]


@pytest.fixture(scope="session")
def example_sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site's sources with one invented platform instead of the real ones."""
    return copy_sources(tmp_path_factory.mktemp("example"), EXAMPLE)


@pytest.fixture(scope="session")
def example_site(example_sources: Path, tmp_path_factory: pytest.TempPathFactory) -> Site:
    return build_site(example_sources, tmp_path_factory.mktemp("example-site"))
