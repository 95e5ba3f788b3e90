from __future__ import annotations

from tests.folders import EXAMPLE, Tree, problems_in

FILE = "data/feature-tests.yaml"
SUITE = """\
sources: {a: {url: "https://example.org", title: A, read: 2026-01-02}}
title: Made up
kind: unit
description: Made up.
url: https://example.org
source: [a]
tests: [alpha-7b, org/Alpha-8B]
"""


def features(*names: str) -> dict[str, str]:
    listed = ", ".join(f'"{name}"' for name in names)
    text = f"features:\n  amp:\n    - names: [{listed}]\n"
    return {**EXAMPLE, FILE: text, "data/suites/made-up.yaml": SUITE}


def test_patterns_that_match_are_fine(tree: Tree) -> None:
    assert problems_in(tree(features("made-up/alpha*", "*/org/*", "pytorch-tests/*"))) == []


def test_a_pattern_without_a_test_is_named(tree: Tree) -> None:
    (problem,) = problems_in(tree(features("made-up/alpha*", "made-up/alhpa*")))
    assert problem == (
        f'{FILE}:3: no test of a suite matches "made-up/alhpa*"; correct it or remove it'
    )


def test_without_suites_nothing_is_said(tree: Tree) -> None:
    files = features("made-up/beta")
    del files["data/suites/made-up.yaml"]
    assert problems_in(tree(files)) == []
