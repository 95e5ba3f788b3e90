"""What leaves between two PyTorch releases, and what must not be concluded from missing data."""

from __future__ import annotations

import datetime as dt

import pytest

from accelerator_portal.catalog import Catalog, load_catalog
from accelerator_portal.releases.upgrades import (
    SupportChange,
    UpgradeStep,
    minor_steps,
    step_to,
    upgrade_step,
)
from tests.folders import COMPATIBILITY, EXAMPLE, INSTALL, RELEASES, Tree

SOURCES = """\
sources:
  pypi: {package: torch, title: Files on PyPI, read: 2026-01-02}
  matrix: {url: "https://example.org/matrix", title: A build matrix, read: 2026-01-02}
  lock: {url: "https://example.org/lock", title: A lock file, read: 2026-01-02}
preview:
  python: ["3.12"]
  wheels: [{variant: ex2, os: linux, arch: [x86_64]}]
  source: matrix
releases:
"""
BOTH_LISTS = "[pypi, matrix]"
ON_PYPI = "{variant: ex2, os: linux, arch: [x86_64], on: pypi}"
OLD = "{variant: ex1, os: linux, arch: [x86_64]}"
OLD_ON_WINDOWS = "{variant: ex1, os: windows, arch: [x86_64]}"
LOCKED = "{variant: ex1, os: linux, arch: [x86_64], source: lock}"
ACCELERATOR = "accelerators/example/accelerator.yaml"


def release(version: str, pythons: str, *wheels: str, source: str = BOTH_LISTS) -> str:
    listed = "".join(f"      - {wheel}\n" for wheel in wheels)
    return (
        f'  - version: "{version}"\n    date: 2026-01-01\n    python: [{pythons}]\n'
        f"    source: {source}\n    wheels:\n{listed}"
    )


def catalog_of(tree: Tree, *releases: str, hardware: str = "", rows: str = "") -> Catalog:
    """The example with these releases, newest first; with `rows`, it is a plugin."""
    files = dict(EXAMPLE) | {RELEASES: SOURCES + "".join(releases)}
    files[ACCELERATOR] += hardware
    files[COMPATIBILITY] = EXAMPLE[COMPATIBILITY].partition("rows:")[0] + (
        rows or 'rows:\n  - {torch: "1.9.0", source: made-up}\n'
    )
    if rows:
        before, _, options = EXAMPLE[INSTALL].partition("options:\n")
        files[INSTALL] = f"{before}options:\n{options[options.index('  - id: image') :]}"
    catalog, problems = load_catalog(tree(files))
    assert catalog is not None
    assert not problems, problems
    return catalog


def step(catalog: Catalog, before: str = "1.9.0", after: str = "1.10.0") -> UpgradeStep:
    return upgrade_step(catalog, catalog.by_id["example"], before, after)


def names(changes: tuple[SupportChange, ...]) -> set[tuple[str, ...]]:
    return {(change.subject, change.name, *change.systems) for change in changes}


def test_what_the_complete_lists_lack_leaves(tree: Tree) -> None:
    before = release("1.9.0", '"3.11", "3.12"', ON_PYPI, OLD, OLD_ON_WINDOWS)
    after = release(
        "1.10.0", '"3.12", "3.13"', ON_PYPI, "{variant: ex2, os: linux, arch: [aarch64]}"
    )
    found = step(catalog_of(tree, after, before))
    linux = ("python", "3.11")
    assert names(found.removed) == {
        ("system", "windows x86_64"),
        ("variant", "ex1"),
        linux,
    }
    assert names(found.new) == {("system", "linux aarch64"), ("python", "3.13")}
    assert found.unstated == ()
    (python,) = (change for change in found.removed if change.subject == "python")
    assert {f"{RELEASES}#pypi", f"{RELEASES}#matrix"} == {*python.sources}


def test_what_leaves_only_one_system_names_it(tree: Tree) -> None:
    without = '{variant: ex1, os: windows, arch: [x86_64], python: ["3.12"]}'
    before = release("1.9.0", '"3.11", "3.12"', ON_PYPI, OLD_ON_WINDOWS)
    after = release("1.10.0", '"3.11", "3.12"', ON_PYPI, without)
    found = step(catalog_of(tree, after, before))
    assert names(found.removed) == {("python", "3.11", "windows x86_64")}


