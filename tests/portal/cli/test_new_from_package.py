"""A folder from what a package says of itself; the package does not exist."""

from __future__ import annotations

import shutil
import sys
import zipfile
from pathlib import Path

import pytest

from tests.folders import read_tree
from tests.portal.cli.test_new import FLAGS, flags, platform, refused, root, run

__all__ = ["root"]

METADATA = """\
Metadata-Version: 2.4
Name: torch-foo
Version: 1.2.3
Summary: Foo cards for PyTorch.
Requires-Python: >=3.12,<3.14
Requires-Dist: numpy
Requires-Dist: torch==1.9.1; extra == "old"
Requires-Dist: torch==1.10.0
Project-URL: Documentation, https://example.org/docs
Project-URL: Source, https://github.com/foo/torch-foo
Project-URL: Issues, https://github.com/foo/torch-foo/issues

Words.
"""

ENTRY_POINTS = """\
[console_scripts]
foo-info = torch_foo.info:main

[torch.backends]
foo = torch_foo:_autoload
"""

STATED = ("url", "package", "import", "torch", "support", "python")


def wheel(folder: Path, **texts: str) -> Path:
    path = folder / "torch_foo-1.2.3-py3-none-any.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in texts.items():
            archive.writestr(f"torch_foo-1.2.3.dist-info/{name.replace('__', '.')}", text)
    return path


def made(root: Path, metadata: str = METADATA, **changed: str | None) -> list[str]:
    place = wheel(root.parent, METADATA=metadata, entry_points__txt=ENTRY_POINTS)
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
    run(root, "foo", *made(root, torch="1.9.1", python="3.12"))
    (row,) = platform(root).compatibility.rows
    assert (row.torch, row.plugin) == ("1.9.1", None)


def test_a_range_is_no_release(root: Path) -> None:
    before = read_tree(root)
    arguments = made(root, METADATA.replace("torch==1.10.0", "torch>=1.9"))
    said = refused(root, before, run(root, "foo", *arguments))
    assert "torch is missing; add --torch" in said
    assert "the package requires torch>=1.9" in said


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


def test_an_installed_package_and_a_metadata_file_say_the_same(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = root.parent / "site/torch_foo-1.2.3.dist-info"
    place.mkdir(parents=True)
    (place / "METADATA").write_text(METADATA, "utf-8")
    (place / "top_level.txt").write_text("_foo_c\nfoo_module\n", "utf-8")
    monkeypatch.setattr(sys, "path", [str(place.parent), *sys.path])
    rest = flags(**dict.fromkeys(STATED))
    for name, module, autoload in ((str(place / "METADATA"), "torch_foo", None),
                                   ("torch-foo", "foo_module", False)):  # fmt: skip
        stated = () if name == "torch-foo" else ("--import", "torch_foo")
        command = (*rest, "--command", "pip install foo", *stated)
        result = run(root, "foo", "--from-package", name, *command)
        assert result.exit_code == 0, result.output
        found = platform(root)
        package, (row,) = found.accelerator.package, found.compatibility.rows
        assert (package.module, package.autoload) == (module, autoload)
        assert (row.torch, row.plugin, row.python) == ("1.10.0", "1.2.3", ("3.12", "3.13"))
        shutil.rmtree(root / "accelerators/foo")


@pytest.mark.parametrize(
    "entry_points",
    ["", "[torch.backends]\n", "[torch.backends", "x", "[torch.backends]\nfoo =\n", "\x00" * 9],
)
def test_entry_points_that_cannot_be_read_name_nothing(entry_points: str, root: Path) -> None:
    place = wheel(root.parent, METADATA=METADATA, entry_points__txt=entry_points)
    result = run(root, "foo", "--from-package", str(place), *flags())
    assert result.exit_code == 0, result.output
    assert platform(root).accelerator.package.autoload is False


BOMB = "Name: a\n" + " " * 20 * 1024**2


@pytest.mark.parametrize(
    ("metadata", "words"),
    [
        ("", "there is no METADATA file with a name. Use a wheel or a METADATA file"),
        ("Version: 1\n", "there is no METADATA file with a name"),
        ("\x00\x01", "there is no METADATA file with a name"),
        (BOMB, "more than 1,048,576 bytes of metadata"),
    ],
    ids=["empty", "no name", "binary", "large"],
)
def test_what_is_no_metadata_is_said_so(metadata: str, words: str, root: Path) -> None:
    file = root.parent / "METADATA"
    file.write_text(metadata, "utf-8")
    before = read_tree(root)
    for place in (file, wheel(root.parent, METADATA=metadata)):
        said = refused(root, before, run(root, "foo", "--from-package", str(place), *flags()))
        assert words in said


@pytest.mark.parametrize(
    "name", ["torch-nowhere", "\x00", "a" * 10_000, "..", "/", "no.whl", "a.whl"]
)
def test_a_package_that_is_not_here_is_said_so(name: str, root: Path) -> None:
    (root.parent / "a.whl").write_bytes(b"PK\x03\x04 not a wheel")
    name = str(root.parent / name) if name == "a.whl" else name
    before = read_tree(root)
    said = refused(root, before, run(root, "foo", "--from-package", name, *flags()))
    assert "Invalid value for '--from-package'" in said
    if name == "torch-nowhere":
        assert 'no package "torch-nowhere" is installed, and there is no such file' in said
