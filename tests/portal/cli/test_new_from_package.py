"""A folder from what a package says of itself; the package does not exist."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.folders import ACCELERATOR, copied, read_tree
from tests.portal.cli.test_new import FLAGS, flags, platform, refused, root, run
from tests.portal.vendors.test_package_metadata import ENTRY_POINTS, METADATA, dist_info

__all__ = ["root"]

STATED = ("url", "package", "import", "torch", "support", "python")


def made(root: Path, metadata: str = METADATA, **changed: str | None) -> list[str]:
    place = dist_info(root.parent, metadata, entry_points=ENTRY_POINTS)
    unsaid: dict[str, str | None] = {**dict.fromkeys(STATED), "command": "pip install torch-foo"}
    return ["--from-package", str(place), *flags(**{**unsaid, **changed})]


def test_what_the_package_states_need_not_be_said(root: Path) -> None:
    result = run(root, "foo", *made(root))
    assert result.exit_code == 0, result.output
    found = platform(root)
    a = found.accelerator
    assert (a.package.name, a.package.module, a.package.autoload) == (
        "torch-foo",
        "torch_foo",
        True,
    )
    assert a.summary == "Foo cards for PyTorch."
    assert a.support[0].title == "Issues of foo/torch-foo"
    (row,) = found.compatibility.rows
    assert (row.torch, row.plugin, row.python) == ("1.10.0", "1.2.3", ("3.12", "3.13"))
    start = found.guide.sections[2].text
    assert "import torch\n\ndevice" in start  # it autoloads


def test_each_statement_names_who_made_it(root: Path) -> None:
    run(root, "foo", *made(root))
    a = platform(root).accelerator
    assert a.package.source == ("package",)
    assert a.device.source == ("documentation",)
    source = a.sources["package"]
    assert source.title == "torch-foo 1.2.3, the metadata of the package itself"
    assert source.url == "https://github.com/foo/torch-foo"


def test_what_somebody_says_instead_is_theirs(root: Path) -> None:
    run(root, "foo", *made(root, **{"import": "foo_torch", "torch": "1.10.0"}))
    found = platform(root)
    assert found.accelerator.package.module == "foo_torch"
    assert found.accelerator.package.source == ("package", "documentation")


def test_a_version_is_not_joined_with_a_torch_that_it_does_not_admit(root: Path) -> None:
    run(root, "foo", *made(root, torch="1.9.1"))
    (row,) = platform(root).compatibility.rows
    assert (row.torch, row.plugin) == ("1.9.1", None)


def test_a_range_is_no_release(root: Path) -> None:
    before = read_tree(root)
    arguments = made(root, METADATA.replace("torch==1.10.0", "torch>=1.9"))
    said = refused(root, before, run(root, "foo", *arguments))
    assert "torch is missing; add --torch" in said
    assert "the package requires torch>=1.9: 1.10.0, 1.9.1" in said


def test_a_package_of_another_folder_is_wrong_and_not_missing(root: Path) -> None:
    other = copied(
        "other",
        (ACCELERATOR, "in-tree", "out-of-tree"),
        (ACCELERATOR, "name: torch-example", "name: torch-foo"),
    )
    for path, text in other.items():
        (root / path).parent.mkdir(exist_ok=True)
        (root / path).write_text(text, "utf-8")
    before = read_tree(root)
    said = refused(root, before, run(root, "foo", *made(root)))
    assert 'package: the package "torch-foo" is already claimed by accelerators/other/' in said
    assert "package is missing" not in said


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Name: torch-foo", "Name: <script>"),
        ("Summary: Foo cards for PyTorch.", "Summary: " + "x" * 500),
        ("Summary: Foo cards for PyTorch.", "Summary: a\u202eb"),
        ("https://example.org/docs", "javascript:alert(1)"),
        ("https://github.com/foo/torch-foo\n", "https://github.com/a b/[@x]\n"),
        (">=3.12,<3.14", "rubbish"),
        (">=3.12,<3.14", ">=4"),
        ("Version: 1.2.3", "Version: not one"),
        ("torch==1.10.0", "torch==9.9"),
        ("torch==1.10.0", "not a requirement!"),
    ],
)
def test_what_cannot_stand_is_asked_instead(old: str, new: str, root: Path) -> None:
    assert old in METADATA
    arguments = made(root, METADATA.replace(old, new), **{flag: FLAGS[flag] for flag in STATED})
    result = run(root, "foo", *arguments)
    assert result.exit_code == 0, result.output
    assert new not in "".join(read_tree(root).values())
    platform(root)


def test_a_package_that_is_not_here_is_said_so(root: Path) -> None:
    before = read_tree(root)
    said = refused(root, before, run(root, "foo", "--from-package", "torch-nowhere", *flags()))
    assert 'no package "torch-nowhere" is installed, and there is no such file' in said
