"""Formats numbers, names and lists as text for pages, and makes the ids of headings unique."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Sequence

from accelerator_portal.catalog.files.accelerator import FeatureSupport
from accelerator_portal.catalog.files.versions_file import Lifecycle
from accelerator_portal.catalog.message import Translatable, and_list, comma_list, message
from accelerator_portal.install.rows import OS_LABELS
from accelerator_reports.outcomes import GOOD, OUTCOMES, Outcome

EXTENT_WORDS: dict[FeatureSupport, str] = {
    "yes": message("stated to work"),
    "partly": message("stated to work in part"),
    "no": message("stated not to work"),
}
"""The words that pages use for how well a PyTorch feature works on a platform."""

# Larger numbers are written without `g`, which writes an exponent from seven digits on.
_G_FORMAT_LIMIT = 100_000


def python_range(versions: Iterable[str]) -> str:
    """Return Python versions as ranges: `3.10–3.13, 3.13t`.

    Raises ValueError for a version such as `3.13.1` or `4.0`.
    """
    ordered = sorted(set(versions), key=lambda v: (v.endswith("t"), _minor_version(v)))
    plain = [_minor_version(v) for v in ordered if not v.endswith("t")]
    parts = [
        f"3.{run[0]}" if run[0] == run[-1] else f"3.{run[0]}–3.{run[-1]}"
        for run in _consecutive_runs(plain)
    ]
    return ", ".join([*parts, *(v for v in ordered if v.endswith("t"))])


def prose_list(words: Sequence[str]) -> str:
    """Return words as a list in prose: `a, b and c`."""
    if len(words) < 2:  # noqa: PLR2004 - one word needs no conjunction
        return "".join(words)
    return and_list((comma_list(words[:-1]), words[-1]))


def lifecycle_words(lifecycle: Lifecycle, today: dt.date) -> str:
    """Return the status of a lifecycle, and its end if known.

    The end is what the vendor expected. The words don't become wrong if it passes after `today`.
    """
    status, day = lifecycle.status, lifecycle.until
    if day is None:
        return status
    if day < today:
        return message("{status}, was expected to end on {day}", status=status, day=str(day))
    return message("{status}, expected to end on {day}", status=status, day=str(day))


def comma_separated(words: Iterable[str]) -> str:
    """Return words as a list: `a, b, c`."""
    word_list = [*words]
    return comma_list(word_list) if word_list else ""


def grouped_number(amount: int) -> str:
    """Return a number with thousands separators: `12,345`."""
    return f"{amount:,}"


def outcome_words(outcome: Outcome) -> str:
    """Return the words for an outcome: `wrong result` for `wrong-result`."""
    return Translatable(OUTCOMES[outcome].words)


def expected_words(outcome: Outcome) -> str:
    """Return the words for an outcome in a baseline, which nobody ran: `expected to pass`."""
    if outcome in GOOD:
        return message("expected to pass")
    return message("expected: {outcome}", outcome=outcome_words(outcome))


def os_name(os: str) -> str:
    """Return the display name of an operating system, such as `macOS`."""
    return OS_LABELS[os]


def format_number(value: float) -> str:
    """Return a number as text, without zeros at the end of its fraction: `1.5`.

    A number below 100,000 is rounded to six significant digits, a larger number to an integer.
    """
    return f"{value:g}" if value < _G_FORMAT_LIMIT else f"{value:.0f}"


def without_patterns(names: Iterable[str] | None) -> tuple[str, ...]:
    """Return the names of hardware without patterns such as `RX 4#0`, which match searches."""
    return tuple(name for name in names or () if not {"#", "*"} & {*name})


def _minor_version(version: str) -> int:
    return int(version.removeprefix("3.").removesuffix("t"))


def _consecutive_runs(numbers: list[int]) -> list[list[int]]:
    runs: list[list[int]] = []
    for number in numbers:
        if runs and runs[-1][-1] == number - 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return runs


class Anchors:
    """Makes the ids of one page unique: `usage`, `usage-2`, `usage-3`."""

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self._last: dict[str, int] = {}

    def take(self, anchor: str) -> str:
        """Return an unused id: `anchor`, or `anchor-2` and so on if the page already uses it."""
        number = self._last.get(anchor, 0)
        candidate = anchor
        while number == 0 or candidate in self._taken:
            number += 1
            candidate = anchor if number == 1 else f"{anchor}-{number}"
        self._last[anchor] = number
        self._taken.add(candidate)
        return candidate
