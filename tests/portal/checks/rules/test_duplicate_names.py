from __future__ import annotations

import pytest

from tests.folders import ACCELERATOR, Tree, edited, problems_in

SECOND = "accelerators/zweite/accelerator.yaml"
OWN = "import: torch_example, source: made-up"
SHARED = f"{OWN}, shared_name: true, note: The wheel with +example is this one."


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
        if path.startswith("accelerators/")
    }


@pytest.mark.parametrize("sharing", [(ACCELERATOR, SECOND), (ACCELERATOR,), (SECOND,)])
def test_vendors_share_a_package_name_where_each_says_so(
    sharing: tuple[str, ...], tree: Tree
) -> None:
    files = with_a_second("Other", "torch-example", "out-of-tree")
    for path in sharing:
        files[path] = files[path].replace(OWN, SHARED, 1)
    found = problems_in(tree(files))
    assert len(found) == (0 if len(sharing) == 2 else 1)
    assert all("set package.shared_name in both" in problem for problem in found)
