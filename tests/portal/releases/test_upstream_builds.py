"""PyTorch's own lists of builds next to the portal's releases."""

from __future__ import annotations

import json

import pytest
import yaml

from accelerator_portal.catalog.files.versions_file import Releases
from accelerator_portal.releases.upstream_builds import (
    UpstreamListError,
    compare_builds,
    read_builds,
)

RELEASES = Releases.model_validate(
    yaml.safe_load("""\
sources:
  made-up: {package: torch, title: made up, read: 2026-01-01}
preview:
  python: ["3.12", "3.13"]
  wheels:
    - {variant: cu132, os: linux, arch: [x86_64]}
  source: made-up
releases:
  - version: "2.9.1"
    date: 2026-01-01
    python: ["3.10", "3.11", "3.12", "3.13", "3.13t"]
    torchvision: "0.24.1"
    wheels:
      - {variant: cu130, os: linux, arch: [x86_64, aarch64], "on": pypi}
      - {variant: cu126, os: linux, arch: [x86_64], python: ["3.12"]}
      - {variant: rocm7.1, os: linux, arch: [x86_64]}
      - {variant: cpu, os: macos, arch: [aarch64]}
    archives:
      - {variant: cu130, os: linux, arch: [x86_64]}
    source: made-up
  - version: "2.8.0"
    date: 2025-06-01
    python: ["3.9", "3.10"]
    wheels:
      - {variant: cu126, os: linux, arch: [x86_64]}
    source: made-up
""")
)

INDEX = "https://download.pytorch.org/whl"
ARCHIVES = "https://download.pytorch.org/libtorch"


def pip(*commands: str | None, **other: bool) -> dict[str, object]:
    entries = ({"note": None, "command": command, **other} for command in commands)
    return {"pip": {f"cuda.{number}": entry for number, entry in enumerate(entries)}}


def published(**versions: object) -> str:
    """published_versions.json; the underscores in the names of releases stand for dots."""
    named = {name.strip("_").replace("_", "."): systems for name, systems in versions.items()}
    return json.dumps({"latest_stable": "2.9.1", "versions": named})


def entry(variant: str, python: str = "3.12", **other: str) -> dict[str, str]:
    """An entry of the matrix, of Linux on x86-64 where nothing else is said."""
    return {
        "python_version": python,
        "gpu_arch_type": "cuda",
        "desired_cuda": variant,
        "package_type": "manywheel",
        "validation_runner": "linux.g5.4xlarge.nvidia.gpu",
        "channel": "release",
        "stable_version": "2.9.1",
        **other,
    }


def matrix(*entries: dict[str, str]) -> str:
    return json.dumps({"include": entries})


def lines(text: str, commands: str | None = None) -> list[str]:
    known = read_builds(commands) if commands else None
    found = compare_builds(RELEASES, read_builds(text), known).builds
    return [f"{one.agreement} {' '.join(one.key)} {one.words}".rstrip() for one in found]


def test_install_commands() -> None:
    linux = pip(
        f"pip3 install torch torchvision --index-url {INDEX}/cu126",
        "pip3 install torch==2.9.1 torchvision==0.24.0",  # from PyPI: cu130
        f"For x86:<br />pip3 install torch --index-url {INDEX}/cu128<br />",
        None,
    )
    archives = {"a": {"versions": {"Download:": f"{ARCHIVES}/cu130/libtorch-2.9.1.zip"}}}
    text = published(
        preview={"linux": pip(f"pip3 install --pre torch --index-url {INDEX}/nightly/cu134")},
        _2_9_1={
            "linux": {**linux, "libtorch": {**archives, "b": {"versions": None}}, "conda": {}},
            "macos": pip("pip3 install torch", default=True),
            "windows": pip("pip3 install torch"),
        },
        lts_1_8_2={"linux": linux},
    )
    assert lines(text) == [
        "extra nightly linux wheels cu132",
        "missing nightly linux wheels cu134",
        "same 2.9.1 linux archives cu130",
        "same 2.9.1 linux wheels cu126",
        "missing 2.9.1 linux wheels cu128",
        "differs 2.9.1 linux wheels cu130 upstream has torchvision 0.24.0, the portal has 0.24.1",
        "extra 2.9.1 linux wheels rocm7.1",
        "missing 2.9.1 windows wheels pypi",
    ]


