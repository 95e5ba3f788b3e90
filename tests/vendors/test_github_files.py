from __future__ import annotations

from typing import Any

import pytest
import yaml

from accelerator_portal.vendors.github_files import CODEOWNERS, github_files
from tests.folders import ACCELERATOR, Tree, edited, loaded

FACT, COMMAND = ".github/ISSUE_TEMPLATE/wrong-fact.yml", ".github/ISSUE_TEMPLATE/command-fails.yml"

MAINTAINERS = """\
maintainers:
  - {name: Made Up, github: made-up, source: made-up}
  - {github: Second, source: made-up}
  - {name: The same again, github: made-up, source: made-up}
"""


def platforms(form: str) -> list[Any]:
    (dropdown,) = (item for item in yaml.safe_load(form)["body"] if item.get("id") == "platform")
    options: list[Any] = dropdown["attributes"]["options"]
    return options


def written(tree: Tree, *, maintainers: str = "", name: str = "Example") -> dict[str, str]:
    edits = ((ACCELERATOR, "support:\n", f"{maintainers}support:\n"),)
    files = edited(*edits, files=edited((ACCELERATOR, "name: Example\n", f"name: {name}\n")))
    return github_files(loaded(tree(files)))


def owned(text: str) -> list[str]:
    return [line for line in text.splitlines() if not line.startswith("#")]


def test_the_maintainers_own_their_folder_each_once(tree: Tree) -> None:
    files = written(tree, maintainers=MAINTAINERS)
    assert owned(files[CODEOWNERS]) == ["/accelerators/example/ @made-up @Second"]


def test_a_folder_that_names_nobody_has_no_owner(tree: Tree) -> None:
    text = written(tree)[CODEOWNERS]
    assert owned(text) == []
    assert "accelerator-portal owners" in text


@pytest.mark.parametrize("name", ["Example", '"Yes: \\"no\\" - # [x]"', "'2.10'", "カード"])
def test_the_forms_list_every_platform(name: str, tree: Tree) -> None:
    files = written(tree, name=name)
    shown = yaml.safe_load(f"a: {name}")["a"]
    assert platforms(files[COMMAND]) == [f"{shown} (example)"]
    assert platforms(files[FACT]) == [f"{shown} (example)", "Another page"]
