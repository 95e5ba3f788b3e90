from __future__ import annotations

import pytest

from tests.folders import GUIDE, Edit, ProblemsAfter

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
            ["25: the guide has 209 lines, more than 200; shorten it and link to the vendor's own"],
        ),
        ([(GUIDE, "## Deploy\n\nNothing.", "## Deploy\n\n### Containers\n\nNothing.")], []),
    ],
)
def test_a_guide_has_its_five_headings(
    edits: list[Edit], expected: list[str], problems_after: ProblemsAfter
) -> None:
    assert problems_after(*edits) == [f"{GUIDE}:{problem}" for problem in expected]
