from __future__ import annotations

import pytest

from accelerator_portal.site.hardware import hardware_data
from tests.folders import ACCELERATOR, Tree, edited, loaded

CARD = """\
hardware:
  generations:
    - name: First
      builds: [{%s, source: made-up}]
      source: made-up
      models: [{name: Example card}]
support:
"""


@pytest.mark.parametrize(
    ("build", "words"),
    [
        ("variants: [ex1]", "1.10.0 with Example 1"),
        ("variants: [ex2, ex1]", "1.10.0 with Example 2 or Example 1"),
        ('variants: [ex1], torch: "<1.10"', "1.9.1 with Example 1; no command for 1.10.0 is known"),
    ],
)
def test_a_card_is_told_its_newest_release_and_every_variant_that_brings_it(
    tree: Tree, build: str, words: str
) -> None:
    catalog = loaded(tree(edited((ACCELERATOR, "support:\n", CARD % build))))
    ((generation,),) = (platform.generations for platform in hardware_data(catalog).platforms)
    assert generation.words == words
