from __future__ import annotations

from typing import Any

import pytest
import yaml

from accelerator_portal.vendors.derived_files import CODEOWNERS, PLUGIN_MODULES, derived_files
from accelerator_reports.files.problem import ProblemsError
from tests.folders import ACCELERATOR, EXAMPLE, FORMS, Tree, edited, loaded

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
    root = tree({**files, **FORMS})
    return derived_files(root, loaded(root))


def owned(text: str) -> list[str]:
    return [line for line in text.splitlines() if not line.startswith("#")]


def test_the_maintainers_own_their_folder_each_once(tree: Tree) -> None:
    files = written(tree, maintainers=MAINTAINERS)
    assert owned(files[CODEOWNERS]) == ["/accelerators/example/ @made-up @Second"]


def test_a_folder_that_names_nobody_has_no_owner(tree: Tree) -> None:
    text = written(tree)[CODEOWNERS]
    assert owned(text) == []
    assert "accelerator-portal owners" in text


def test_a_device_type_has_the_modules_of_all_its_plugins(tree: Tree) -> None:
    root = tree({**EXAMPLE, **FORMS})
    platform = loaded(root).platforms[0].accelerator
    assert yaml.safe_load(derived_files(root, loaded(root))[PLUGIN_MODULES]) == {
        platform.device.value: [platform.package.module]
    }


@pytest.mark.parametrize("name", ["Example", '"Yes: \\"no\\" - # [x]"', "'2.10'", "カード"])
def test_the_forms_list_every_platform(name: str, tree: Tree) -> None:
    files = written(tree, name=name)
    shown = yaml.safe_load(f"a: {name}")["a"]
    assert platforms(files[COMMAND]) == [f"{shown} (example)"]
    assert platforms(files[FACT]) == [f"{shown} (example)", "Another page"]


def test_everything_else_in_the_forms_stays(tree: Tree) -> None:
    files = written(tree)
    for path, form in FORMS.items():
        added, removed = (
            lines_of(files[path]) - lines_of(form),
            lines_of(form) - lines_of(files[path]),
        )
        assert added == {'        - "Example (example)"'}
        assert all(line.startswith('        - "') for line in removed)


def lines_of(text: str) -> set[str]:
    return set(text.splitlines())


FORM = FORMS[FACT]
WITHOUT_OPTIONS = """\
body:
  - type: dropdown
    id: platform
    attributes:
      label: Platform
  - type: dropdown
    id: other
    attributes:
      options:
        - "Other"
"""


@pytest.mark.parametrize(
    ("form", "problem"),
    [
        (None, "file not found; restore the form"),
        (b"\xff", "byte 0xff is not UTF-8; restore the form"),
        (WITHOUT_OPTIONS, "the form has no dropdown with the id platform and a list of options"),
        (
            FORM.replace("id: platform", "id: place"),
            "the form has no dropdown with the id platform",
        ),
    ],
)
def test_a_form_that_cannot_list_platforms_is_a_problem(
    form: str | bytes | None, problem: str, tree: Tree
) -> None:
    files = {path: text for path, text in {**EXAMPLE, **FORMS, FACT: form}.items() if text}
    root = tree(files)
    with pytest.raises(ProblemsError) as raised:
        derived_files(root, loaded(root))
    assert str(raised.value).startswith(f"{FACT}:1: {problem}")
    assert str(raised.value).endswith("from the history of the repository")
