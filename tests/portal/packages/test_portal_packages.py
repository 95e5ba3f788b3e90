from __future__ import annotations

from dataclasses import replace

from accelerator_portal.catalog.files.package_file import PYPI
from accelerator_portal.packages.portal_packages import (
    PortalPackage,
    platform_requirements,
    portal_packages,
)
from tests.folders import ACCELERATOR, EXAMPLE, INSTALL, Tree, edited, loaded

STEP = '{packages: [torch], index: "{index}", pre: true}'


def test_every_option_every_step_and_the_platforms_own_package_are_followed(tree: Tree) -> None:
    more = (
        '{packages: [torch, "Torch_Example>=1"], index: "{index}"}\n'
        "      - pip: {packages: [helper], extra_index: 'https://example.org/simple/'}"
    )
    catalog = loaded(tree(edited((INSTALL, STEP, more), files=EXAMPLE)))
    found = {package.name: package for package in portal_packages(catalog)}
    assert found["helper"] == PortalPackage(
        "helper", (PYPI, "https://example.org/simple/"), own=False
    )
    assert found["torch-example"].own
    assert found["torch"].indexes[0] == PYPI
    assert list(found) == sorted(found)
    named = [str(one.requirement) for one in platform_requirements(catalog, catalog.platforms[0])]
    assert {"torch==1.10.0", "torch", "Torch_Example>=1", "helper"} <= set(named)


def test_pypi_is_asked_for_a_package_that_an_earlier_platform_has_elsewhere(tree: Tree) -> None:
    step = '{packages: [other-plugin], index: "https://example.org/simple/"}'
    catalog = loaded(tree(edited((INSTALL, STEP, step), files=EXAMPLE)))
    (first,) = catalog.platforms
    package = first.accelerator.package.model_copy(update={"name": "other-plugin"})
    accelerator = first.accelerator.model_copy(update={"package": package})
    second = replace(first, id="other", accelerator=accelerator)
    found = portal_packages(replace(catalog, platforms=(first, second)))
    (other,) = (one for one in found if one.name == "other-plugin")
    assert other.indexes == (PYPI, "https://example.org/simple/")


def test_a_package_that_no_command_installs_is_looked_for_on_pypi(tree: Tree) -> None:
    found = {package.name: package for package in portal_packages(loaded(tree(EXAMPLE)))}
    assert "package:" in EXAMPLE[ACCELERATOR]
    assert found["torch-example"] == PortalPackage("torch-example", (PYPI,), own=True)
