"""Pages, metadata and tags: whatever they hold, they are read or refused, and nothing else."""

from __future__ import annotations

import io
import json
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaging.requirements import Requirement
from packaging.tags import Tag, parse_tag
from packaging.version import Version

from accelerator_portal.http import CachedBody, InvalidResponseError
from accelerator_portal.packages.index_page import JSON_TYPE, parse_page
from accelerator_portal.packages.stored_releases import selected_versions
from accelerator_portal.packages.wheel_metadata import (
    _MissingPartError,
    _PartialFile,
    cuda_version,
    parse_metadata,
    python_range,
    requirements_of_wheel,
)
from accelerator_portal.packages.wheel_tags import (
    platform_tag,
    python_label,
    runs_on,
    supports_python,
    system_of_tag,
)
from accelerator_reports.files.fields import Arch, Os
from accelerator_reports.files.text_file import HIDDEN_CHARACTER

OLD = "manylinux_2_17_x86_64"
X86, ARM = "manylinux_2_28_x86_64", "manylinux_2_28_aarch64"

printable = st.text(string.printable, max_size=300)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | printable,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(printable, inner, max_size=4),
    max_leaves=15,
)


@given(st.binary(max_size=600), st.sampled_from([JSON_TYPE, "text/html", "application/json", ""]))
def test_any_bytes_are_a_page_or_refused(body: bytes, kind: str) -> None:
    for data in (body, b"<html>" + body):
        try:
            page = parse_page(CachedBody(data, "", kind), "torch-example", "https://example.org/x/")
        except InvalidResponseError:
            continue
        assert all(file.name.startswith("torch") for file in page.files)


@given(
    st.lists(
        st.dictionaries(
            st.sampled_from(
                ["filename", "url", "hashes", "yanked", "upload-time", "core-metadata", "size"]
            ),
            json_values,
        )
    )
)
def test_any_json_is_a_page_or_refused(files: list[dict[str, object]]) -> None:
    page = {"meta": {"api-version": "1.1"}, "name": "torch-example", "files": files}
    try:
        parse_page(
            CachedBody(json.dumps(page).encode(), "", JSON_TYPE), "torch-example", "https://x.org/"
        )
    except InvalidResponseError as error:
        assert len(str(error)) < 200  # noqa: PT017 - what is refused is told


@given(st.binary(max_size=500))
def test_any_bytes_are_metadata_or_refused(body: bytes) -> None:
    for data in (body, b"Name: torch-example\nVersion: 1.0\n" + body):
        try:
            found = parse_metadata(data, "torch-example", Version("1.0"))
        except InvalidResponseError:
            continue
        assert found.about is None or not HIDDEN_CHARACTER.search(found.about)


@given(st.integers(0, 60), st.lists(st.tuples(st.integers(0, 60), st.integers(1, 60)), max_size=6))
def test_a_file_of_parts_gives_what_is_there_or_names_what_is_not(
    at: int, parts: list[tuple[int, int]]
) -> None:
    whole = bytes(range(64))
    file = _PartialFile(len(whole))
    for start, length in parts:
        file.add_part(start, whole[start : start + length])
    file.seek(at)
    try:
        assert file.read(4) == whole[at : at + 4]
    except _MissingPartError as missing:
        file.add_part(missing.first, whole[missing.first : missing.last])
        assert file.read(4) == whole[at : at + 4]
    file.seek(0, io.SEEK_END)
    assert (file.tell(), file.read()) == (64, b"")


@given(st.text(string.ascii_lowercase + string.digits + "_.", max_size=40))
def test_any_tag_is_a_system_or_none(tag: str) -> None:
    found = system_of_tag(tag)
    assert found is None or found.arches


@pytest.mark.parametrize(
    ("tags", "platform", "python"),
    [
        ("cp312-cp312-manylinux_2_17_x86_64.manylinux2014_x86_64", OLD, "cp312"),
        ("cp313-cp313t-manylinux_2_28_x86_64", X86, "cp313t"),
        ("cp39-abi3-manylinux_2_28_x86_64.manylinux_2_17_x86_64", OLD, "cp39-abi3"),
        ("py2.py3-none-any", "any", "py3"),
        ("cp310-none-macosx_11_0_arm64", "macosx_11_0_arm64", "cp310"),
        ("cp39-cp39-macosx_10_15_x86_64.macosx_10_9_x86_64", "macosx_10_9_x86_64", "cp39"),
        ("cp312-cp312-manylinux1_i686.manylinux_2_5_i686", "manylinux_2_5_i686", "cp312"),
    ],
)  # fmt: skip
def test_tags_in_short(tags: str, platform: str, python: str) -> None:
    found: frozenset[Tag] = parse_tag(tags)
    assert (platform_tag(found), python_label(found)) == (platform, python)


