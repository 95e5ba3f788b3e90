"""The last verdicts of a test as a strip: one small box a report, oldest first, and in words."""

from __future__ import annotations

from dataclasses import dataclass

from markupsafe import Markup

from accelerator_portal.results.classify import is_flaky, turned_on_same_code
from accelerator_portal.results.standing import Standing

_COLORS = {"+": "pass", "-": "fail"}


@dataclass(frozen=True, slots=True)
class VerdictStrip:
    """The picture with what it shows in words."""

    picture: Markup
    words: str


def verdict_strip(standing: Standing | None) -> VerdictStrip | None:
    """Return the strip of a test; None where there are not two verdicts."""
    verdicts = standing.verdicts if standing else ()
    if standing is None or len(verdicts) < 2:  # noqa: PLR2004 - one is no course
        return None
    boxes = "".join(
        f'<rect class="bar-{_COLORS[said[-1]]}" x="{8 * place}" width="6" height="12"/>'
        for place, said in enumerate(verdicts)
    )
    width = 8 * len(verdicts) - 2
    picture = Markup(  # noqa: S704 - numbers and names of colors
        f'<svg class="strip" width="{width}" height="12" viewBox="0 0 {width} 12"'
        f' aria-hidden="true" focusable="false">{boxes}</svg>'
    )
    return VerdictStrip(picture, _words(standing))


def _words(standing: Standing) -> str:
    verdicts = standing.verdicts
    passed = sum(said.endswith("+") for said in verdicts)
    words = f"{passed} of the last {len(verdicts)} passed"
    if turned_on_same_code(standing):
        return f"{words}; flaky: passed and failed on the same code"
    return f"{words}; flaky" if is_flaky(standing) else words
