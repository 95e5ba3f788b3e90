from __future__ import annotations

from dataclasses import replace

import pytest

from accelerator_portal.catalog import load_catalog
from accelerator_portal.catalog.files.package_file import IndexFacts, PackageFacts
from accelerator_portal.checks.rules.texts import package_confusion
from tests.day import TODAY
from tests.folders import ACCELERATOR, EXAMPLE, INSTALL, Tree, edited, loaded
from tests.portal.packages.made_up import release

PACKAGES = 'packages: ["torch=={torch}"], index: "{index}"'
BESIDE = 'packages: [torch-example], extra_index: "https://a.example/simple"'


def found(tree: Tree, new: str, **facts: PackageFacts) -> list[str]:
    catalog = loaded(tree(edited((INSTALL, PACKAGES, new))))
    catalog = replace(catalog, packages={name.replace("_", "-"): f for name, f in facts.items()})
    return [f"{p.line}: {p.what}" for p in package_confusion.check(catalog, TODAY)]


@pytest.mark.parametrize(
    ("package", "near"),
    [("toorch", "torch"), ("troch", "torch"), ("torh", "torch"), ("Torhc==1.0", "torch"),
     ("t0rch", "torch"), ("torchvison[x]", "torchvision"), ("nunpy", "numpy")],
)  # fmt: skip
def test_a_name_one_letter_away_is_named(package: str, near: str, tree: Tree) -> None:
    (problem,) = found(tree, f'packages: ["{package}"]')
    assert problem.endswith(f'differs by one letter from "{near}"')


@pytest.mark.parametrize("package", ["torch", "torchvision", "torch-example", "numba", "tor"])
def test_another_name_is_fine(package: str, tree: Tree) -> None:
    assert found(tree, f'packages: ["{package}"]') == []


def test_a_name_that_only_an_index_beside_pypi_has_is_named(tree: Tree) -> None:
    words = ['28: because of extra_index, anybody could register "torch-example" on PyPI']
    assert [p.partition(": ")[2] for p in found(tree, BESIDE)] == [w[4:] for w in words]
    nothing = PackageFacts(
        package="torch-example", indexes=(IndexFacts(index="pypi", releases=()),)
    )
    assert len(found(tree, BESIDE, torch_example=nothing)) == 1


def test_a_name_that_is_taken_on_pypi_is_fine(tree: Tree) -> None:
    there = IndexFacts(index="pypi", releases=(release("1.10.0"),))
    facts = PackageFacts(package="torch-example", indexes=(there,))
    assert found(tree, BESIDE, torch_example=facts) == []


@pytest.mark.parametrize("end", ["==1.10.0+ex2", " @ https://a.example/torch_example.whl"])
def test_a_version_that_pypi_takes_from_nobody_is_fine(end: str, tree: Tree) -> None:
    assert found(tree, BESIDE.replace("[torch-example]", f'["torch-example{end}"]')) == []


def test_a_pin_may_come_from_pypi(tree: Tree) -> None:
    assert len(found(tree, BESIDE.replace("[torch-example]", '["torch-example==1.10.0"]'))) == 1


def test_a_marker_with_an_at_sign_is_no_address(tree: Tree) -> None:
    marked = BESIDE.replace("[torch-example]", "[\"torch-example; platform_version != '@'\"]")
    # Another rule refuses the quotes on Windows, so the catalog is not free of errors.
    catalog, _ = load_catalog(tree(edited((INSTALL, PACKAGES, marked))))
    assert catalog is not None
    assert len(list(package_confusion.check(catalog, TODAY))) == 1


def test_the_only_index_confuses_nobody(tree: Tree) -> None:
    assert found(tree, 'packages: [torch-example], index: "https://a.example/simple"') == []


def test_another_platforms_package_is_no_typing_error(tree: Tree) -> None:
    files = edited(
        (ACCELERATOR, "torch-example", "torchx"), (ACCELERATOR, "in-tree", "out-of-tree")
    )
    files = edited((INSTALL, PACKAGES, "packages: [torchx]"), files=files)
    catalog = loaded(tree({**EXAMPLE, **files}))
    assert list(package_confusion.check(catalog, TODAY)) == []