@pytest.mark.parametrize(
    ("tag", "os", "arch", "runs"),
    [
        (X86, "linux", "x86_64", True),
        (ARM, "linux", "x86_64", False),
        ("musllinux_1_2_x86_64", "linux", "x86_64", False),
        ("linux_x86_64", "linux", "x86_64", True),
        ("any", "windows", "aarch64", True),
        ("win_amd64", "windows", "x86_64", True),
        ("win_arm64", "windows", "aarch64", True),
        ("win32", "windows", "x86_64", False),
        ("macosx_10_9_universal2", "macos", "aarch64", True),
        ("macosx_14_0_arm64", "macos", "aarch64", True),
        ("macosx_10_9_x86_64", "macos", "aarch64", False),
        ("macosx_arm64", "macos", "aarch64", False),
    ],
)
def test_where_a_wheel_runs(tag: str, os: Os, arch: Arch, *, runs: bool) -> None:
    assert runs_on(tag, os, arch) is runs


@pytest.mark.parametrize(
    ("label", "python", "serves"),
    [
        ("cp312", "3.12", True),
        ("cp312", "3.13", False),
        ("cp313t", "3.13", False),
        ("cp313t", "3.13t", True),
        ("cp313", "3.13t", False),
        ("cp39-abi3", "3.14", True),
        ("cp39-abi3", "3.14t", False),
        ("py3", "3.14t", True),
        ("py2", "3.14", False),
    ],
)
def test_which_python_a_label_serves(label: str, python: str, *, serves: bool) -> None:
    assert supports_python([label], python) is serves


NEEDS = [
    Requirement('cuda-toolkit[cublas]==13.2.2; platform_system == "Linux"'),
    Requirement('nvidia-cuda-runtime-cu12==12.8.90; platform_machine == "x86_64"'),
]


def test_the_cuda_version_is_that_of_what_applies() -> None:
    assert cuda_version(NEEDS, X86, "cp312") == "13.2"
    assert cuda_version(NEEDS[1:], X86, "cp312") == "12.8"
    assert cuda_version(NEEDS[1:], ARM, "cp312") is None
    assert cuda_version(NEEDS, "win_amd64", "cp312") is None
    assert cuda_version([Requirement("cuda-toolkit")], X86, "cp312") is None


@pytest.mark.parametrize(
    ("tag", "words"),
    [
        (X86, ("Linux", "linux", "posix")),
        ("win_amd64", ("Windows", "win32", "nt")),
        ("macosx_11_0_arm64", ("Darwin", "darwin", "posix")),
    ],
)
def test_a_marker_knows_the_system_of_a_wheel_by_each_of_its_names(
    tag: str, words: tuple[str, str, str]
) -> None:
    variables = zip(("platform_system", "sys_platform", "os_name"), words, strict=True)
    needs = [
        Requirement(f'torch=={n}; {name} == "{word}"') for n, (name, word) in enumerate(variables)
    ]
    found = requirements_of_wheel(needs, frozenset({"torch"}), tag, "cp312")
    assert found == ("torch==0", "torch==1", "torch==2")


def test_requirements_are_those_of_the_wheel_s_own_system() -> None:
    needs = [
        Requirement('torch==2.10.0+cpu; platform_machine == "x86_64"'),
        Requirement('torch==2.10.0; platform_machine == "aarch64"'),
        Requirement('torch==9; extra == "more"'),
        Requirement("numpy"),
    ]
    names = frozenset({"torch"})
    assert requirements_of_wheel(needs, names, X86, "cp312") == ("torch==2.10.0+cpu",)
    assert requirements_of_wheel(needs, names, ARM, "cp312") == ("torch==2.10.0",)


def test_a_range_of_pythons_is_kept_in_normal_form() -> None:
    assert python_range(">=3.10,<4") == "<4,>=3.10"
    assert (python_range("later"), python_range(""), python_range(None)) == (None, None, None)


def test_the_newest_are_kept_and_of_torch_all() -> None:
    final = [Version(f"1.{n}") for n in range(60)]
    pre = [Version(f"2.0rc{n}") for n in range(9)]
    assert selected_versions([*final, *pre], "x") == [*reversed(pre[-3:]), *reversed(final[-40:])]
    assert len(selected_versions(pre, "x")) == 9
    torch = [Version(f"2.{n}.{m}") for n in range(30) for m in range(3)]
    assert selected_versions(torch, "torch")[-1] == Version("2.4.0")
    assert len(selected_versions(torch, "torch")) == 26 * 3
