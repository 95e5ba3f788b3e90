from __future__ import annotations

import pytest

from tests.checks.rules.test_known_issues import SUITE
from tests.folders import EXAMPLE, Tree, problems_in

FILE = "accelerators/example/validation.yaml"
GOOD = """\
suites:
  timm:
    timeout_s: 900
    tolerances:
      bfloat16: {rtol: 0.06, atol: 0.05, reason: Products are summed in bfloat16.}
    axes:
      dtype: {only: [float32, bfloat16], reason: It has no float16., url: "https://example.org/1"}
deploy:
  - id: from-source
    title: From the sources
    script: |
      make
    check: python
"""


def problems(tree: Tree, text: str) -> list[str]:
    return problems_in(tree({**EXAMPLE, FILE: text, "data/suites/timm.yaml": SUITE}))


TWICE = GOOD + GOOD.partition("deploy:\n")[2]
EITHER = "a recipe needs either a script or a container; set exactly one of the two"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (GOOD, []),
        (GOOD.replace("  timm:", "  tim:"),
         ['2: there is no suite "tim"; did you mean "timm"?']),
        (GOOD.replace("check: python", "check: pyton"),
         ['13: install.yaml has no check "pyton"; did you mean "python"?']),
        (TWICE, ['14: the recipe "from-source" is listed twice; use a unique ID for each']),
        (GOOD.replace("rtol: 0.06, ", ""),
         ['5: "rtol" is missing; add suites.timm.tolerances.bfloat16.rtol']),
        (GOOD.replace("    script: |\n      make\n", ""), [f"9: deploy[1]: {EITHER}"]),
        (GOOD.replace("timeout_s", "timeout"),
         ['3: unknown key "timeout"; did you mean "timeout_s"?']),
    ],
)  # fmt: skip
def test_settings_name_what_there_is(text: str, expected: list[str], tree: Tree) -> None:
    assert problems(tree, text) == [f"{FILE}:{words}" for words in expected]


@pytest.mark.parametrize("room", [".inf", ".nan", "1", "-0.1", "2e9"])
def test_a_tolerance_that_compares_nothing_is_refused(room: str, tree: Tree) -> None:
    (found,) = problems(tree, GOOD.replace("rtol: 0.06", f"rtol: {room}"))
    assert found.startswith(f"{FILE}:5: suites.timm.tolerances.bfloat16.rtol: ")


@pytest.mark.parametrize(
    "gone", [", reason: Products are summed in bfloat16.", ", reason: It has no float16."]
)
def test_a_difference_without_a_reason_is_refused(gone: str, tree: Tree) -> None:
    (found,) = problems(tree, GOOD.replace(gone, ""))
    assert '"reason" is missing' in found
