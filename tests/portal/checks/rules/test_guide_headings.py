from __future__ import annotations

import pytest

from accelerator_portal.install.additional_platforms import MAX_PAGE_LINES
from tests.folders import EXAMPLE, GUIDE, ProblemsAfter


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
    left = MAX_PAGE_LINES - len(body.splitlines()) - 1
    kind = line.count("\n")
    added = line * (left // kind) + "\n" * (left % kind + more)
    last = f"Nothing.\n{added}x{end}"
    guide = body.replace("## Help\n\nNothing.\n", f"## Help\n\n{last}")
    assert guide != body
    assert upstream_accepts(guide) == (more == 0)
    found = problems_after((GUIDE, "## Help\n\nNothing.\n", f"## Help\n\n{last}"))
    assert bool(found) == bool(more), found
