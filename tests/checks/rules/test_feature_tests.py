from __future__ import annotations

from tests.checks.rules.test_model_families import SUITE
from tests.folders import EXAMPLE, Tree, problems_in

FILE = "data/feature-tests.yaml"


def features(*names: str) -> dict[str, str]:
    listed = ", ".join(f'"{name}"' for name in names)
    text = f"features:\n  amp:\n    - names: [{listed}]\n"
    suite = SUITE.replace("KIND", "unit")
    return {**EXAMPLE, FILE: text, "data/suites/made-up.yaml": suite}


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
