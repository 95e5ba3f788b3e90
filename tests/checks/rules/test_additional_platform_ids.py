from __future__ import annotations

import pytest

from tests.checks.rules.test_duplicate_names import SECOND, with_a_second
from tests.folders import ACCELERATOR, EXAMPLE, Tree, problems_in


def with_ids(first: str, second: str) -> dict[str, str]:
    """Two folders, `example` and `zweite`, with the ids that pytorch.org lists them under."""
    files = with_a_second("Other", "torch-other", "out-of-tree")
    for path, listed in ((ACCELERATOR, first), (SECOND, second)):
        if listed:
            files[path] += f"additional_platform: {{id: {listed}, source: made-up}}\n"
    return files


def claimed(path: str, line: int, name: str, owner: str) -> str:
    return (
        f'{path}:{line}: the id "{name}" is already claimed by {owner}; '
        "use a different one, or merge the two folders"
    )


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("", "", []),
        ("example", "", []),
        ("ex_npu", "other_npu", []),
        ("ex_npu", "ex_npu", [claimed(SECOND, 17, "ex_npu", ACCELERATOR)]),
        ("ex_npu", "ex-npu", [claimed(SECOND, 17, "ex-npu", ACCELERATOR)]),
        ("zweite", "", [claimed(ACCELERATOR, 17, "zweite", SECOND)]),
        ("", "example", [claimed(SECOND, 17, "example", ACCELERATOR)]),
        (
            "zweite",
            "example",
            [
                claimed(ACCELERATOR, 17, "zweite", SECOND),
                claimed(SECOND, 17, "example", ACCELERATOR),
            ],
        ),
    ],
)
def test_an_id_on_pytorch_org_stands_for_one_folder(
    first: str, second: str, expected: list[str], tree: Tree
) -> None:
    assert problems_in(tree(with_ids(first, second))) == expected


def test_an_id_is_one_that_pytorch_org_could_have(tree: Tree) -> None:
    text = f"{EXAMPLE[ACCELERATOR]}additional_platform: {{id: Ex NPU, source: made-up}}\n"
    (problem,) = problems_in(tree({**EXAMPLE, ACCELERATOR: text}))
    assert problem.startswith(f"{ACCELERATOR}:17: ")


@pytest.mark.parametrize("name", ["Ascend", "a b", "a__b", "1a", "_a"])
def test_what_is_no_id_is_told_with_the_form(name: str, tree: Tree) -> None:
    (told,) = problems_in(tree(with_ids(f'"{name}"', "")))
    assert f'additional_platform.id: "{name}" has an invalid format; use lowercase' in told
