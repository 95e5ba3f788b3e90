from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from accelerator_portal.catalog import Catalog
from tests.folders import Tree, loaded
from tests.portal.packages.loopback import Index, served
from tests.portal.packages.made_up import PLUGINS
from tests.portal.packages.syncing import ARM, FILES, X86


@pytest.fixture
def index() -> Iterator[Index]:
    """An index on loopback that has one release of the example's plugin."""
    found = Index()
    found.add("torch-example", "1.0", X86, requires=["torch==1.9.1+cpu", "numpy"])
    found.add("torch-example", "1.0", ARM, requires=["torch==1.9.1"])
    with served(found):
        yield found


@pytest.fixture
def root(tree: Tree) -> Path:
    """A repository that names the plugin."""
    return tree(FILES)


@pytest.fixture
def plugins(tree: Tree) -> Catalog:
    """The example with plugins in its rows."""
    return loaded(tree(PLUGINS))
