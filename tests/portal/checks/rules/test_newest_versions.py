from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from accelerator_portal.catalog import Catalog
from accelerator_portal.catalog.files.package_file import IndexFacts, PackageFacts, ReleaseFacts
from accelerator_portal.checks.rules.versions import newest_versions
from tests.day import TODAY
from tests.folders import FAQ, INSTALL, RELEASES, Edit, Tree, edited, loaded
from tests.portal.packages.made_up import release

AUDIO = (
    RELEASES,
    "releases:\n",
    (
        "companions:\n"
        '  - {package: torchaudio, version: "2.0", torch: ">=1.9", source: made-up}\n'
        "releases:\n"
    ),
)
LISTED = release("2.0", "torch>=1.9")


@pytest.fixture
def found(tree: Tree) -> Callable[..., list[str]]:
    """Return what the rule says after edits, if PyPI has these releases."""

    def problems(*edits: Edit, **releases: list[ReleaseFacts]) -> list[str]:
        catalog: Catalog = loaded(tree(edited(AUDIO, *edits)))
        packages = {
            name: PackageFacts(package=name, indexes=(IndexFacts(index="pypi", releases=(*r,)),))
            for name, r in releases.items()
        }
        catalog = replace(catalog, packages=packages)
        return [
            f"{problem.path.rpartition('/')[2]}:{problem.line}: {problem.what}"
            for problem in newest_versions.problems(catalog, TODAY)
        ]

    return problems


@pytest.mark.parametrize(
    ("package", "releases", "expected"),
    [
        ("torchaudio", [LISTED], []),
        ("torchaudio", [release("2.1", "torch>=1.10"), LISTED], ["torchaudio 2.1"]),
        ("torchaudio", [release("2.1", ""), LISTED], ["torchaudio 2.1"]),
        ("torchaudio", [release("2.1", "torch==1.9.1"), LISTED], ["torchaudio 2.1"]),
        ("torchaudio", [release("2.1", "torch>=1.11"), LISTED], []),
        ("torchaudio", [release("2.1", "torch>=1.9", yanked=""), LISTED], []),
        ("torchaudio", [release("2.1rc1", "torch>=1.9"), LISTED], []),
        ("torchaudio", [LISTED, release("1.9", "torch>=1.9")], []),
        ("torchvision", [release("0.10.1", "torch>=1.10")], ["torchvision 0.10.1"]),
        ("torchvision", [release("0.10.1", "torch==1.9.1")], []),
        ("torch", [release("1.11.0"), release("1.10.0")], ["torch 1.11.0"]),
        ("torch", [release("1.10.0")], []),
    ],
)
def test_a_newer_release_on_pypi_is_listed(
    package: str,
    releases: list[ReleaseFacts],
    expected: list[str],
    found: Callable[..., list[str]],
) -> None:
    texts = found(**{package: releases})
    line = {"torchaudio": 12, "torchvision": 14, "torch": 14}[package]
    place = f"data/packages/{package}.json:7"
    assert texts == [f"releases.yaml:{line}: PyPI has {name} ({place})" for name in expected]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Its newest\nrelease is 0.9 of May.", "newest release is 0.9"),
        (
            "torch_example 0.9 is the last release: see below.",
            "torch_example 0.9 is the last release",
        ),
        ("The last release so far, 0.9, works.", "last release so far, 0.9"),
        ("The newest torch-example is 0.9.", "newest torch-example is 0.9"),
        ("The newest torch-example is 1.0.", None),
        ("torch-example 0.9 is the last release with CUDA 9.", None),
        ("torch-example is good. The older torch-other: its last release is 0.9.", None),
        ("The newest driver version is 0.9.", None),
    ],
)
def test_what_a_text_calls_the_newest_is_the_newest(
    text: str, expected: str | None, found: Callable[..., list[str]]
) -> None:
    edit = (
        FAQ,
        "No, it is example data",
        f"torch-example. {text}" if "torch" not in text else text,
    )
    texts = found(edit, **{"torch-example": [release("1.0")]})
    words = f'"{expected}", but the newest torch-example is 1.0'
    assert texts == ([f"faq.md:11: {words}"] if expected else [])


def test_a_text_is_about_the_package_that_it_cites(found: Callable[..., list[str]]) -> None:
    package = (FAQ, "    url: https://example.org/made-up\n", "    package: torch-example\n")
    text = (FAQ, "No, it is example data", "For torch 1.9, the newest release is 0.9")
    texts = found(text, package, **{"torch-example": [release("1.0")]})
    assert texts == ['faq.md:11: "newest release is 0.9", but the newest torch-example is 1.0']
    assert found(text, **{"torch-example": [release("1.0")]}) == []


def test_titles_and_notes_are_texts_too(found: Callable[..., list[str]]) -> None:
    title = (FAQ, "Example data, made up for the tests", "torch-example (0.9 is the newest)")
    note = (
        INSTALL,
        "    check: python\n    source: made-up\n  - id: nightly",
        "    check: python\n    note: The newest torch-example is 0.9.\n    source: made-up\n  - id: nightly",
    )
    texts = found(title, note, **{"torch-example": [release("1.0")]})
    assert [text.split(",")[0] for text in texts] == [
        'install.yaml:27: "newest torch-example is 0.9"',
        'faq.md:6: "0.9 is the newest"',
    ]


def test_an_answer_pins_the_newest_companion(found: Callable[..., list[str]]) -> None:
    text = "Install `torchaudio==1.9`, `torchaudio==2.0` or `pip install torchaudio==1.8`."
    edit = (FAQ, "No, it is example data", text)
    assert found(edit) == ['faq.md:11: "torchaudio==1.9" is not the newest version, 2.0']


def test_an_example_pins_torch_with_a_placeholder(found: Callable[..., list[str]]) -> None:
    example = "```toml\ncpu = ['torch==1.9.1']\ngpu = ['torch=={newest:torch}', 'my-torch==1']\n```"
    edit = (FAQ, "No, it is example data [@made-up].", f"{example}\n\nAs here. [@made-up]")
    assert found(edit) == ['faq.md:12: the example pins "torch==1.9.1"']