def test_of_an_index_that_no_source_lists_nothing_leaves(tree: Tree) -> None:
    """Only the Python version that the release has nowhere does."""
    before = release("1.9.0", '"3.11", "3.12"', ON_PYPI, OLD, OLD_ON_WINDOWS)
    after = release("1.10.0", '"3.12"', ON_PYPI, source="pypi")
    found = step(catalog_of(tree, after, before))
    assert names(found.removed) == {("python", "3.11")}
    assert "variant" in found.unstated


def test_what_only_a_lock_file_names_neither_leaves_nor_is_new(tree: Tree) -> None:
    locked = release(
        "1.9.0", '"3.12"', ON_PYPI, LOCKED, "{variant: ex2, os: windows, arch: [x86_64]}"
    )
    plain = release("1.10.0", '"3.12"', ON_PYPI, "{variant: ex2, os: windows, arch: [x86_64]}")
    found = step(catalog_of(tree, plain, locked))
    assert (found.removed, found.new) == ((), ())


def test_what_a_later_release_has_again_does_not_leave(tree: Tree) -> None:
    """The list of the release between was not complete."""
    other = "{variant: ex2, os: windows, arch: [x86_64]}"
    between = release("1.10.0", '"3.12"', ON_PYPI, other)
    earliest = release("1.9.0", '"3.12"', ON_PYPI, OLD, other)
    again = release("1.11.0", '"3.12"', ON_PYPI, LOCKED, other)
    gone = step(catalog_of(tree, between, earliest))
    assert names(gone.removed) == {("variant", "ex1")}
    assert step(catalog_of(tree, again, between, earliest)).removed == ()


HARDWARE = """\
hardware:
  chip: Chip
  generations:
    - name: Old
      chip: c1
      builds: [{builds}]
      models: [{{name: A, source: made-up}}]
      source: made-up
"""


@pytest.mark.parametrize(
    ("builds", "leaves"),
    [
        ("{variants: [ex1], source: made-up}", True),
        ('{torch: "<1.10", source: made-up}', True),
        ("{source: made-up}", False),
        ('{torch: "==1.9.0", source: made-up}', False),
        ('{torch: "<1.10", uncertain: true, note: Unsure., source: made-up}', False),
    ],
)
def test_hardware_leaves_if_its_sources_say_where_support_ends(
    tree: Tree, builds: str, *, leaves: bool
) -> None:
    other = "{variant: ex2, os: windows, arch: [x86_64]}"
    before = release("1.9.0", '"3.12"', ON_PYPI, OLD, other)
    after = release("1.10.0", '"3.12"', ON_PYPI, other)
    found = step(catalog_of(tree, after, before, hardware=HARDWARE.format(builds=builds)))
    assert (("hardware", "Old (Chip c1)") in names(found.removed)) is leaves


TWO_RELEASES = (release("1.10.0", '"3.12"', ON_PYPI), release("1.9.0", '"3.12"', ON_PYPI))


def plugin_rows(after: str, source: str) -> str:
    return (
        "  used: {url: 'https://example.org/used', title: What one project used, read: 2026-01-02}\n"
        "rows:\n"
        f'  - {{torch: "1.10.0", plugin: "1.10.0", {after}, source: {source}}}\n'
        '  - {torch: "1.9.0", plugin: "1.9.0", python: ["3.11", "3.12"],'
        ' needs: {SDK: "2", Driver: "5"}, source: made-up}\n'
    )


def test_pythons_of_a_plugin_leave_if_one_source_states_both(tree: Tree) -> None:
    rows = plugin_rows('python: ["3.12"], needs: {SDK: "3"}', "made-up")
    found = step(catalog_of(tree, *TWO_RELEASES, rows=rows))
    assert names(found.removed) == {("python", "3.11")}
    assert [(c.name, c.before, c.after) for c in found.versions] == [
        ("torch-example", ("1.9.0",), ("1.10.0",)),
        ("SDK", ("2",), ("3",)),
        ("Driver", ("5",), ()),
    ]


def test_pythons_of_different_documents_are_shown_and_not_compared(tree: Tree) -> None:
    rows = plugin_rows('python: ["3.12"], needs: {SDK: "2", Driver: "5"}', "used")
    found = step(catalog_of(tree, *TWO_RELEASES, rows=rows))
    assert found.removed == ()
    assert [(c.subject, c.before, c.after) for c in found.versions] == [
        ("plugin", ("1.9.0",), ("1.10.0",)),
        ("python", ("3.11", "3.12"), ("3.12",)),
    ]


