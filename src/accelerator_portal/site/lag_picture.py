"""Draws by how many days a plugin trailed each torch release.

Drawn like the trend of results: a handful of bars, in the page's own colors. The figures stand in
a table beside it, so that the picture itself says nothing to a screen reader.
"""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup, escape

from accelerator_portal.packages.release_lag import Lag

WIDTH, HEIGHT = 600, 150
_BOTTOM = 20
_TOP = 16
_LEFT = 44
_MOST_NAMES = 13
"""Of more releases only the first of each minor is named: the names would overlap."""


def lag_picture(lags: Sequence[Lag]) -> Markup | None:
    """Return bars from the oldest torch release to the newest; None where nothing was followed."""
    if not any(lag.plugin for lag in lags):
        return None
    shown = list(reversed(lags))
    most = max(1, *(lag.days for lag in shown))
    least = min(0, *(lag.days for lag in shown))
    room = HEIGHT - _BOTTOM - _TOP

    def height(days: float) -> float:
        return _TOP + room * (most - days) / (most - least)

    zero = height(0)
    step = (WIDTH - _LEFT) / len(shown)
    bars = "".join(
        _bar(lag, _LEFT + step * place, min(step * 0.6, 40), zero, height(lag.days))
        for place, lag in enumerate(shown)
    )
    names = "".join(
        f'<text class="lag-torch" x="{_LEFT + step * place + min(step * 0.6, 40) / 2:.1f}" '
        f'y="{HEIGHT - 4}">{escape(lag.torch.removesuffix(".0"))}</text>'
        for place, lag in enumerate(shown)
        if len(shown) <= _MOST_NAMES or lag.torch.endswith(".0")
    )
    return Markup(  # noqa: S704 - numbers, and versions that were escaped
        f'<svg class="trend lags" viewBox="0 0 {WIDTH} {HEIGHT}" aria-hidden="true" '
        f'focusable="false"><path class="trend-base" d="M{_LEFT} {zero:.1f}H{WIDTH}"/>'
        f'<text x="0" y="{_TOP + 4}">{most} d</text><text x="0" y="{zero + 4:.1f}">0</text>'
        f"{bars}{names}</svg>"
    )


def _bar(lag: Lag, left: float, width: float, zero: float, top: float) -> str:
    """A bar, filled where a plugin followed, an outline where none has yet."""
    y, size = min(zero, top), max(abs(zero - top), 1.0)
    kind = "lag-followed" if lag.plugin else "lag-open"
    middle = left + width / 2
    return (
        f'<rect class="{kind}" x="{left:.1f}" y="{y:.1f}" width="{width:.1f}" '
        f'height="{size:.1f}"/><text class="lag-days" x="{middle:.1f}" y="{y - 3:.1f}">'
        f"{lag.days}</text>"
    )
