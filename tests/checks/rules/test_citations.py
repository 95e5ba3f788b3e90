from __future__ import annotations

import pytest

from tests.folders import ACCELERATOR, COMPATIBILITY, FAQ, GUIDE, Edit, ProblemsAfter

SECOND = "    read: 2026-01-02\n  second: {package: torch, title: Example data, read: 2026-01-02}\n"


@pytest.mark.parametrize(
    ("edits", "expected"),
    [
        (
            [(ACCELERATOR, "value: ex, source: made-up", "value: ex, source: made-pu")],
            [
                (f'{ACCELERATOR}:13: the source "made-pu" is not declared in this file; '
                'did you mean "made-up"?')
            ],
        ),
        (
            [(COMPATIBILITY, "ex2, source: made-up", "ex2, source: [made-up, b]")],
            [
                (f'{COMPATIBILITY}:7: the source "b" is not declared in this file; '
                "use one of: made-up")
            ],
        ),
        (
            [(ACCELERATOR, "    read: 2026-01-02\n", SECOND)],
            [
                (f'{ACCELERATOR}:6: no fact cites the source "second"; '
                "cite it where it is used, or remove it")
            ],
        ),
        (
            [(GUIDE, "example data [@made-up].", "example data\n[@made-up],\n[@made-pu].")],
            [
                (f'{GUIDE}:13: the source "made-pu" is not declared in the front matter; '
                'did you mean "made-up"?')
            ],
        ),
        (
            [(FAQ, " [@made-up]", "")],
            [(f'{FAQ}:1: the text never cites the source "made-up"; cite it as [@made-up], '
             "or remove it"),
             (f'{FAQ}:9: the answer to "Does it exist?" cites no source; add the source under '
             "sources, and cite it as [@its-id]")],
        ),
        (
            [(FAQ, "[@made-up]", "[@]")],
            [
                (f'{FAQ}:1: the text never cites the source "made-up"; cite it as [@made-up], '
                "or remove it"),
                (f'{FAQ}:11: the source "" is not declared in the front matter; '
                "use one of: made-up"),
            ],
        ),
        ([(ACCELERATOR, "    read: 2026-01-02\n", SECOND),
          (ACCELERATOR, "value: ex, source: made-up", "value: ex, source: [made-up, second]")], []),
        ([(GUIDE, "## Help\n\nNothing", "## Help\n\nAgain [@made-up]")], []),
    ],
)  # fmt: skip
def test_facts_and_sources_name_each_other(
    edits: list[Edit], expected: list[str], problems_after: ProblemsAfter
) -> None:
    assert problems_after(*edits) == expected


@pytest.mark.parametrize("source", ["", "null", "5", "{a: b}", "[1]"])
def test_a_source_of_another_shape_is_left_to_the_format(
    source: str, problems_after: ProblemsAfter
) -> None:
    found = problems_after((ACCELERATOR, "ex, source: made-up", f"ex, source: {source}"))
    assert found
    assert all(problem.startswith(f"{ACCELERATOR}:13: device.source") for problem in found)
