from __future__ import annotations

import pytest

from tests.folders import ACCELERATOR, EXAMPLE, Tree, edited, problems_in


def beside_the_example(folder: str, name: str, package: str) -> dict[str, str]:
    """The example, a plugin, and a second plugin."""
    first = edited((ACCELERATOR, "in-tree", "out-of-tree"))
    second = edited(
        (ACCELERATOR, "name: Example\n", f"name: {name}\n"),
        (ACCELERATOR, "torch-example", package),
        (ACCELERATOR, "in-tree", "out-of-tree"),
    )
    return first | {
        path.replace("/example/", f"/{folder}/"): text
        for path, text in second.items()
        if path.startswith("accelerators/")
    }


@pytest.mark.parametrize(
    ("folder", "name", "alike"),
    [
        ("other", "Examp1e", True),
        ("other", "EXAMPIE", True),
        ("other", "Exam ple", True),
        ("examp1e", "Other", True),
        ("ex-ample", "Other", True),
        ("other", "Exämple", True),
        ("other", "Examples", False),
    ],
)
def test_a_name_like_anothers_is_named(folder: str, name: str, alike: bool, tree: Tree) -> None:  # noqa: FBT001 - a table
    files = beside_the_example(folder, name, "torch-another")
    found = [p for p in problems_in(tree(files)) if "looks like" in p]
    assert bool(found) is alike, found
    assert all(': "' in p.partition("looks like")[0] for p in found)  # the name is quoted


@pytest.mark.parametrize("package", ["torch-exarnple", "torch-examp1e", "Torch_Examp1e"])
def test_a_package_like_anothers_is_named(package: str, tree: Tree) -> None:
    (found,) = problems_in(tree(beside_the_example("other", "Other", package)))
    normalized = package.lower().replace("_", "-")
    assert found == (
        f'accelerators/other/accelerator.yaml:14: "{normalized}" looks like "torch-example" of '
        f"{ACCELERATOR}; choose another name"
    )


def test_a_package_of_ones_own_is_no_problem(tree: Tree) -> None:
    assert problems_in(tree(beside_the_example("other", "Other", "torch-another"))) == []
    assert problems_in(tree(EXAMPLE)) == []
