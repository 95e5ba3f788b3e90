"""Texts get the newest versions in place of their placeholders."""

from __future__ import annotations

from accelerator_portal.packages.newest_versions import fill_versions
from tests.folders import EXAMPLE, RELEASES, Tree, edited, loaded
from tests.portal.packages.made_up import PACKAGE, release, with_facts

AUDIO = (
    RELEASES,
    "releases:\n",
    (
        "companions:\n"
        '  - {package: torchaudio, version: "2.0", torch: ">=1.9", source: made-up}\n'
        '  - {package: torchaudio, version: "2.1", torch: ">=1.9", source: made-up}\n'
        '  - {package: torchaudio, version: "3.0", torch: ">=1.11", source: made-up}\n'
        "releases:\n"
    ),
)


def test_torch_is_the_newest_release_with_the_builds(tree: Tree) -> None:
    catalog = loaded(
        tree(
            edited(
                (
                    RELEASES,
                    "- {variant: ex1, os: linux, arch: [x86_64]}\n      - {variant: ex1, os: windows",
                    "- {variant: ex2, os: windows",
                )
            )
        )
    )
    text = "{newest:torch} {newest:torch+ex2} {newest:torch+ex1} {newest:torch+ex1+ex2}"
    assert fill_versions(catalog, text) == "1.10.0 1.10.0 1.9.1 {newest:torch+ex1+ex2}"


def test_a_companion_is_the_newest_for_the_newest_torch(tree: Tree) -> None:
    text = "`torchaudio=={newest:torchaudio}` {newest:torchvision}"
    assert fill_versions(loaded(tree(edited(AUDIO))), text) == "`torchaudio==2.1` 0.10.0"


def test_another_package_is_the_newest_on_pypi(tree: Tree) -> None:
    catalog = loaded(tree(EXAMPLE))
    text = f"{{newest:{PACKAGE}}}"
    assert fill_versions(catalog, text) == text
    releases = [release("3.0rc1"), release("2.1", yanked=""), release("2.0"), release("1.0")]
    assert fill_versions(with_facts(catalog, releases), text) == "2.0"
