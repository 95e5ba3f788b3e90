from __future__ import annotations

import pytest

from tests.folders import (
    EXAMPLE,
    GUIDE,
    SELECTOR,
    START_WINDOWS,
    Edit,
    ProblemsAfter,
    Tree,
    problems_in,
)


@pytest.mark.parametrize(
    ("edits", "expected"),
    [
        (
            [(SELECTOR, "os: windows", "os: linux")],
            ["3: linux is listed twice; remove one of the two"],
        ),
        (
            [
                (
                    SELECTOR,
                    START_WINDOWS,
                    START_WINDOWS.replace("platform: example", "platform: exampel"),
                )
            ],
            ['3: there is no platform "exampel"; did you mean "example"?'],
        ),
        (
            [(SELECTOR, START_WINDOWS, START_WINDOWS.replace("3.12", "3.13"))],
            [("3: no install option matches this selection; the closest option has python: 3.12")],
        ),
        (
            [(SELECTOR, START_WINDOWS, START_WINDOWS.replace("windows", "macos"))],
            [
                (
                    "3: no install option matches this selection; "
                    "example has no option for macos x86_64"
                )
            ],
        ),
        ([(SELECTOR, START_WINDOWS, "")], []),
    ],
)
def test_the_selector_starts_with_choices_that_exist(
    edits: list[Edit], expected: list[str], problems_after: ProblemsAfter
) -> None:
    assert problems_after(*edits) == [f"{SELECTOR}:{problem}" for problem in expected]


def test_without_any_platform_each_choice_names_an_unknown_one(tree: Tree) -> None:
    root = tree({path: text for path, text in EXAMPLE.items() if path.startswith("data")})
    (root / "accelerators").mkdir()
    assert problems_in(root) == [
        f'{SELECTOR}:{line}: there is no platform "example"; remove it' for line in (2, 3)
    ]


def test_a_platform_with_problems_of_its_own_is_not_reported_here(
    problems_after: ProblemsAfter,
) -> None:
    assert problems_after((GUIDE, "## Prepare", "<b>\n\n## Prepare")) == [
        f"{GUIDE}:9: raw HTML is not allowed; use Markdown, or put it in backticks",
        f"{GUIDE}:9: there is text before the first ## heading; move it under a heading",
    ]
