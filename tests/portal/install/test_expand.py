from __future__ import annotations

from pathlib import Path

import pytest

from accelerator_portal.catalog import Catalog, load_catalog
from accelerator_portal.install import InstallRow, expand
from accelerator_portal.install.rows import Prerequisite
from tests.folders import (
    ACCELERATOR,
    COMPATIBILITY,
    EXAMPLE,
    INSTALL,
    RELEASES,
    Edit,
    Tree,
    edited,
    loaded,
)

BOTH = ("3.12", "3.13")
NEWEST = ("3.12", "3.13", "3.13t")

PLUGIN = """\
  - id: plugin
    compatibility: true
    methods: [uv]
    os: [linux, macos]
    arch: [s390x]
    variants: [ex1]
    steps:
      - pip: {packages: ["torch=={torch}", "torch-example=={plugin}"]}
    source: made-up
"""
IMAGE = "  - id: image\n"
EX1_WINDOWS = '      - {variant: ex1, os: windows, arch: [x86_64], python: ["3.12"]}\n'
PUBLISHED = """\
  - id: published
    KEY: "ex*"
    methods: [METHOD]
    steps:
      - run: [fetch, "{torch}-{variant}"]
    source: made-up
"""


def rows(root: Path) -> tuple[InstallRow, ...]:
    found, problems = expand(loaded(root))
    assert not problems
    return found


def places(found: tuple[InstallRow, ...], option: str) -> set[tuple[object, ...]]:
    return {
        (r.build, r.variant, r.os, r.arch, r.method, r.pythons) for r in found if r.option == option
    }


@pytest.fixture
def example(tree: Tree) -> tuple[InstallRow, ...]:
    return rows(tree(EXAMPLE))


def test_wheels_give_a_row_for_each_wheel_that_a_release_published(
    example: tuple[InstallRow, ...],
) -> None:
    expected = {
        (build, variant, os, arch, method, pythons)
        for method in ("pip", "uv")
        for build, variant, os, arch, pythons in [
            ("1.10.0", "ex2", "linux", "x86_64", NEWEST),
            ("1.10.0", "ex2", "linux", "aarch64", NEWEST),
            ("1.10.0", "ex1", "linux", "x86_64", NEWEST),
            ("1.10.0", "ex1", "windows", "x86_64", ("3.12",)),
            ("1.9.1", "ex1", "linux", "x86_64", ("3.11", "3.12")),
        ]
    }
    assert places(example, "wheels") == expected


@pytest.mark.parametrize(("key", "method"), [("images", "docker"), ("archives", "libtorch")])
def test_images_and_archives_give_a_row_where_a_release_names_them(
    key: str, method: str, tree: Tree
) -> None:
    """A release that names none, such as 1.9.1, has no row; the Python does not matter."""
    option = PUBLISHED.replace("KEY", key).replace("METHOD", method)
    builds = f"    {key}:\n      - {{variant: ex1, os: linux, arch: [x86_64, aarch64]}}\n"
    files = edited((INSTALL, IMAGE, option + IMAGE), (RELEASES, EX1_WINDOWS, EX1_WINDOWS + builds))
    found = rows(tree(files))
    assert places(found, "published") == {
        ("1.10.0", "ex1", "linux", "x86_64", method, None),
        ("1.10.0", "ex1", "linux", "aarch64", method, None),
    }
    (command,) = {row.commands for row in found if row.option == "published"}
    assert "1.10.0-ex1" in command[0]


def test_nightly_wheels_come_from_the_preview_builds(example: tuple[InstallRow, ...]) -> None:
    assert places(example, "nightly") == {("preview", "ex2", "linux", "x86_64", "pip", BOTH)}


def test_a_container_does_not_ask_for_a_python(example: tuple[InstallRow, ...]) -> None:
    assert places(example, "image") == {("1.10.0", "ex2", "linux", "x86_64", "docker", None)}


