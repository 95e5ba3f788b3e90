"""Texts get the newest versions in place of their placeholders."""

from __future__ import annotations

import re
from collections.abc import Iterator

from packaging.version import Version

from accelerator_portal.catalog import Catalog
from accelerator_portal.install.expand import expand
from accelerator_portal.install.rows import PREVIEW
from accelerator_portal.packages.fitting_releases import fill_versions, newest_version
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


LAST = re.compile(r"PyTorch ([\d.]+) is the last release with (CUDA|ROCm) ([\d.]+\d)")
LIBTORCH = re.compile(
    r"For LibTorch on Windows, the newest release with a command .*? is ([\d.]+\d)"
)


def texts(catalog: Catalog) -> Iterator[str]:
    for file in catalog.files.values():
        yield from (value for _, value in file.values() if isinstance(value, str))
    yield from (" ".join(s.text.split()) for file in catalog.texts for s in file.sections)


def test_the_last_release_with_a_cuda_version_is_the_last(catalog: Catalog) -> None:
    claims = {match.groups() for text in texts(catalog) for match in LAST.finditer(text)}
    assert claims
    for torch, name, number in claims:
        variant = f"cu{number.replace('.', '')}" if name == "CUDA" else f"rocm{number}"
        newest = newest_version(catalog, "torch", [variant])
        assert newest is not None
        assert newest.startswith(torch), variant


def test_the_newest_libtorch_for_windows_is_the_selectors(catalog: Catalog) -> None:
    archives = [
        Version(row.build)
        for row in expand(catalog)[0]
        if (row.platform, row.method, row.os) == ("cuda", "libtorch", "windows")
        and row.build != PREVIEW
    ]
    claims = [match[1] for text in texts(catalog) for match in LIBTORCH.finditer(text)]
    assert claims == [str(max(archives))]
