"""Where in its line a problem is underlined."""

from __future__ import annotations

import pytest

from accelerator_portal.cli.check import problem_span
from accelerator_reports.files.problem import Fix, Problem

LINE = "  torch: 2.15.0  # newest  "


@pytest.mark.parametrize(
    ("what", "fix", "underlined"),
    [
        ('unknown key "torch"', None, "torch"),
        ('"nothing" is written here', None, "torch: 2.15.0  # newest"),
        ('unknown key "torch"', Fix("2.15.0", "2.14.1"), "2.15.0"),
        ("the line is wrong", None, "torch: 2.15.0  # newest"),
    ],
)
def test_what_the_message_names_is_underlined_or_all_that_is_written(
    what: str, fix: Fix | None, underlined: str
) -> None:
    start, end = problem_span(LINE, Problem("install.yaml", 3, what, "change it", fix=fix))
    assert LINE[start:end] == underlined