@pytest.mark.parametrize(
    ("narrowing", "left"),
    [
        ('torch: ">=1.10"', {"1.10.0 ex2", "1.10.0 ex1"}),
        ('torch: ["1.9.1"]', {"1.9.1 ex1"}),
        ('torch: "==1.9"', set()),
        ("os: [windows]", {"1.10.0 ex1"}),
        ("arch: [aarch64]", {"1.10.0 ex2"}),
        ("variants: [ex2]", {"1.10.0 ex2"}),
        ('python: ["3.11"]', {"1.9.1 ex1"}),
        ('python: ["3.13", "3.11"]', {"1.10.0 ex2", "1.10.0 ex1", "1.9.1 ex1"}),
    ],
)
def test_filters_narrow_an_option(narrowing: str, left: set[str], tree: Tree) -> None:
    files = edited((INSTALL, "methods: [pip, uv]", f"methods: [uv]\n    {narrowing}"))
    found, problems = expand(unchecked(tree(files)))
    assert {f"{row.build} {row.variant}" for row in found if row.option == "wheels"} == left
    what = 'the option "wheels" matches no combination of release, system and build; check its releases and filters'
    assert list(map(str, problems)) == ([] if left else [f"{INSTALL}:21: {what}"])


def unchecked(root: Path) -> Catalog:
    catalog, _ = load_catalog(root)
    assert catalog is not None
    return catalog


def test_python_filters_keep_only_what_is_published(tree: Tree) -> None:
    files = edited(
        (INSTALL, "methods: [pip, uv]", 'methods: [pip, uv]\n    python: ["3.12", "3.13"]')
    )
    found = rows(tree(files))
    assert {row.pythons for row in found if row.option == "wheels"} == {BOTH, ("3.12",)}


def test_commands_that_name_the_python_are_split_by_it(tree: Tree) -> None:
    found = rows(tree(edited((INSTALL, '"torch=={torch}"', '"torch=={torch}", "py{python}"'))))
    wheels = [row for row in found if row.option == "wheels"]
    assert all(row.pythons and len(row.pythons) == 1 for row in wheels)
    assert {f"py{python}" in row.commands[0] for row in wheels for python in row.pythons or ()} == {
        True
    }
    assert {python for row in wheels for python in row.pythons or ()} == {*NEWEST, "3.11"}


def test_an_image_that_names_the_python_is_for_that_python(tree: Tree) -> None:
    found = rows(tree(edited((INSTALL, "{variant_version}", "py{python}"))))
    images = {row.pythons: row.commands for row in found if row.option == "image"}
    assert images == {
        (python,): (f"docker run -it --rm example/torch:1.10.0-py{python}",) for python in NEWEST
    }


def test_a_check_that_names_the_python_names_the_right_one(tree: Tree) -> None:
    found = rows(tree(edited((INSTALL, "{torch}+{variant}", "{torch} on {python}"))))
    wheels = [row for row in found if row.option == "wheels"]
    assert {(row.pythons, row.check.prints.split()[-1]) for row in wheels if row.check} == {
        ((python,), python) for python in (*NEWEST, "3.11")
    }


def test_the_index_is_left_out_for_what_is_on_pypi(example: tuple[InstallRow, ...]) -> None:
    commands = {
        (row.build, row.variant): row.commands
        for row in example
        if row.method == "pip" and row.os == "linux" and row.arch == "x86_64"
    }
    start, whl = "python3 -m pip install", "https://download.pytorch.org/whl"
    assert commands == {
        ("1.10.0", "ex2"): (f"{start} torch==1.10.0",),
        ("1.10.0", "ex1"): (f"{start} torch==1.10.0 --index-url {whl}/ex1",),
        ("1.9.1", "ex1"): (f"{start} torch==1.9.1 --index-url {whl}/ex1",),
        ("preview", "ex2"): (f"{start} --pre torch --index-url {whl}/nightly/ex2",),
    }


def test_a_check_shows_what_a_working_installation_prints(example: tuple[InstallRow, ...]) -> None:
    printed = {(r.option, r.variant): r.check.prints for r in example if r.check}
    assert printed == {
        ("wheels", "ex2"): "1.10.0+ex2",
        ("wheels", "ex1"): "1.9.1+ex1",
        ("nightly", "ex2"): "(nightly version)+ex2",
    }