def test_a_release_that_the_portal_lacks_is_named() -> None:
    commands = {"linux": pip("pip3 install torch")}
    text = published(_2_10_0=commands, _2_0_0=commands)
    found = compare_builds(RELEASES, read_builds(text))
    assert (found.only_upstream, found.builds) == (("2.10.0",), ())


def test_the_matrix_has_python_versions_and_nightly_builds() -> None:
    nightly = [entry("cu132", python, channel="nightly") for python in ("3.12", "3.13.1")]
    pythons = ("3.10", "3.11", "3.12", "3.13", "3.13t")
    assert lines(
        matrix(
            *nightly,
            entry("cu132", channel="nightly", package_type="libtorch"),
            entry("cu134", channel="test"),
            *(entry("cu130", python) for python in pythons),
            entry("cu126", "3.11"),
            entry("xpu"),
            entry("cu130", package_type="libtorch"),
        )
    ) == [
        "same nightly linux x86_64 wheels cu132",
        "same 2.9.1 linux x86_64 archives cu130",
        "differs 2.9.1 linux x86_64 wheels cu126 Python only upstream: 3.11; Python only the portal: 3.12",
        "same 2.9.1 linux x86_64 wheels cu130",
        "extra 2.9.1 linux x86_64 wheels rocm7.1",
        "missing 2.9.1 linux x86_64 wheels xpu",
    ]


@pytest.mark.parametrize(
    ("runner", "kind", "system"),
    [
        ("linux.arm64.2xlarge", "wheel", "linux aarch64"),
        ("windows.4xlarge", "wheel", "windows x86_64"),
        ("windows-11-arm64-preview", "wheel", "windows aarch64"),
        ("macos-m1-stable", "wheel", "macos aarch64"),
        ("linux.2xlarge", "manywheel", "linux x86_64"),
        ("linux.2xlarge", "wheel", None),  # Windows on Arm, in old matrices
    ],
)
def test_the_runner_names_the_system(runner: str, kind: str, system: str | None) -> None:
    found = read_builds(matrix(entry("cpu", validation_runner=runner, package_type=kind)))
    assert [key.system for key in found] == ([system] if system else [])


def test_commands_decide_which_gpu_builds_there_are() -> None:
    """The matrix has cu126, the commands have cu130. Neither has rocm7.1."""
    commands = [f"pip3 install torch --index-url {INDEX}/{one}" for one in ("cu130", "cu134")]
    text = matrix(entry("cu126"), entry("cu134"), entry("xpu"))
    assert lines(text, published(_2_9_1={"linux": pip(*commands)})) == [
        "missing 2.9.1 linux x86_64 wheels cu134",
        "extra 2.9.1 linux x86_64 wheels rocm7.1",
        "missing 2.9.1 linux x86_64 wheels xpu",
    ]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "it is not a complete JSON document"),
        ("| PyTorch version | Python |", "it is not a complete JSON document"),
        ("{}", "versions is missing or invalid"),
        ('{"versions": []}', "versions is missing or invalid"),
        (published(_2_9_1=3), "versions.2.9.1 is missing or invalid"),
        ('{"versions": ' + "[" * 100_000, "it is not a complete JSON document"),
        (matrix(entry("cu130; rm")), "include.0.desired_cuda is missing or invalid"),
        (matrix(entry("cu130"))[:-3], "it is not a complete JSON document"),
    ],
)
def test_what_is_no_such_list(text: str, fault: str) -> None:
    with pytest.raises(UpstreamListError) as raised:
        read_builds(text)
    assert str(raised.value) == (
        f"this is none of PyTorch's lists: {fault}. "
        "Use published_versions.json or the output of generate_binary_build_matrix.py"
    )
