"""The sites of the hostile platforms and of their twins, each built once for all tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.built_site import Site, site_of
from tests.hostile.platforms import Words, hostile_sources, plainly
from tests.made_once import made_once


def _built(config: pytest.Config, factory: pytest.TempPathFactory, name: str, words: Words) -> Site:
    def sources() -> Path:
        return made_once(factory, name, lambda folder: hostile_sources(folder, words))

    return site_of(config, factory, name, sources)


@pytest.fixture(scope="session")
def hostile_site(pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory) -> Site:
    """The site of every hostile text that is accepted."""
    return _built(pytestconfig, tmp_path_factory, "hostile", str)


@pytest.fixture(scope="session")
def plain_site(pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory) -> Site:
    """The same platforms with plain words."""
    return _built(pytestconfig, tmp_path_factory, "plain", plainly())
