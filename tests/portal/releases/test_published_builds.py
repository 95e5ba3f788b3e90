"""Which builds the files of an index prove, and which they do not."""

from __future__ import annotations

import json

import pytest

from accelerator_portal.catalog.files.package_file import ReleaseFacts
from accelerator_portal.catalog.files.versions_file import PYTORCH_INDEX
from accelerator_portal.http import CachedBody
from accelerator_portal.packages.index_page import JSON_TYPE, IndexFile, parse_page
from accelerator_portal.packages.wheel_tags import ordered_pythons
from accelerator_portal.releases.published_builds import (
    builds_on_index,
    builds_on_pypi,
    newest_version_requiring,
)

LINUX = "cp312-cp312-manylinux_2_28_x86_64"


def files(*versions: str, tag: str = LINUX, yanked: bool = False) -> tuple[IndexFile, ...]:
    url = "https://example.org/simple/torch/"
    listed = [
        {
            "filename": f"torch-{version}-{tag}.whl",
            "url": f"https://example.org/torch-{version}-{tag}.whl",
            "hashes": {},
            "yanked": yanked,
        }
        for version in versions
    ]
    page = {"meta": {"api-version": "1.1"}, "name": "torch", "files": listed}
    body = CachedBody(json.dumps(page).encode(), content_type=JSON_TYPE)
    return parse_page(body, "torch", url).files


def variants(index: str, *versions: str, tag: str = LINUX, yanked: bool = False) -> list[str]:
    found = builds_on_index(index, files(*versions, tag=tag, yanked=yanked), "2.16.0")
    return [build.variant for build in found]


@pytest.mark.parametrize(
    ("index", "version", "expected"),
    [
        (f"{PYTORCH_INDEX}/cu132", "2.16.0+cu132", ["cu132"]),
        (f"{PYTORCH_INDEX}/rocm6.2.4", "2.16.0+rocm6.2.4", ["rocm6.2.4"]),
        (PYTORCH_INDEX, "2.16.0+xpu", ["xpu"]),
        (f"{PYTORCH_INDEX}/cpu", "2.16.0", ["cpu"]),
        (f"{PYTORCH_INDEX}/cu132", "2.16.0", []),
        (PYTORCH_INDEX, "2.16.0", []),
        (f"{PYTORCH_INDEX}/cu132", "2.16.0+cu130", []),
        (PYTORCH_INDEX, "2.16.0+cpu.cxx11.abi", []),
        (PYTORCH_INDEX, "2.16.1+cpu", []),
        (PYTORCH_INDEX, "2.16.0rc1+cpu", []),
        (PYTORCH_INDEX, "2.16.0.post1+cpu", []),
    ],
)
def test_the_local_version_names_the_variant(index: str, version: str, expected: list[str]) -> None:
    assert variants(index, version) == expected


def test_a_withdrawn_wheel_proves_nothing() -> None:
    assert variants(PYTORCH_INDEX, "2.16.0+cpu", yanked=True) == []


@pytest.mark.parametrize("tag", ["cp312-cp312-musllinux_1_2_x86_64", "py3-none-any"])
def test_a_wheel_for_no_system_of_the_portal(tag: str) -> None:
    assert variants(PYTORCH_INDEX, "2.16.0+cpu", tag=tag) == []


def test_wheels_of_one_build_are_joined() -> None:
    both = (*files("2.16.0+cpu"), *files("2.16.0+cpu", tag=LINUX.replace("cp312", "cp313")))
    (build,) = builds_on_index(PYTORCH_INDEX, both, "2.16.0")
    assert build.pythons == {"3.12", "3.13"}
    assert build.tags == {"manylinux_2_28_x86_64"}


def test_a_wheel_on_pypi_without_metadata_is_of_no_known_variant() -> None:
    arm, x86 = "manylinux_2_28_aarch64", "manylinux_2_28_x86_64"
    facts = ReleaseFacts(
        version="2.16.0",
        wheels={arm: "cp312 cp313t", x86: "cp312"},
        requires={arm: ()},
        cuda={arm: "13.2"},
    )
    (build,), unread = builds_on_pypi(facts)
    assert (build.variant, build.arch) == ("cu132", "aarch64")
    assert build.pythons == {"3.12", "3.13t"}
    assert unread == (x86,)


def test_a_refused_wheel_does_not_count_as_a_cpu_build() -> None:
    """Where all readable wheels require the same, the facts say so of every tag."""
    windows, x86, old = "win_amd64", "manylinux_2_28_x86_64", "manylinux_2_17_x86_64"
    facts = ReleaseFacts(
        version="2.16.0", wheels={windows: "cp312", x86: "cp312", old: "cp313"}, requires={"*": ()}
    )
    refused = [f"torch-2.16.0-cp312-cp312-{x86}.whl: its metadata is of another package"]
    (build,), unread = builds_on_pypi(facts, refused)
    assert (build.variant, build.os) == ("cpu", "windows")
    assert unread == (x86, old)
    assert builds_on_pypi(facts, [refused[0].replace("2.16.0", "2.15.0")])[1] == ()


def test_torchvision_is_the_newest_that_requires_exactly_this_torch() -> None:
    required = {"0.31.0": "torch==2.16.0", "0.31.1": "torch==2.16.0", "0.32.0": "torch>=2.16.0"}
    listed = [ReleaseFacts(version=v, requires={"*": (r,)}) for v, r in required.items()]
    assert newest_version_requiring(listed, "2.16.0") == "0.31.1"
    assert newest_version_requiring(listed, "2.17.0") is None


def test_pythons_are_ordered_by_number() -> None:
    found = ordered_pythons(["3.14t", "3.9", "3.14", "3.10", "3.9"])
    assert found == ("3.9", "3.10", "3.14", "3.14t")
