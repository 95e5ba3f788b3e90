from __future__ import annotations

from dataclasses import replace

import pytest

from accelerator_portal.catalog import Catalog, load_catalog
from accelerator_portal.catalog.files.criteria_file import Criteria
from accelerator_portal.checks.rules.versions import minors_behind
from tests.day import TODAY
from tests.folders import INSTALL, RELEASES, Tree, edited

NEWER = "".join(
    f'  - {{version: "{v}", date: 2026-02-01, python: ["3.12"], wheels: [], source: made-up}}\n'
    for v in ("1.13.0", "1.12.1", "1.12.0", "1.11.0")
)


@pytest.fixture
def behind(tree: Tree) -> Catalog:
    """The example with three minor releases of PyTorch that it does not serve."""
    files = edited(
        (RELEASES, "releases:\n", f"releases:\n{NEWER}"), (INSTALL, ">=1.10", "==1.10.*")
    )
    catalog, _ = load_catalog(tree(files))
    assert catalog is not None
    return catalog


def found(catalog: Catalog, most: int | None) -> list[str]:
    criteria = Criteria.model_construct(most_minors_behind=most)
    return [str(p) for p in minors_behind.check(replace(catalog, criteria=criteria), TODAY)]


def test_so_many_minor_releases_are_allowed(behind: Catalog) -> None:
    assert found(behind, 3) == []
    (problem,) = found(behind, 2)
    assert problem == (
        f'{INSTALL}:20: the newest torch is "1.10.0", 3 minor releases behind 1.13.0; '
        "2 are allowed; add newer versions, or add the reason to data/exceptions.yaml"
    )


def test_without_a_limit_nothing_is_said(behind: Catalog) -> None:
    assert found(behind, None) == []
    assert list(minors_behind.check(replace(behind, criteria=None), TODAY)) == []
