from __future__ import annotations

import pytest

from tests.folders import ACCELERATOR, EXAMPLE, Tree, problems_in

FILE = "accelerators/example/known-issues.yaml"
ISSUE = (
    '  - {test: "timm/alpha", action: expect, reason: It breaks., url: "https://example.org/1", '
    "expires: 2099-05-01}\n"
)
SUITE = """\
sources: {a: {url: "https://example.org", title: A, read: 2026-01-02}}
title: Made up
kind: model
description: Made up.
url: https://example.org
source: [a]
tests: [alpha]
"""


def problems(tree: Tree, *issues: str) -> list[str]:
    files = {**EXAMPLE, FILE: "issues:\n" + "".join(issues), "data/suites/timm.yaml": SUITE}
    return problems_in(tree(files))


@pytest.mark.parametrize(
    ("issues", "expected"),
    [
        ([ISSUE], []),
        ([ISSUE.replace("test:", "glob:").replace("alpha", "*")], []),
        ([ISSUE.replace("timm/alpha", "pytorch-tests/test_torch.TestTorch::test_item")], []),
        ([ISSUE, ISSUE], ['3: "timm/alpha" is listed twice; remove one of the two']),
        ([ISSUE.replace("timm/", "tim/")],
         ['2: there is no suite "tim"; did you mean "timm"?']),
        ([ISSUE.replace("{test:", '{glob: "*", test:')],
         ["2: issues[1]: a known issue needs either test or glob; set exactly one of the two"]),
        ([ISSUE.replace(", expires: 2099-05-01", "")],
         ['2: "expires" is missing; add issues[1].expires']),
        ([ISSUE.replace("expect", "ignore")],
         ['2: issues[1].action: "ignore" is not known; use "skip" or "expect"']),
    ],
)  # fmt: skip
def test_known_issues_name_tests_that_can_be_found(
    issues: list[str], expected: list[str], tree: Tree
) -> None:
    assert problems(tree, *issues) == [f"{FILE}:{words}" for words in expected]


def test_a_key_that_cannot_be_read_is_named(tree: Tree) -> None:
    (found,) = problems(tree, ISSUE.replace("timm/alpha", "alpha"))
    assert found.startswith(f"{FILE}:2: ")
    assert found.endswith("; use suite/name or suite/name?dtype=float32")


@pytest.mark.parametrize("key", ["example/new/alpha", "example%2Fnew/alpha", "example/new/*"])
def test_an_alias_of_a_suite_matches_nothing_and_is_named(key: str, tree: Tree) -> None:
    suite = (
        'suites: [{name: example/old, title: A, url: "https://example.org", '
        "aliases: [example/new]}]"
    )
    accelerator = EXAMPLE[ACCELERATOR].replace("name: Example\n", f"name: Example\n{suite}\n")
    kind = "glob" if "*" in key else "test"
    issue = ISSUE.replace("test:", f"{kind}:").replace("timm/alpha", key)
    files = {**EXAMPLE, ACCELERATOR: accelerator, FILE: f"issues:\n{issue}"}
    what = '"example/new" is an alias, so the issue matches no test; write "example/old"'
    assert problems_in(tree(files)) == [f"{FILE}:2: {what}"]
