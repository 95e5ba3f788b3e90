"""The files and commands that follow from an option's commands."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from pip._internal.req import req_file

from accelerator_portal.catalog import Catalog
from accelerator_portal.install import InstallRow, expand
from accelerator_portal.install.commands import VENDOR_METHODS, with_derived_formats
from accelerator_portal.install.rows import PipCall


@pytest.fixture(scope="module")
def rows(catalog: Catalog) -> tuple[InstallRow, ...]:
    return with_derived_formats(catalog, expand(catalog)[0])


def of(rows: tuple[InstallRow, ...], method: str) -> list[InstallRow]:
    found = [row for row in rows if row.method == method]
    assert found
    return found


def test_the_vendors_own_rows_stay_as_they_are(
    catalog: Catalog, rows: tuple[InstallRow, ...]
) -> None:
    assert tuple(row for row in rows if row.method in VENDOR_METHODS) == expand(catalog)[0]


def test_a_project_asks_for_the_packages_of_the_command(rows: tuple[InstallRow, ...]) -> None:
    for row in of(rows, "pyproject"):
        (file,) = row.files
        project = tomllib.loads(file.text.replace("{python}", "3.13"))
        packages = [package for call in row.calls for package in call.packages]
        assert project["project"]["dependencies"] == packages
        indexes = (
            {index["name"]: index["url"] for index in project["tool"]["uv"]["index"]}
            if ("tool" in project and "index" in project["tool"]["uv"])
            else {}
        )
        for call in row.calls:
            for package in call.packages if call.index else ():
                source = project["tool"]["uv"]["sources"][Requirement(package).name]
                assert indexes[source["index"]] == call.index
            if call.extra_index:
                assert call.extra_index in indexes.values()


def test_a_package_with_a_dot_in_its_name_has_a_source(catalog: Catalog) -> None:
    row = next(row for row in expand(catalog)[0] if row.method == "pip")
    dotted = replace(row, calls=(PipCall(("ruamel.yaml",), "https://example.org/simple"),))
    (project,) = (r for r in with_derived_formats(catalog, [dotted]) if r.method == "pyproject")
    tool = tomllib.loads(project.files[0].text)["tool"]
    assert tool["uv"]["sources"] == {"ruamel-yaml": {"index": "vendor-1"}}


def test_a_project_for_cuda_takes_only_torch_from_pytorchs_index(
    rows: tuple[InstallRow, ...],
) -> None:
    texts = {
        row.platform: row.files[0].text
        for row in of(rows, "pyproject")
        if row.build == "2.14.1" and row.os == "linux"
    }
    assert "explicit = true" in texts["cuda"]
    assert "explicit = true" not in texts["rocm"]  # its Triton is on that index alone
    assert "# Not explicit" in texts["rocm"]


def test_a_project_says_which_systems_its_index_is_for(rows: tuple[InstallRow, ...]) -> None:
    texts = {
        (row.platform, row.variant, row.os): row.files[0].text
        for row in of(rows, "pyproject")
        if row.build == "2.14.1" and row.arch == "x86_64"
    }
    cuda = texts["cuda", "cu132", "windows"]
    marker = "marker = \"sys_platform == 'linux' or sys_platform == 'win32'\""
    assert cuda.count(marker) == 2  # as in uv's guide: torch and torchvision, from PyPI on a Mac
    rocm = texts["rocm", "rocm7.2", "linux"]
    assert "marker" not in rocm
    assert "\n# For Linux only\n[[tool.uv.index]]\n" in rocm


def test_a_project_of_pypis_cuda_build_says_what_other_systems_get(
    rows: tuple[InstallRow, ...],
) -> None:
    texts = {
        row.os: row.files[0].text
        for row in of(rows, "pyproject")
        if row.platform == "cuda" and row.build == "2.15.0" and row.arch == "x86_64"
        if row.variant == "cu132"
    }
    assert "[[tool.uv.index]]" not in texts["linux"]
    assert "On Windows and macOS, the same lines install the CPU build.\n" in texts["linux"]
    assert all("CPU build" not in text for os, text in texts.items() if os != "linux")


def test_nightly_builds_allow_prereleases(rows: tuple[InstallRow, ...]) -> None:
    for row in of(rows, "pyproject"):
        assert ('prerelease = "allow"' in row.files[0].text) == any(c.pre for c in row.calls)


def test_pip_reads_each_requirements_file(rows: tuple[InstallRow, ...], tmp_path: Path) -> None:
    texts = {file.text: row for row in of(rows, "requirements") for file in row.files}
    for text in texts:
        path = tmp_path / "requirements.txt"
        path.write_text(text, encoding="utf-8")
        lines = list(req_file.preprocess(text))
        assert len(lines) == len(text.splitlines())
    for row in of(rows, "requirements"):
        assert len(row.files) == len(row.calls) == len(row.commands)
        for file, call in zip(row.files, row.calls, strict=True):
            assert file.text.splitlines()[-len(call.packages) :] == list(call.packages)
            assert (f"--index-url {call.index}" in file.text) == bool(call.index)


def test_commands_that_do_more_than_install_packages_have_no_files(catalog: Catalog) -> None:
    row = next(row for row in expand(catalog)[0] if row.method == "pip")
    more = replace(row, commands=(*row.commands, "export A=1"))
    assert [r.method for r in with_derived_formats(catalog, [more]) if r.platform == row.platform][
        :1
    ] == ["pip"]
    assert not {"pyproject", "requirements"} & {
        r.method for r in with_derived_formats(catalog, [more])
    }


def test_a_package_that_is_no_requirement_makes_no_project(catalog: Catalog) -> None:
    row = next(row for row in expand(catalog)[0] if row.method == "pip")
    odd = replace(row, calls=(PipCall(("not a requirement",), "https://example.org/simple"),))
    methods = {r.method for r in with_derived_formats(catalog, [odd])}
    assert "requirements" in methods
    assert "pyproject" not in methods


def test_a_dockerfile_builds_on_the_image_that_is_run(rows: tuple[InstallRow, ...]) -> None:
    images = {row.container.image for row in of(rows, "docker") if row.container}
    for row in of(rows, "dockerfile"):
        assert row.container
        assert row.files[0].text.splitlines()[0] == f"FROM {row.container.image}"
        assert row.container.image in images
        for argument in row.container.args:
            assert argument in row.commands[-1]


def test_uv_detects_only_where_it_knows_the_build(rows: tuple[InstallRow, ...]) -> None:
    detected = of(rows, "uv-auto")
    assert {row.platform for row in detected} == {"cuda", "rocm", "xpu"}
    for row in detected:
        assert row.commands == ("uv pip install torch torchvision --torch-backend=auto",)
        assert row.calls == ()


def test_conda_is_where_its_sources_say(catalog: Catalog, rows: tuple[InstallRow, ...]) -> None:
    conda = catalog.defaults.conda
    assert conda
    for row in of(rows, "conda"):
        assert row.platform in conda.platforms
        assert row.arch in conda.machines[row.os]
        assert row.note == conda.note
