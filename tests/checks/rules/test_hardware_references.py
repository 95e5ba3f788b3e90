from __future__ import annotations

import pytest

from tests.folders import ACCELERATOR, EXAMPLE, ProblemsAfter

BEFORE = "support:\n"
RENTED = "instances: [{cloud: Cloud, types: [x1.*], source: made-up}]"
GENERATION = """\
    - name: First
      chip: "1.0"
      builds: [{variants: [ex1], source: made-up}]
      source: made-up
      models: [{name: Example card, memory_gb: 8}]
"""
START = EXAMPLE[ACCELERATOR].split(BEFORE)[0].count("\n")


def hardware(*generations: str) -> tuple[str, str, str]:
    """Put generations into the example; the first begins on line START + 3."""
    text = "hardware:\n  generations:\n" + "".join(generations)
    return ACCELERATOR, BEFORE, text + BEFORE


@pytest.mark.parametrize(
    ("generations", "expected"),
    [
        ([GENERATION], []),
        (
            [GENERATION.replace("[ex1]", "[ex1, ex3]")],
            [(5, 'the variant "ex3" is not listed in install.yaml; did you mean "ex2"?')],
        ),
        (
            [GENERATION, GENERATION.replace("Example card", "Other").replace("First", "first")],
            [(8, 'the generation "first 1.0" is listed twice; merge the two or add the chip')],
        ),
        (
            [GENERATION.replace("}]\n", "}, {name: EXAMPLE CARD}]\n", 2).replace(
                "made-up}, {name: EXAMPLE CARD}", "made-up}"
            )],
            [(7, ('the model "EXAMPLE CARD" is listed twice in "First"; '
              "remove one, or add what differs"))],
        ),
        (
            [GENERATION, GENERATION.replace("First", "Second").replace("8", "16")],
            [(12, ('"Example card" has different figures than its first entry; '
              "add what differs to the name, or state both in notes"))],
        ),
        (
            [GENERATION.replace("8}", "8, power_w: 70}"),
             GENERATION.replace("First", "Second").replace("8}", "8, power_w: 75}")],
            [(12, '"Example card" has different figures than its first entry; ')],
        ),
        ([GENERATION, GENERATION.replace("First", "Second").replace("8}", "8, power_w: 75}")], []),
        ([GENERATION, GENERATION.replace("First", "Second").replace("8}", "16, note: A}")], []),
        ([GENERATION, GENERATION.replace("First", "Second").replace(", memory_gb: 8", "")], []),
        ([GENERATION.replace("memory_gb: 8", RENTED)], []),
        (
            [GENERATION.replace("memory_gb: 8}", f"{RENTED}}}, {{name: Other, {RENTED}}}")],
            [(7, ('the machine type "x1.*" is listed for "Example card" already; '
              "keep the model in its source"))],
        ),
        ([GENERATION.replace("memory_gb: 8", RENTED.replace("x1.*", "x 1"))], [(7, "types")]),
        (
            [GENERATION.replace("[{variants: [ex1], source: made-up}]", "[]")],
            [(3, ('no build runs on "First", and there is no note; '
              "add builds, or a note that says why and since when"))],
        ),
        (
            [GENERATION.replace("      source: made-up\n", "")],
            [(3, '"source" is missing; add hardware.generations[1].source')],
        ),
        (
            [GENERATION.replace("memory_gb: 8", "memory_gb: -8")],
            [(7, "memory_gb")],
        ),
    ],
)  # fmt: skip
def test_hardware_names_what_exists_once(
    generations: list[str], expected: list[tuple[int, str]], problems_after: ProblemsAfter
) -> None:
    found = [
        problem.removeprefix(f"{ACCELERATOR}:")
        for problem in problems_after(hardware(*generations))
    ]
    assert [problem.split(": ", 1)[0] for problem in found] == [str(START + n) for n, _ in expected]
    for problem, (_, words) in zip(found, expected, strict=True):
        assert words in problem
