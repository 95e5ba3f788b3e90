from __future__ import annotations

import pytest

from accelerator_portal.checks import load_and_check
from accelerator_portal.checks.fixing import fixed_files
from tests.day import TODAY
from tests.folders import ACCELERATOR, COMPATIBILITY, INSTALL, Edit, ProblemsAfter, Tree, edited

EDITS: tuple[Edit, ...] = (
    (ACCELERATOR, "value: in-tree", "value: out-of-tree"),
    (COMPATIBILITY, '"1.10.0", variant: ex2', '"1.10.0", plugin: "1.10.0.post4", variant: ex2'),
    (COMPATIBILITY, '"1.9.1", variant: ex1', '"1.9.1", plugin: "1.9.1", variant: ex1'),
)


def pinned(package: str) -> Edit:
    return (INSTALL, "packages: [torch]", f"packages: [torch, {package}]")


def test_a_pin_of_which_only_a_post_release_exists_can_be_mended(tree: Tree) -> None:
    root = tree(edited(*EDITS, pinned("torch-example==1.10.0")))
    _, problems = load_and_check(root, TODAY)
    (problem,) = problems
    assert str(problem) == (
        f'{INSTALL}:33: "torch-example==1.10.0" is none of the versions in compatibility.yaml; '
        "write ==1.10.0.post4: in PEP 440 ==1.10.0 does not admit it"
    )
    texts, _ = fixed_files(root, problems)
    (root / INSTALL).write_text(texts[root / INSTALL], "utf-8")
    assert load_and_check(root, TODAY)[1] == []


@pytest.mark.parametrize(
    "package",
    [
        "torch-example==1.10.0.post4",
        "torch-example==1.10.*",
        "torch-example==1.9.1+local",
        "torch_example",
        "Torch.Example>=1",
        "other==7",
    ],
)
def test_what_a_row_has_and_what_pins_nothing_is_fine(
    package: str, problems_after: ProblemsAfter
) -> None:
    assert problems_after(*EDITS, pinned(package)) == []


def test_a_version_that_nobody_knows_is_named(problems_after: ProblemsAfter) -> None:
    (problem,) = problems_after(*EDITS, pinned("Torch_Example==7"))
    assert problem.endswith("add its row, or use one of 1.10.0.post4, 1.9.1")


def test_in_tree_platforms_have_no_plugin(problems_after: ProblemsAfter) -> None:
    assert problems_after(*EDITS[1:], pinned("torch-example==7")) == []