def test_a_plugin_without_a_version_for_the_newest_release_says_so(tree: Tree) -> None:
    rows = plugin_rows("python: ['3.12']", "made-up")
    newest = release("1.11.0", '"3.12"', ON_PYPI)
    catalog = catalog_of(tree, newest, *TWO_RELEASES, rows=rows)
    last, first = minor_steps(catalog, catalog.by_id["example"])
    assert (last.before, last.after, last.is_stated) == ("1.10.0", "1.11.0", False)
    assert (first.before, first.after, first.is_stated) == ("1.9.0", "1.10.0", True)


def test_a_release_is_compared_with_the_newest_of_an_earlier_minor_release(
    catalog: Catalog,
) -> None:
    for torch, before in [("2.14.1", "2.13.0"), ("2.14.0", "2.13.0"), ("2.13.0", "2.12.1")]:
        found = step_to(catalog, catalog.by_id["rocm"], torch)
        assert found is not None
        assert found.before == before
    assert step_to(catalog, catalog.by_id["rocm"], "2.4.1") is None


# Read in the sources: the files on PyPI (also in data/packages/torch.json), and PyTorch's build
# matrices of 2.8.0 and 2.9.1. The other CUDA and ROCm versions are those of data/releases.yaml.
REAL_STEPS = [
    ("cuda", "2.14.1", "2.15.0", {("python", "3.10")}),
    ("cuda", "2.11.0", "2.12.1", {("python", "3.13t"), ("variant", "cu128")}),
    ("cuda", "2.8.0", "2.9.1", {("python", "3.9")}),
    ("cuda", "2.7.1", "2.8.0", {("variant", "cu118")}),
    ("cuda", "2.12.1", "2.13.0", set()),  # CUDA 12.9 was in no list
    ("rocm", "2.14.1", "2.15.0", {("python", "3.10")}),
    ("rocm", "2.13.0", "2.14.1", {("variant", "rocm7.1")}),
    (
        "rocm",
        "2.9.1",
        "2.10.0",
        {
            ("variant", "rocm6.3"),
            ("variant", "rocm6.4"),
            ("hardware", "GCN5.1 (LLVM target gfx906)"),
            ("hardware", "GCN5.0 (LLVM target gfx900)"),
        },
    ),
    ("ascend", "2.8.0", "2.9.1", {("python", "3.9")}),
    ("enflame", "2.7.0", "2.10.0", set()),  # documents about one release each
    ("gaudi", "2.6.0", "2.7.1", {("hardware", "Gaudi (first generation)")}),
]


@pytest.mark.parametrize(("platform", "before", "after", "leaves"), REAL_STEPS)
def test_known_steps_come_out_right(
    frozen: Catalog, platform: str, before: str, after: str, leaves: set[tuple[str, str]]
) -> None:
    found = upgrade_step(frozen, frozen.by_id[platform], before, after)
    assert names(found.removed) == leaves


def test_the_build_on_pypi_and_what_wheels_need_are_named(frozen: Catalog) -> None:
    newest = upgrade_step(frozen, frozen.by_id["cuda"], "2.14.1", "2.15.0")
    assert ("pypi", "linux x86_64", ("cu130",), ("cu132",)) in {
        (c.subject, c.name, c.before, c.after) for c in newest.versions
    }
    macos = upgrade_step(frozen, frozen.by_id["cpu"], "2.11.0", "2.12.1")
    assert ("minimum", "macos aarch64", ("macOS 11.0",), ("macOS 14.0",)) in {
        (c.subject, c.name, c.before, c.after) for c in macos.versions
    }


def test_a_plugin_that_an_index_lacks_has_the_day_of_reading(frozen: Catalog) -> None:
    found = upgrade_step(frozen, frozen.by_id["ascend"], "2.14.0", "2.15.0")
    assert not found.is_stated
    assert found.read is not None
    assert found.read >= dt.date(2026, 11, 23)


def test_every_change_names_sources_of_the_catalog(catalog: Catalog) -> None:
    for platform in catalog.platforms:
        files = {platform.path(name): sources for name, sources in platform.sourced_files()}
        files[RELEASES] = catalog.releases.sources
        for found in minor_steps(catalog, platform):
            cited = [change.sources for change in (*found.removed, *found.new)]
            cited += [change.sources for change in found.versions]
            assert all(cited)
            for key in found.sources:
                file, _, name = key.partition("#")
                assert name in files[file]
