from __future__ import annotations

from tests.folders import EXAMPLE, Tree, problems_in

FILE = "data/model-families.yaml"
SUITE = """\
sources: {a: {url: "https://example.org", title: A, read: 2026-01-02}}
title: Made up
kind: KIND
description: Made up.
url: https://example.org
source: [a]
tests: [alpha-7b, org/Alpha-8B]
"""


def families(*names: str, kind: str = "model", others: str = "") -> dict[str, str]:
    listed = ", ".join(f'"{name}"' for name in names)
    text = f"families:\n  - id: alpha\n    title: Alpha\n    names: [{listed}]\n{others}"
    return {**EXAMPLE, FILE: text, "data/suites/made-up.yaml": SUITE.replace("KIND", kind)}


def test_patterns_that_match_are_fine(tree: Tree) -> None:
    assert problems_in(tree(families("*/alpha*", "made-up/org/alpha*"))) == []


def test_a_misspelt_pattern_is_named(tree: Tree) -> None:
    (problem,) = problems_in(tree(families("*/alpha*", "*/alhpa*")))
    assert problem == (
        f'{FILE}:4: no test of a model suite matches "*/alhpa*"; correct it or remove it'
    )


def test_a_family_without_any_test_may_stand_there(tree: Tree) -> None:
    assert problems_in(tree(families("*/beta*", "*/beta-*"))) == []


def test_tests_of_other_suites_are_no_models(tree: Tree) -> None:
    found = families("*/alpha*", "made-up/org*", kind="operator")
    assert problems_in(tree(found)) == []  # none matches: the family waits for its first test


def test_a_pattern_without_a_suite_is_named(tree: Tree) -> None:
    (problem,) = problems_in(tree(families("alpha*")))
    assert (
        problem
        == f'{FILE}:4: the pattern "alpha*" names no suite; write "*/alpha*" for every suite'
    )


def test_an_id_stands_once(tree: Tree) -> None:
    again = '  - id: alpha\n    title: Again\n    names: ["*/alpha*"]\n'
    (problem,) = problems_in(tree(families("*/alpha*", others=again)))
    assert problem == f'{FILE}:5: the family "alpha" is listed twice; merge the two'
