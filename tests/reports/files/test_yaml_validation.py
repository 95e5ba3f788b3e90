from __future__ import annotations

from pathlib import Path

import pytest

from accelerator_reports.files.fields import Line, StrictModel
from accelerator_reports.files.problem import Fix, Problem
from accelerator_reports.files.yaml_file import parse_yaml, validate
from tests.folders import EXAMPLE, INSTALL, SELECTOR, ProblemsAfter, Tree, problems_in
from tests.problem_tables import Case, cases

SEE = "see the format reference"


class Host(StrictModel):
    """A part of a made-up file."""

    host: str
    owner: Line


TABLE = Path(__file__).with_name("values.yaml")


@pytest.mark.parametrize("case", cases(TABLE))
def test_a_fault_is_named_with_its_line_and_what_would_be_right(case: Case, tree: Tree) -> None:
    case.assert_said(problems_in(tree(case.files)))


@pytest.mark.parametrize(
    ("owner", "fix"), [("no", Fix("no", '"no"')), ("~", None), ("null", None), ("[a]", None)]
)
def test_a_fix_puts_a_text_in_quotes_and_no_missing_value(owner: str, fix: Fix | None) -> None:
    file, _ = parse_yaml("a.yaml", f"host: example.org\nowner: {owner}\n")
    assert file
    (problem,) = validate(Host, file)[1]
    assert problem.fix == fix


@pytest.mark.parametrize(
    ("old", "new", "written"),
    [
        ("methods: [pip, uv]", "methods: pip", "[pip]"),
        ("methods: [pip, uv]", "methods: pip, uv", "[pip, uv]"),
        ("arch: [x86_64]", "arch: x86_64, aarch64", "[x86_64, aarch64]"),
        ("arch: [x86_64]", "python: 3.12\n    arch: [x86_64]", '["3.12"]'),
        ("os: [linux]\n    arch", "python: '3.12,3.13t'\n    arch", '["3.12", "3.13t"]'),
        (
            'packages: ["torch=={torch}"]',
            "packages: 'torch==1.10.0,!=1.9'",
            '["torch==1.10.0,!=1.9"]',
        ),
        ('torch: ">=1.10"', 'torch: "1.10.0"', '"==1.10.0"'),
    ],
)
def test_the_fix_that_a_message_states_is_valid(
    old: str, new: str, written: str, problems_after: ProblemsAfter
) -> None:
    (problem,) = problems_after((INSTALL, old, new))
    assert f"; write {written}" in problem
    value = new.split("\n", maxsplit=1)[0].partition(": ")[2]
    fixed = new.replace(value, written, 1)
    assert not any("expected" in p or "not a v" in p for p in problems_after((INSTALL, old, fixed)))


def test_a_list_that_would_be_wrong_too_is_not_suggested(problems_after: ProblemsAfter) -> None:
    (problem,) = problems_after(
        (INSTALL, "arch: [x86_64]", 'arch: [x86_64]\n    python: ">=3.9,<3.13"')
    )
    told = 'expected a list; write a list; in each entry, use a format like "3.13", or "3.13t"'
    assert problem.endswith(told)


@pytest.mark.parametrize("code", [f"print({'-' * 3000}1)", f"print({'+'.join('1' * 1500)})"])
def test_a_check_is_nested_as_deep_as_python_can_parse(
    code: str, problems_after: ProblemsAfter
) -> None:
    assert problems_after(
        (INSTALL, "print(torch.ones(1, 1).mm(torch.ones(1, 1)).item())", code)
    ) == [f"{INSTALL}:14: checks.python.code: Python cannot parse this code; reduce the nesting"]


@pytest.mark.parametrize("text", ["- a\n- b\n", "just words\n", "3\n", "[]\n", "~\n"])
def test_a_file_of_another_shape_is_told_so(text: str, problems_after: ProblemsAfter) -> None:
    found = problems_after((SELECTOR, EXAMPLE[SELECTOR], text))
    assert found == [f"{SELECTOR}:1: the file: expected a mapping (key: value); {SEE}"]


@pytest.mark.parametrize("path", ["::error::x.json", " ::error::x", "##[error]x", "a##[add-mask]b"])
def test_what_is_told_of_a_file_is_no_command_of_a_workflow(path: str) -> None:
    for told in (str(Problem(path, 1, path, path)), Problem(path, 1, path, path).words):
        assert not told.lstrip().startswith("::")
        assert "##[" not in told
