from __future__ import annotations

import pytest

from accelerator_portal.catalog import load_catalog
from accelerator_portal.checks import load_and_check
from accelerator_portal.checks.rule import fixed_files
from accelerator_portal.checks.rules.install_options import pinned_versions
from accelerator_reports.files.problem import Fix
from tests.day import TODAY
from tests.folders import ACCELERATOR, COMPATIBILITY, EXAMPLE, INSTALL, Edit, Tree, edited

EDITS: tuple[Edit, ...] = (
    (ACCELERATOR, "value: in-tree", "value: out-of-tree"),
    (COMPATIBILITY, '"1.10.0", variant: ex2', '"1.10.0", plugin: "1.10.0.post4", variant: ex2'),
    (COMPATIBILITY, '"1.9.1", variant: ex1', '"1.9.1", plugin: "1.9.1", variant: ex1'),
)


def pinned(package: str) -> Edit:
    return (INSTALL, "packages: [torch]", f"packages: [torch, {package}]")


def plugin_row(torch: str, variant: str, plugin: str) -> Edit:
    start, end = f'"{torch}", ', f"variant: {variant}"
    return (COMPATIBILITY, start + end, f'{start}plugin: "{plugin}", {end}')


def test_a_pin_of_which_only_a_post_release_exists_can_be_mended(tree: Tree) -> None:
    root = tree(edited(*EDITS, pinned("torch-example==1.10.0")))
    _, problems = load_and_check(root, TODAY)
    (problem,) = problems
    assert str(problem) == (
        f'{INSTALL}:33: "torch-example==1.10.0" is not a version in compatibility.yaml; '
        "write ==1.10.0.post4: in PEP 440 ==1.10.0 does not match it"
    )
    texts, _ = fixed_files(root, problems)
    (root / INSTALL).write_text(texts[root / INSTALL], "utf-8")
    assert load_and_check(root, TODAY)[1] == []


@pytest.mark.parametrize(
    ("versions", "pin", "written"),
    [
        (("1.10.0.post4", "1.10.0.post1"), "1.10.0", "1.10.0.post4"),
        (("1.10.0.post1", "1.10.0.post4"), "1.10.0", "1.10.0.post4"),
        (("1.10.0rc1", "1.9.1"), "1.10.0", "1.10.0rc1"),
        (("1.10.0rc1.post2", "1.9.1"), "1.10.0rc1", "1.10.0rc1.post2"),
        (("1.10.0.post4", "1.11.0"), "1.10.0", "1.10.0.post4"),  # newer, but of another release
    ],
)
def test_the_newest_version_of_the_release_that_a_pin_means_is_proposed(
    versions: tuple[str, str], pin: str, written: str, tree: Tree
) -> None:
    """The order of the rows is another rule's."""
    rows = (plugin_row("1.10.0", "ex2", versions[0]), plugin_row("1.9.1", "ex1", versions[1]))
    catalog, _ = load_catalog(tree(edited(EDITS[0], *rows, pinned(f"torch-example=={pin}"))))
    assert catalog is not None
    (problem,) = pinned_versions.check(catalog, TODAY)
    assert problem.remedy == f"write =={written}: in PEP 440 =={pin} does not match it"
    assert problem.fix == Fix(f"=={pin}", f"=={written}")


def test_without_a_version_of_that_release_the_newest_five_rows_are_named(tree: Tree) -> None:
    rows = [
        f'  - {{torch: "1.9.1", plugin: "1.{n}.0", source: made-up}}\n' for n in range(7, 0, -1)
    ]
    listed = (COMPATIBILITY, EXAMPLE[COMPATIBILITY].partition("rows:\n")[2], "".join(rows))
    catalog, _ = load_catalog(tree(edited(EDITS[0], listed, pinned("torch-example===1.70.0"))))
    assert catalog is not None
    (problem,) = pinned_versions.check(catalog, TODAY)
    assert problem.remedy == "add the version, or use one of 1.7.0, 1.6.0, 1.5.0, 1.4.0, 1.3.0"
    assert problem.fix is None


@pytest.mark.parametrize("package", ["torch-example=={plugin}", "torch-example=="])
def test_a_placeholder_and_what_is_no_requirement_are_passed_over(package: str, tree: Tree) -> None:
    catalog, _ = load_catalog(tree(edited(*EDITS, pinned(f'"{package}"'))))
    assert catalog is not None
    assert list(pinned_versions.check(catalog, TODAY)) == []
