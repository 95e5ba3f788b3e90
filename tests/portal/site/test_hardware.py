from __future__ import annotations

import pytest

from accelerator_portal.site.pages.hardware import Family, GenerationData, hardware_data
from tests.folders import ACCELERATOR, RELEASES, Tree, edited, loaded

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
        ('variants: [ex1], torch: "<1.10"', "1.9.1 with Example 1; no install command for 1.10.0"),
    ],
)
def test_a_card_is_told_its_newest_release_and_every_variant_that_brings_it(
    tree: Tree, build: str, words: str
) -> None:
    catalog = loaded(tree(edited((ACCELERATOR, "support:\n", CARD % build))))
    ((generation,),) = (platform.generations for platform in hardware_data(catalog).platforms)
    assert generation.words == words


def family(*found: tuple[str | None, str]) -> Family:
    return Family(
        "Series",
        tuple(
            GenerationData(
                name="Series",
                chip=f"c{n}",
                page="x/#y",
                verdict="none" if newest is None else "newest",
                words=words,
                newest=newest,
                models=(),
                source=(),
            )
            for n, (newest, words) in enumerate(found)
        ),
    )


@pytest.mark.parametrize(
    ("found", "words"),
    [
        ([("2.15.0", "2.15.0")] * 2, ("2.15.0",)),
        (
            [("2.15.0", "2.15.0"), ("2.15.0", "2.15.0; not certain")],
            ("2.15.0", "2.15.0; not certain"),
        ),
        ([("2.15.0", "2.15.0"), (None, "no published build")], ("2.15.0", "no published build")),
        ([(None, "no published build")] * 2, ("no published build",)),
    ],
)
def test_a_family_says_what_its_generations_say(
    found: list[tuple[str | None, str]], words: tuple[str, ...]
) -> None:
    members = family(*found)
    assert members.words == words
    assert members.chips == ("c0", "c1")
    assert members.models == 0


def test_a_card_is_told_the_older_release_of_a_system_that_lacks_the_newest(tree: Tree) -> None:
    windows = '      - {variant: ex1, os: windows, arch: [x86_64], python: ["3.12"]}\n'
    older = '    python: ["3.11", "3.12"]\n    wheels:\n'
    builds = "os: [linux], source: made-up}, {os: [windows]"
    edits = [
        (ACCELERATOR, "support:\n", CARD % builds),
        (RELEASES, windows, ""),
        (RELEASES, older, older + windows),
    ]
    catalog = loaded(tree(edited(*edits)))
    ((generation,),) = (platform.generations for platform in hardware_data(catalog).platforms)
    assert generation.words == "1.10.0 with Example 2 or Example 1 for Linux, 1.9.1 for Windows"
