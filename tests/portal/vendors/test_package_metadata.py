"""Made-up packages: none of them exists."""

from __future__ import annotations

import sys
import zipfile
from pathlib import Path

import pytest
from packaging.specifiers import SpecifierSet

from accelerator_portal.vendors.package_metadata import (
    NoMetadataError,
    PackageMetadata,
    read_package,
)

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

WHOLE = PackageMetadata(
    name="torch-foo",
    version="1.2.3",
    summary="Foo cards for PyTorch.",
    urls={
        "documentation": "https://example.org/docs",
        "source": "https://github.com/foo/torch-foo",
        "issues": "https://github.com/foo/torch-foo/issues",
    },
    python=SpecifierSet(">=3.12,<3.14"),
    torch=SpecifierSet("==1.10.0"),
    module="torch_foo",
    autoload=True,
)


def dist_info(folder: Path, metadata: str = METADATA, **more: str) -> Path:
    place = folder / "torch_foo-1.2.3.dist-info"
    place.mkdir(parents=True)
    (place / "METADATA").write_text(metadata, "utf-8")
    for name, text in more.items():
        (place / f"{name}.txt").write_text(text, "utf-8")
    return place


def wheel(folder: Path, **texts: str) -> Path:
    path = folder / "torch_foo-1.2.3-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in texts.items():
            archive.writestr(f"torch_foo-1.2.3.dist-info/{name.replace('__', '.')}", text)
    return path


def test_a_wheel_a_folder_and_an_installed_package_say_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = dist_info(tmp_path / "site", entry_points=ENTRY_POINTS)
    monkeypatch.setattr(sys, "path", [str(tmp_path / "site"), *sys.path])
    file = wheel(tmp_path, METADATA=METADATA, entry_points__txt=ENTRY_POINTS)
    for named in (str(place), str(place / "METADATA"), str(file), "torch-foo", "torch_foo"):
        assert read_package(named) == WHOLE, named


def test_metadata_alone_says_nothing_of_entry_points(tmp_path: Path) -> None:
    file = tmp_path / "METADATA"
    file.write_text(METADATA, "utf-8")
    found = read_package(str(file))
    assert (found.module, found.autoload) == (None, None)
    assert found.torch == WHOLE.torch


def test_without_an_entry_point_it_does_not_autoload(tmp_path: Path) -> None:
    found = read_package(str(dist_info(tmp_path, top_level="_foo_c\ntorch_foo\n")))
    assert (found.module, found.autoload) == ("torch_foo", False)


@pytest.mark.parametrize(
    "entry_points",
    ["", "[torch.backends]\n", "[torch.backends", "x", "[torch.backends]\nfoo =\n", "\x00" * 9],
)
def test_entry_points_that_cannot_be_read_name_nothing(entry_points: str, tmp_path: Path) -> None:
    assert read_package(str(dist_info(tmp_path, entry_points=entry_points))).module is None


@pytest.mark.parametrize(
    ("metadata", "words"),
    [
        ("", "there is no METADATA file with a name. Use a wheel or a METADATA file"),
        ("Version: 1\n", "there is no METADATA file with a name"),
        ("\x00\x01", "there is no METADATA file with a name"),
        ("Name: a\n" + "x" * 1024**2, "more than 1,048,576 bytes of metadata"),
    ],
    ids=["empty", "no name", "binary", "large"],
)
def test_what_is_no_metadata_is_said_so(metadata: str, words: str, tmp_path: Path) -> None:
    place = dist_info(tmp_path, metadata)
    for named in (place, place / "METADATA"):
        with pytest.raises(NoMetadataError, match=words):
            read_package(str(named))


def test_a_package_that_is_not_there_is_said_so(tmp_path: Path) -> None:
    words = 'no package "torch-nowhere" is installed, and there is no such file'
    with pytest.raises(NoMetadataError, match=words):
        read_package("torch-nowhere")
    (tmp_path / "a.whl").write_bytes(b"PK\x03\x04 not a wheel")
    with pytest.raises(NoMetadataError, match="cannot be read"):
        read_package(str(tmp_path / "a.whl"))
    with pytest.raises(NoMetadataError, match="METADATA"):
        read_package(str(wheel(tmp_path, RECORD="")))


@pytest.mark.parametrize("named", ["", "\x00", "a" * 10_000, "..", "/"])
def test_a_name_that_can_be_none_is_said_so(named: str) -> None:
    with pytest.raises(NoMetadataError):
        read_package(named)


def test_a_wheel_that_unpacks_without_end_is_not_unpacked(tmp_path: Path) -> None:
    file = tmp_path / "bomb-1-py3-none-any.whl"
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("bomb-1.dist-info/METADATA", b"Name: a\n" + b" " * 20 * 1024**2)
    with pytest.raises(NoMetadataError, match="bytes of metadata"):
        read_package(str(file))
