from __future__ import annotations

import pytest

from accelerator_portal.catalog import load_catalog
from accelerator_portal.checks.rules.versions import unpinned_packages
from tests.day import TODAY
from tests.folders import INSTALL, Tree, edited


@pytest.mark.parametrize(
    ("packages", "named"),
    [
        ("torch, torch-example==1.0", "torch"),
        ("torch, torch-example", None),
        ('"torch=={torch}", requests, "PyYAML"', "requests, PyYAML"),
        ('"torch=={torch}", "numpy<2", "beside==1.*"', None),
        ('"torch=={torch}", "beside @ https://example.org/beside-1.0-py3-none-any.whl"', None),
    ],
)
def test_each_package_of_a_command_has_a_version(
    tree: Tree, packages: str, named: str | None
) -> None:
    old = 'packages: ["torch=={torch}"]'
    catalog, _ = load_catalog(tree(edited((INSTALL, old, f"packages: [{packages}]"))))
    assert catalog is not None
    found = [problem.what for problem in unpinned_packages.check(catalog, TODAY)]
    own_options = [what for what in found if what.endswith(f"no version of {named}")]
    assert len(own_options) == (named is not None)
