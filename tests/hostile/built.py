"""The sites of the hostile platforms and of their twins, each built once for all tests."""

from __future__ import annotations

import pytest

from tests.built_site import Site, build_site
from tests.hostile.platforms import Words, hostile_sources, plainly

_SITES = pytest.StashKey[dict[str, Site]]()


def _built(config: pytest.Config, factory: pytest.TempPathFactory, name: str, words: Words) -> Site:
    sites = config.stash.setdefault(_SITES, {})
    if name not in sites:
        root = factory.mktemp(f"{name}-sources")
        hostile_sources(root / "repository", words)
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("NO_MKDOCS_2_WARNING", "1")
            sites[name] = build_site(root / "repository", factory.mktemp(name))
    return sites[name]


@pytest.fixture(scope="session")
def hostile_site(pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory) -> Site:
    """The site of every hostile text that is accepted."""
    return _built(pytestconfig, tmp_path_factory, "hostile", str)


@pytest.fixture(scope="session")
def plain_site(pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory) -> Site:
    """The same platforms with plain words."""
    return _built(pytestconfig, tmp_path_factory, "plain", plainly())
