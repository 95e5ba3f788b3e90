from __future__ import annotations

import datetime as dt

import pytest

from tests.checks.rules.test_known_issues import FILE, ISSUE, problems
from tests.day import TODAY
from tests.folders import Tree

TOMORROW = TODAY + dt.timedelta(days=1)
LATER = ISSUE.replace("2099-05-01", TOMORROW.isoformat())
GLOB = LATER.replace("test:", "glob:")


def test_an_issue_expires_on_its_day(tree: Tree) -> None:
    assert problems(tree, LATER) == []
    assert problems(tree, LATER.replace(TOMORROW.isoformat(), TODAY.isoformat())) == [
        (
            f"{FILE}:2: the known issue expired on {TODAY}; remove it, or set a later date if "
            "the test still fails"
        )
    ]


@pytest.mark.parametrize(
    ("issue", "words"),
    [
        (LATER.replace("alpha", "alhpa"),
         'the suite "timm" has no test "alhpa"; did you mean "alpha"?'),
        (LATER.replace("alpha", "alhpa?dtype=float32"),
         'the suite "timm" has no test "alhpa"; did you mean "alpha"?'),
        (GLOB.replace("alpha", "beta*"),
         'no test of the suite "timm" matches "timm/beta*"; correct the pattern, or remove it'),
    ],
)  # fmt: skip
def test_a_test_that_no_suite_has_is_named(issue: str, words: str, tree: Tree) -> None:
    assert problems(tree, issue) == [f"{FILE}:2: {words}"]


@pytest.mark.parametrize("name", ["al*", "alph?", "alpha?dtype=*", "*?dtype=float32"])
def test_a_pattern_that_some_test_may_match_is_not(name: str, tree: Tree) -> None:
    assert problems(tree, GLOB.replace("alpha", name)) == []
