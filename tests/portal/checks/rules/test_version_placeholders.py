from __future__ import annotations

from pathlib import Path

import pytest

from accelerator_portal.checks import load_and_check
from tests.day import TODAY
from tests.folders import FAQ, GUIDE, Tree, edited

WHAT = 'no version is known for the placeholder "{}"'


def problems(root: Path) -> list[str]:
    return [f"{p.path}:{p.line}: {p.what}" for p in load_and_check(root, TODAY)[1]]


@pytest.mark.parametrize(
    "name", ["{newest:torch}", "{newest:torch+ex1}", "{newest:torch+ex1+ex2}", "{other:torch}"]
)
def test_a_placeholder_for_a_known_version_is_fine(name: str, tree: Tree) -> None:
    assert problems(tree(edited((FAQ, "No, it", f"No, `torch=={name}`, it")))) == []


@pytest.mark.parametrize(
    "name", ["{newest:nothing}", "{newest:torch+ex9}", "{newest: torch}", "{newest:torch"]
)
def test_any_other_is_named_with_its_line(name: str, tree: Tree) -> None:
    root = tree(edited((GUIDE, "This is", f"One\n{name} is")))
    assert problems(root) == [f"{GUIDE}:12: {WHAT.format(name.split(maxsplit=1)[0])}"]
