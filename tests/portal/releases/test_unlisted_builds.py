"""Which builds install commands take without evidence."""

from __future__ import annotations

import pytest

from accelerator_portal.catalog import load_catalog
from accelerator_portal.releases.published_builds import claims_without_evidence
from tests.folders import INSTALL, RELEASES, Edit, Tree, edited

OPTION = '  - id: wheels\n    wheels: "ex*"\n'
INDEX = ', index: "{index}"'
REST = "}\n    check: python\n    source: made-up\n  - id: nightly"
WHEEL = "      - {variant: ex1, os: linux, arch: [x86_64]}\n      - {variant: ex1, os: windows"


def claims(tree: Tree, index: str, *edits: Edit, version: str | None = None) -> list[str]:
    """Return the claims of an option for 1.10.0 whose command names an index."""
    stated = '  - id: wheels\n    torch: ["1.10.0"]\n    os: [linux]\n    arch: [x86_64]\n'
    files = edited(
        (INSTALL, OPTION, f"{stated}    variants: [ex2]\n"),
        (INSTALL, INDEX + REST, index + REST),
        *edits,
    )
    catalog, problems = load_catalog(tree(files))
    assert catalog is not None, problems
    return [str(problem) for problem in claims_without_evidence(catalog, version)]


def at(address: str) -> str:
    return f', index: "{address}"'


PYTORCH = "https://download.pytorch.org/whl"


def test_a_build_that_the_release_does_not_list(tree: Tree) -> None:
    (found,) = claims(tree, at(f"{PYTORCH}/cpu"))
    assert found.startswith(
        f'{INSTALL}:21: "wheels" (pip, uv) installs the cpu build of torch 1.10.0 '
    )
    assert "for linux x86_64, but the portal has no evidence for this build: " in found
    assert "data/releases.yaml lists ex2 (on PyPI), ex1 for linux x86_64; run accelerator" in found


@pytest.mark.parametrize("place", ["ex1", "ex2", "ex1/"])
def test_a_listed_build_is_evidence(tree: Tree, place: str) -> None:
    assert claims(tree, at(f"{PYTORCH}/{place}")) == []


def test_a_build_on_pypi(tree: Tree) -> None:
    assert claims(tree, "") == []
    without = (RELEASES, "arch: [x86_64, aarch64], on: pypi}", "arch: [x86_64, aarch64]}")
    (found,) = claims(tree, "", without)
    assert "installs the build on PyPI of torch 1.10.0 for linux x86_64, but the portal" in found


def test_a_python_without_a_wheel_is_named(tree: Tree) -> None:
    fewer = WHEEL.replace("[x86_64]}\n", '[x86_64], python: ["3.12"]}\n', 1)
    (found,) = claims(tree, at(f"{PYTORCH}/ex1"), (RELEASES, WHEEL, fewer))
    assert "for linux x86_64 and Python 3.13, 3.13t, but the portal has no evidence" in found


def test_the_index_of_a_vendor_has_its_own_evidence(tree: Tree) -> None:
    assert claims(tree, at("https://example.org/simple")) == []
    both = f'{at(f"{PYTORCH}/cpu")}, extra_index: "https://example.org/simple"'
    assert claims(tree, both) == []


def test_one_release_alone(tree: Tree) -> None:
    assert claims(tree, at(f"{PYTORCH}/cpu"), version="1.9.1") == []
    assert len(claims(tree, at(f"{PYTORCH}/cpu"), version="1.10.0")) == 1
