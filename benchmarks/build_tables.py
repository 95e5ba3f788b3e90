"""Formats the measurements of builds as tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from benchmarks.measure import Size

AIM = 1.15

_ABSENT = "–"


def build_tables(sizes: list[Size], pages: int) -> str:
    """Return the tables of the measurements so far.

    `pages` is the number of platforms at which the result is compared with the aim.
    """
    measured = [size for size in sizes if size.runs["generated"]]
    if not measured:
        return "Nothing was measured."
    runs = min(len(size.runs["static"]) for size in measured)
    lines = [
        f"Medians of {runs} or more runs on each side; processor time is user and system.",
        "generated: the portal; static: plain MkDocs, the same pages from Markdown files.",
        "",
        *_table(("platforms", "generated", "static", "ratio", "on the clock"), _times(measured)),
        "",
        *_table(("platforms", "generated", "static", "ratio"), _memory(measured)),
        "",
        *_table(("from", "to", "generated", "static"), _growth(measured)),
        "",
        *_table(
            ("platforms", "page", "home", "selector’s data", "of one platform"), _bytes(measured)
        ),
        "",
        *_verdict(measured, pages),
    ]
    return "\n".join(lines)


def _times(sizes: list[Size]) -> Iterator[tuple[str, ...]]:
    for size in sizes:
        wall = _ratio(size.median("generated", "wall"), size.median("static", "wall"))
        yield str(size.count), *_pair(size, "cpu", 1, "s"), f"{wall}"


def _memory(sizes: list[Size]) -> Iterator[tuple[str, ...]]:
    for size in sizes:
        yield str(size.count), *_pair(size, "peak", 1_000_000, "MB peak")


def _growth(sizes: list[Size]) -> Iterator[tuple[str, ...]]:
    """Yield the time for each additional platform, between each two consecutive sizes."""
    for before, after in pairwise(sizes):
        costs = (_added(before, after, side) for side in ("generated", "static"))
        cells = (f"{1000 * cost:.0f} ms a page" if cost else _ABSENT for cost in costs)
        yield str(before.count), str(after.count), *cells


def _added(before: Size, after: Size, side: str) -> float | None:
    less, more = before.median(side, "cpu"), after.median(side, "cpu")
    if less is None or more is None:
        return None
    return (more - less) / (after.count - before.count)


def _bytes(sizes: list[Size]) -> Iterator[tuple[str, ...]]:
    for size in sizes:
        if size.sizes:
            found = size.sizes
            pairs = (found.page, found.home, found.selector, found.part)
            yield str(size.count), *(f"{a / 1000:.1f} ({b / 1000:.1f}) kB" for a, b in pairs)


def _verdict(sizes: list[Size], pages: int) -> Iterator[str]:
    yield "Bytes: as they stand, in brackets gzipped. Page: the mean of the platforms’ pages."
    for size in sizes:
        ours, plain = (size.median(side, "cpu") for side in ("generated", "static"))
        if size.count == pages and ours and plain:
            met = "met" if ours <= AIM * plain else "missed"
            yield f"Aim at {pages} platforms: at most {AIM} times the static build; {met}."


def _pair(size: Size, name: str, unit: float, word: str) -> tuple[str, str, str]:
    ours, plain = (size.median(side, name) for side in ("generated", "static"))
    shown = (f"{value / unit:.1f} {word}" if value else _ABSENT for value in (ours, plain))
    first, second = shown
    return first, second, _ratio(ours, plain)


def _ratio(ours: float | None, plain: float | None) -> str:
    return f"{ours / plain:.2f}" if ours and plain else _ABSENT


def _table(head: Sequence[str], rows: Iterator[tuple[str, ...]]) -> Iterator[str]:
    cells = [tuple(head), *rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for row in cells:
        yield "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True))
