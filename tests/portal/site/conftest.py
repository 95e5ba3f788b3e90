from __future__ import annotations

from pathlib import Path

import pytest

from accelerator_portal.site.results.results_view import ResultsView, make_results_view
from tests.built_site import EXAMPLE, Site, copy_sources, site, site_of
from tests.made_once import made_once
from tests.portal.site.extended import write_extended

__all__ = ["site"]


@pytest.fixture(scope="session")
def example_sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site's sources with one invented platform instead of the real ones."""
    return made_once(tmp_path_factory, "example", lambda folder: copy_sources(folder, EXAMPLE))


@pytest.fixture(scope="session")
def example_site(
    example_sources: Path, pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory
) -> Site:
    return site_of(pytestconfig, tmp_path_factory, "example", lambda: example_sources)


@pytest.fixture(scope="session")
def extended_site(pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory) -> Site:
    """The example with a second platform, a third language, and more that vendors declare."""
    return site_of(
        pytestconfig,
        tmp_path_factory,
        "extended",
        lambda: made_once(tmp_path_factory, "extended", write_extended),
    )


@pytest.fixture(scope="session")
def view(site: Site) -> ResultsView:
    """The reports of the site's catalog, with their counts and matrices."""
    return make_results_view(site.catalog)
