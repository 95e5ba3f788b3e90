from __future__ import annotations

import pytest

from accelerator_portal.checks.rules.texts import MAX_LINES
from tests.folders import EXAMPLE, GUIDE, Edit, ProblemsAfter

ORDER = "Prepare, Install, Start, Deploy, Help"


@pytest.mark.parametrize(
    ("edits", "expected"),
    [
        (
            [(GUIDE, "## Deploy\n\nNothing.\n\n", "")],
            [f'1: the heading "## Deploy" is missing; the guide needs {ORDER}'],
        ),
        (
            [(GUIDE, "## Deploy", "## Deployment")],
            [
                f'1: the heading "## Deploy" is missing; the guide needs {ORDER}',
                '21: "## Deployment" is not a valid heading in a guide; did you mean "Deploy"?',
            ],
        ),
        (
            [(GUIDE, "## Deploy", "## Extras\n\nx\n\n## Deploy")],
            [
                (
                    '21: "## Extras" is not a valid heading in a guide; '
                    "use one of: Deploy, Help, Install, Prepare, Start"
                )
            ],
        ),
        (
            [(GUIDE, "## Deploy\n\nNothing.", "## Deploy")],
            ['21: there is no text under "## Deploy"; add text or remove the heading'],
        ),
        (
            [(GUIDE, "## Deploy\n\nNothing.\n\n## Help", "## Help\n\nNothing.\n\n## Deploy")],
            [f"9: the headings are not in the required order; use {ORDER}"],
        ),
        (
            [(GUIDE, "## Deploy", "## Help\n\nx\n\n## Deploy")],
            ["1: a heading is used twice; remove one of the two"],
        ),
        (
            [(GUIDE, "## Help\n\nNothing.\n", "## Help\n\n" + "x\n" * 200)],
            [
                (
                    "25: the guide has 219 lines of Markdown, more than 200; "
                    "shorten it and link to the vendor's own"
                )
            ],
        ),
        ([(GUIDE, "## Deploy\n\nNothing.", "## Deploy\n\n### Containers\n\nNothing.")], []),
    ],
)
def test_a_guide_has_its_five_headings(
    edits: list[Edit], expected: list[str], problems_after: ProblemsAfter
) -> None:
    assert problems_after(*edits) == [f"{GUIDE}:{problem}" for problem in expected]


def upstream_accepts(guide: str) -> bool:
    """The limit of pytorch.org's script, recorded in our own words.

    Source: pytorch/pytorch.github.io, `scripts/gen_additional_platforms.py` at commit 3bb9fbf, read
    2026-11-23. Of the Markdown file as it is, before anything is rendered or removed, Python's
    `splitlines` gives the lines. Blank lines and code count, the end of the last line begins no
    new one, and exactly 200 lines are accepted.
    """
    return len(guide.splitlines()) <= 200


@pytest.mark.parametrize("more", [0, 1])
@pytest.mark.parametrize("line", ["\n", "x\n", "* x\n", "```\n```\n"])
@pytest.mark.parametrize("end", ["", "\n"])
def test_a_guide_has_as_many_lines_as_upstream_accepts(
    line: str, end: str, more: int, problems_after: ProblemsAfter
) -> None:
    body = EXAMPLE[GUIDE].partition("---\n")[2].partition("---\n")[2]
    left = MAX_LINES - len(body.splitlines()) - 1
    kind = line.count("\n")
    added = line * (left // kind) + "\n" * (left % kind + more)
    last = f"Nothing.\n{added}x{end}"
    guide = body.replace("## Help\n\nNothing.\n", f"## Help\n\n{last}")
    assert guide != body
    assert upstream_accepts(guide) == (more == 0)
    found = problems_after((GUIDE, "## Help\n\nNothing.\n", f"## Help\n\n{last}"))
    assert bool(found) == bool(more), found
