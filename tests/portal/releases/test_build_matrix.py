"""PyTorch's binary build matrix next to the portal's releases."""

from __future__ import annotations

import json

import pytest

from accelerator_portal.releases.upstream_commands import UpstreamComparison, UpstreamSourceError
from accelerator_portal.releases.upstream_lists import compare_matrix, is_matrix, read_matrix
from tests.portal.releases.portal_releases import RELEASES

ALL = ("3.10", "3.11", "3.12", "3.13", "3.13t")


def entry(variant: str, python: str = "3.12", **other: str) -> dict[str, str]:
    """Return an entry as the script prints it, of Linux on x86-64 where nothing else is said."""
    return {
        "python_version": python,
        "gpu_arch_type": "cuda",
        "gpu_arch_version": "13.0",
        "desired_cuda": variant,
        "package_type": "manywheel",
        "validation_runner": "linux.g5.4xlarge.nvidia.gpu",
        "channel": "release",
        "stable_version": "2.9.1",
        **other,
    }


def matrix(*entries: dict[str, str]) -> str:
    return json.dumps({"include": entries})


def lines(*entries: dict[str, str]) -> list[str]:
    found = compare_matrix(RELEASES, read_matrix(matrix(*entries)))
    return [_line(found, place) for place in range(len(found.entries))]


def _line(found: UpstreamComparison, place: int) -> str:
    e = found.entries[place]
    return f"{e.agreement} {e.release} {e.system} {e.kind} {e.build} {e.words}".rstrip()


def test_builds_of_one_release_and_system() -> None:
    assert lines(
        *(entry("cu130", python) for python in ALL),
        entry("cu126", "3.11"),
        entry("cu126", "3.12"),
        entry("xpu"),
    ) == [
        "differs 2.9.1 linux x86_64 wheels cu126 Python only upstream: 3.11",
        "same 2.9.1 linux x86_64 wheels cu130",
        "extra 2.9.1 linux x86_64 wheels rocm7.1",
        "missing 2.9.1 linux x86_64 wheels xpu",
    ]


def test_python_versions_that_only_the_portal_has() -> None:
    words = "Python only the portal: 3.10, 3.11, 3.12, 3.13t"
    arm = entry("cu130", "3.13", package_type="wheel", gpu_arch_type="cuda-aarch64")
    assert lines(arm) == [f"differs 2.9.1 linux aarch64 wheels cu130 {words}"]


@pytest.mark.parametrize(
    ("runner", "kind", "system"),
    [
        ("linux.arm64.2xlarge", "wheel", "linux aarch64"),
        ("windows.4xlarge", "wheel", "windows x86_64"),
        ("windows-11-arm64-preview", "wheel", "windows aarch64"),
        ("macos-m1-stable", "wheel", "macos aarch64"),
        ("linux.2xlarge", "manywheel", "linux x86_64"),
    ],
)
def test_the_runner_names_the_system(runner: str, kind: str, system: str) -> None:
    found = read_matrix(matrix(entry("cpu", validation_runner=runner, package_type=kind)))
    assert list(found.pythons) == [("2.9.1", system, "wheels", "cpu")]


def test_a_build_whose_system_is_not_named_is_left_out() -> None:
    assert lines(entry("cpu", validation_runner="linux.2xlarge", package_type="wheel")) == []


def test_archives_have_no_python_version() -> None:
    archive = entry("cu130", package_type="libtorch")
    del archive["python_version"]
    assert lines(archive) == ["same 2.9.1 linux x86_64 archives cu130"]


def test_patch_versions_of_python_are_dropped() -> None:
    macos = [entry("cpu", p, validation_runner="macos-m1-stable") for p in ("3.12.10", "3.13t")]
    found = read_matrix(matrix(*macos))
    assert found.pythons == {("2.9.1", "macos aarch64", "wheels", "cpu"): {"3.12", "3.13t"}}


def test_nightly_wheels_come_first_and_candidates_are_left_out() -> None:
    nightly = [entry("cu132", python, channel="nightly") for python in ("3.12", "3.13")]
    assert lines(
        *nightly,
        entry("cu134", channel="nightly"),
        entry("cu132", channel="nightly", package_type="libtorch"),
        entry("cu130", channel="test"),
        entry("cu128", stable_version="2.9.0"),
    ) == [
        "same nightly linux x86_64 wheels cu132",
        "missing nightly linux x86_64 wheels cu134",
        "differs 2.9.0 linux x86_64 wheels cu128 Python only the portal: 3.10, 3.11, 3.13",
    ]


def test_commands_decide_which_gpu_builds_there_are() -> None:
    """The matrix has cu126, the commands have cu130. Neither has rocm7.1."""
    commands = {("2.9.1", "linux"): {"cu130", "cu134"}}
    entries = (entry("cu126"), entry("cu134"), entry("xpu"))
    found = compare_matrix(RELEASES, read_matrix(matrix(*entries)), commands)
    assert [_line(found, place) for place in range(len(found.entries))] == [
        "missing 2.9.1 linux x86_64 wheels cu134",
        "extra 2.9.1 linux x86_64 wheels rocm7.1",
        "missing 2.9.1 linux x86_64 wheels xpu",
    ]


def test_a_release_that_the_portal_lacks_is_named() -> None:
    entries = [entry("cpu", stable_version=version) for version in ("2.10.0", "2.0.0")]
    found = compare_matrix(RELEASES, read_matrix(matrix(*entries)))
    assert (found.only_upstream, found.entries) == (("2.10.0",), ())


def test_a_matrix_without_builds() -> None:
    assert lines() == []


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('{"include": {}}', "include"),
        ('{"include": [{}]}', "include.0.package_type"),
        (matrix(entry("cu130; rm")), "include.0.desired_cuda"),
        (matrix(entry("cu130", stable_version="2.9.1; rm")), "include.0.stable_version"),
        (matrix(entry("cu130"))[:-3], "it is not a complete JSON document"),
        ('{"include": ' + "[" * 100_000, "it is not a complete JSON document"),
    ],
)
def test_what_is_no_matrix(text: str, place: str) -> None:
    assert is_matrix(text)
    with pytest.raises(UpstreamSourceError, match=rf"build_matrix\.py: {place}"):
        read_matrix(text)
