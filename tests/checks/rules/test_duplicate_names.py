from __future__ import annotations

import pytest

from tests.folders import ACCELERATOR, EXAMPLE, Tree, edited, problems_in

SECOND = "accelerators/zweite/accelerator.yaml"


def with_a_second(name: str, package: str, integration: str) -> dict[str, str]:
    """The example repository with a second folder beside the first, a plugin as well."""
    first = edited((ACCELERATOR, "in-tree", "out-of-tree"))
    second = edited(
        (ACCELERATOR, "name: Example\n", f"name: {name}\n"),
        (ACCELERATOR, "torch-example", package),
        (ACCELERATOR, "in-tree", integration),
    )
    return first | {
        path.replace("example", "zweite", 1): text
        for path, text in second.items()
        if path not in {"data/releases.yaml", "data/selector.yaml"}
    }


NAME = (
    f'{SECOND}:6: the name "example" is already claimed by {ACCELERATOR}; '
    "use a different one, or merge the two folders"
)
PACKAGE = (
    f'{SECOND}:14: the package "torch-example" is already claimed by {ACCELERATOR}; '
    "use a different one, or merge the two folders; "
    "if the vendors share the package name, set package.shared_name in both"
)


@pytest.mark.parametrize(
    ("name", "package", "integration", "expected"),
    [
        ("Other", "torch-other", "out-of-tree", []),
        ("EXAMPLE", "torch-other", "out-of-tree", [NAME]),
        ("Other", "torch-example", "out-of-tree", [PACKAGE]),
        ("Other", "Torch_Example", "out-of-tree", [PACKAGE]),
        ("example", "torch.example", "out-of-tree", [NAME, PACKAGE]),
        ("Other", "torch-example", "in-tree", []),
    ],
)
def test_a_name_and_a_plugins_package_have_one_owner(
    name: str, package: str, integration: str, expected: list[str], tree: Tree
) -> None:
    assert problems_in(tree(with_a_second(name, package, integration))) == expected


def test_alone_nobody_is_a_double(tree: Tree) -> None:
    assert problems_in(tree(EXAMPLE)) == []


MADE_UP = "import: torch_example, source: made-up"
SHARED = f"{MADE_UP}, shared_name: true, note: The wheel with +example is this one."


@pytest.mark.parametrize(
    ("sharing", "expected"),
    [
        ((ACCELERATOR, SECOND), []),
        ((ACCELERATOR,), [PACKAGE]),
        ((SECOND,), [PACKAGE]),
    ],
)
def test_vendors_share_a_package_name_where_each_says_so(
    sharing: tuple[str, ...], expected: list[str], tree: Tree
) -> None:
    files = with_a_second("Other", "torch-example", "out-of-tree")
    for path in sharing:
        files[path] = files[path].replace(MADE_UP, SHARED, 1)
    assert problems_in(tree(files)) == expected


def test_who_shares_a_name_says_how_to_tell_the_packages_apart(tree: Tree) -> None:
    silent = edited((ACCELERATOR, MADE_UP, f"{MADE_UP}, shared_name: true"))
    (problem,) = problems_in(tree(silent))
    assert "shared_name needs a note on how to distinguish the packages; add a note" in problem