def test_prerequisites_depend_on_the_system_and_the_variant(tree: Tree) -> None:
    everywhere = "{name: Patience, source: made-up}"
    files = edited(
        (INSTALL, "checks:\n", f"requires:\n  - {everywhere}\nchecks:\n"),
        (INSTALL, "methods: [docker]", ("methods: [docker]\n    requires:\n      - "
         '{name: Docker, url: "https://example.org/docker", source: made-up}')),
    )  # fmt: skip
    found = {(r.os, r.variant, r.method): r.prerequisites for r in rows(tree(files))}
    patience, driver = Prerequisite("Patience"), Prerequisite("Example driver", ">=5")
    assert found["linux", "ex1", "pip"] == (patience, driver)
    assert found["linux", "ex2", "pip"] == (patience,)
    assert found["windows", "ex1", "pip"] == (patience,)
    docker = Prerequisite("Docker", None, "https://example.org/docker")
    assert found["linux", "ex2", "docker"] == (patience, docker)


COMPATIBLE: list[Edit] = [
    (ACCELERATOR, "in-tree", "out-of-tree"),
    (INSTALL, IMAGE, PLUGIN + IMAGE),
    (COMPATIBILITY, 'torch: "1.10.0", variant: ex2',
     'torch: "1.10.0", plugin: "1.10.0.post4", python: ["3.13"], needs: {SDK: "7.14"}'),
    (COMPATIBILITY, "rows:\n", ('rows:\n  - {torch: "1.10.0", plugin: "1.10.0.post10", '
     'python: ["3.12", "3.13", "3.13t"], needs: {Example driver: "9"}, source: made-up}\n'
     '  - {torch: "1.10.0", plugin: "1.11", source: made-up}\n')),
    (COMPATIBILITY, 'torch: "1.9.1", variant: ex1', 'torch: "1.9.1", plugin: "1.9.1"'),
    (COMPATIBILITY, "lifecycle: {status: ended}, source: made-up}\n",
     ('lifecycle: {status: ended}, source: made-up}\n'
      '  - {torch: "1.8.0", plugin: "1.8", source: made-up}\n')),
]  # fmt: skip


def test_notes_name_other_plugins_for_other_needs(tree: Tree) -> None:
    notes = {r.build: r.note for r in rows(tree(edited(*COMPATIBLE))) if r.option == "plugin"}
    other = (
        "For other Example driver and SDK versions: "
        "torch-example 1.10.0.post4 (SDK 7.14, Python 3.13)."
    )
    assert notes.pop("1.10.0") == other
    assert set(notes.values()) == {
        f"No source that this project examined states which Example driver version PyTorch "
        f"{build} needs. "
        "The newest release with a stated version is PyTorch 1.10.0 (Example driver 9)."
        for build in notes
    }


def test_a_plugin_is_the_newest_whose_needs_are_stated(tree: Tree) -> None:
    """1.10.0.post10 is newer than post4; 1.11 says nothing of what it needs."""
    found = [row for row in rows(tree(edited(*COMPATIBLE))) if row.option == "plugin"]
    commands = {(r.build, r.os, r.pythons): r.commands[0].partition("install ")[2] for r in found}
    assert commands == {
        (build, os, pythons): f"torch=={build} torch-example=={plugin}"
        for os in ("linux", "macos")
        for build, plugin, pythons in [
            ("1.10.0", "1.10.0.post10", NEWEST),
            ("1.9.1", "1.9.1", ("3.11", "3.12")),
        ]
    }


def test_a_row_for_another_system_is_not_installed(tree: Tree) -> None:
    newer = '{torch: "1.10.0", plugin: "1.12", needs: {Example driver: "10"}, os: [macos], '
    files = edited((COMPATIBILITY, "rows:\n", f"rows:\n  - {newer}source: made-up}}\n"),
                   files=edited(*COMPATIBLE))  # fmt: skip
    found = [r for r in rows(tree(files)) if r.option == "plugin" and r.build == "1.10.0"]
    assert {row.os: row.commands[0].partition("example==")[2] for row in found} == {
        "linux": "1.10.0.post10",
        "macos": "1.12",
    }
    notes = {row.os: row.note for row in found}
    assert "1.12" not in (notes["linux"] or "")


def test_needs_of_the_compatibility_row_replace_requirements_of_the_same_name(tree: Tree) -> None:
    found = [row for row in rows(tree(edited(*COMPATIBLE))) if row.option == "plugin"]
    needs = {(row.build, row.os): row.prerequisites for row in found}
    assert needs == {
        ("1.10.0", "linux"): (Prerequisite("Example driver", "9"),),
        ("1.10.0", "macos"): (Prerequisite("Example driver", "9"),),
        ("1.9.1", "linux"): (Prerequisite("Example driver", ">=5"),),
        ("1.9.1", "macos"): (),
    }
