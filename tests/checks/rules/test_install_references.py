from __future__ import annotations

import pytest

from tests.folders import (
    COMPATIBILITY,
    INSTALL,
    RELEASES,
    SELECTOR,
    START_WINDOWS,
    Edit,
    ProblemsAfter,
)


@pytest.mark.parametrize(
    ("edits", "expected"),
    [
        (
            [(INSTALL, "id: nightly", "id: wheels")],
            [f'{INSTALL}:28: the id "wheels" is listed twice in options; use a unique ID for each'],
        ),
        (
            [(INSTALL, "  - id: ex1\n", '  - {id: ex2, name: Again, version: "3"}\n  - id: ex1\n')],
            [f'{INSTALL}:8: the id "ex2" is listed twice in variants; use a unique ID for each'],
        ),
        (
            [(INSTALL, "variants: [ex2]", "variants: [ex2, ex3]")],
            [
                (f'{INSTALL}:41: the variant "ex3" is not listed in variants; '
                'did you mean "ex2"?')
            ],
        ),
        (
            [(INSTALL, "pre: true}\n    check: python", "pre: true}\n    check: pyton")],
            [
                (f'{INSTALL}:34: the check "pyton" is not listed in checks; '
                'did you mean "python"?')
            ],
        ),
        (
            [(INSTALL, "    variants: [ex2]\n", ""), (INSTALL, "-{variant_version}", "")],
            [f"{INSTALL}:36: the option has no variants; add variants"],
        ),
        (
            [(COMPATIBILITY, "variant: ex1", "variant: ex")],
            [
                (f'{COMPATIBILITY}:8: the variant "ex" is not listed in install.yaml; '
                'did you mean "ex2"?')
            ],
        ),
        (
            [(RELEASES, "{variant: ex2, os: linux, arch: [x86_64]}",
              "{variant: ex3, os: linux, arch: [x86_64]}"),
             (RELEASES, "{variant: ex1, os: windows", "{variant: other, os: windows"),
             (SELECTOR, START_WINDOWS, "")],
            [
                (f'{INSTALL}:6: data/releases.yaml publishes "ex3", which is missing from '
                "variants; add it with its name and requirements, or restrict the option"),
                (f'{INSTALL}:28: the option "nightly" matches no combination; '
                "check its releases and filters"),
            ],
        ),
    ],
)  # fmt: skip
def test_ids_exist_and_are_given_once(
    edits: list[Edit], expected: list[str], problems_after: ProblemsAfter
) -> None:
    assert problems_after(*edits) == expected


def test_a_variant_that_no_option_serves_need_not_be_described(
    problems_after: ProblemsAfter,
) -> None:
    """Each edit adds a wheel that the example's options leave out for another reason."""
    old = "      - {variant: ex1, os: linux, arch: [x86_64]}\n    source: made-up\n"
    wheel = "      - {variant: ex0, os: linux, arch: [s390x]}\n"
    added = (RELEASES, old, wheel + old)
    for narrowing in ('torch: ">=1.10"', "arch: [x86_64, aarch64]", "variants: [ex1, ex2]"):
        assert problems_after(added, (INSTALL, '"ex*"\n    methods: [pip, uv]',
            f'"ex*"\n    {narrowing}\n    methods: [pip, uv]')) == [], narrowing  # fmt: skip
    assert len(problems_after(added)) == 1


def test_a_release_that_nobody_knows_is_named(problems_after: ProblemsAfter) -> None:
    assert problems_after((INSTALL, '">=1.10"', '["1.10.0", "1.11.0"]')) == [
        f'{INSTALL}:37: data/releases.yaml has no release 1.11.0; did you mean "1.10.0"?'
    ]


def test_without_variants_nothing_is_left_out_of_them(problems_after: ProblemsAfter) -> None:
    variants = """\
variants:
  - {id: ex2, name: Example 2, version: "2.0"}
  - id: ex1
    name: Example 1
    requires:
      - {name: Example driver, version: ">=5", os: [linux], source: made-up}
"""
    found = problems_after(
        (INSTALL, variants, ""),
        (INSTALL, "    variants: [ex2]\n", ""),
        (INSTALL, "-{variant_version}", ""),
        (INSTALL, '"ex*"\n    methods: [pip, uv]', "ex2\n    methods: [pip, uv]"),
        (COMPATIBILITY, "variant: ex2, ", ""),
        (COMPATIBILITY, "variant: ex1, ", ""),
        (SELECTOR, START_WINDOWS, ""),
    )  # fmt: skip
    assert found == []
