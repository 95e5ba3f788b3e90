"""Draws counts by outcome as a small stacked bar."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby

from markupsafe import Markup

from accelerator_portal.reports.outcomes import OUTCOMES, Outcome

WIDTH = 100

LEAST = 3
"""Every outcome that happened can be seen: 1 crash among 1,226 tests would be no pixel wide."""


def bar(counts: Mapping[Outcome, int]) -> Markup:
    """Return the bar of counts that are given in the order of the table of outcomes."""
    parts = [
        (color, sum(counts[outcome] for outcome in together))
        for color, together in groupby(counts, lambda outcome: OUTCOMES[outcome].color)
    ]
    widths = _widths([tests for _, tests in parts])
    drawn, left = "", 0.0
    for (color, _), width in zip(parts, widths, strict=True):
        drawn += f'<rect class="bar-{color}" x="{left:.1f}" width="{width:.1f}" height="6"/>'
        left += width
    return Markup(  # noqa: S704 - numbers and names of colors
        f'<svg class="bar" viewBox="0 0 {WIDTH} 6" preserveAspectRatio="none" aria-hidden="true"'
        f' focusable="false">{drawn}</svg>'
    )


def _widths(numbers: list[int]) -> list[float]:
    """Widths in proportion to the numbers, none below the least; together the whole width."""
    total = sum(numbers)
    raised = [max(LEAST, WIDTH * number / total) for number in numbers]
    return [WIDTH * width / sum(raised) for width in raised]
