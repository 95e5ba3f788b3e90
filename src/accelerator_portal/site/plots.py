"""Draws plots as SVG when the site is built: with axes, units, text as text, and alternative text.

Each function takes data and returns a `Plot`; `svg` writes it in a language. A plot has classes
instead of colors, so that dark mode, print and forced colors follow `site_src/styles/plots.css`.
Series differ in shape and in words, too.
"""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape

from accelerator_portal.catalog.message import comma_list, message
from accelerator_portal.site.text_formats import format_number, grouped_number

Scale = Callable[[float], float]
"""Returns the coordinate of a value."""


@dataclass(frozen=True, slots=True)
class Element:
    """An element of a drawing. `hover` is the text that browsers show when a reader points at it.

    `text` and `hover` may be messages: they are translated when the plot is written.
    """

    name: str
    attributes: tuple[tuple[str, str], ...]
    text: str = ""
    hover: str = ""


@dataclass(frozen=True, slots=True)
class Frame:
    """What identifies a plot on a page: its HTML id, and its alternative text.

    `title` is a name, and `description` says what a reader would see.
    """

    id: str
    title: str
    description: str


@dataclass(frozen=True, slots=True)
class Plot:
    """A drawing of `width` × `height` pixels. `layout` is `wide`, `narrow` or `panel`.

    A page has a plot in a wide and a narrow layout and shows the one that fits. Panels are small
    enough for every page.
    """

    frame: Frame
    layout: str
    width: int
    height: float
    elements: tuple[Element, ...]


@dataclass(frozen=True, slots=True)
class Interval:
    """A value with its confidence interval. `words` state it in full."""

    value: float
    low: float
    high: float
    words: str


@dataclass(frozen=True, slots=True)
class IntervalRow:
    """A row of an interval plot: one value, or None, for each series.

    Successive rows with the same `heading` are below one heading.
    """

    heading: str
    label: str
    values: tuple[Interval | None, ...]


@dataclass(frozen=True, slots=True)
class Dot:
    """A point of a scatter plot. `series` is the index of its series, and `label` a short name."""

    x: float
    y: float
    series: int
    label: str
    words: str


@dataclass(frozen=True, slots=True)
class PlotAxis:
    """The title of an axis with its unit, and the values that have a tick.

    Without ticks, the plot finds round values.
    """

    title: str
    ticks: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Axes:
    """The axes of a scatter plot, and its guides: lines on which y ÷ x has the same value.

    `guides` has the label of each of these values.
    """

    x: PlotAxis
    y: PlotAxis
    guides: Mapping[float, str]


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar of a bar plot. `value` is None if nothing is known.

    An `is_open` bar is only an outline: its value is not final. `more` continues the bar as an
    outline. `words` state all values.
    """

    label: str
    value: float | None
    words: str
    is_open: bool = False
    more: float = 0


@dataclass(frozen=True, slots=True)
class PlotMoment:
    """A part of a whole at a time: `part` of `whole` tests passed, from `since` to `until`.

    `event` is a text that is written above `since`, such as a version that is new there.
    """

    since: dt.datetime
    until: dt.datetime
    part: int
    whole: int
    words: str
    event: str = ""


WIDE, NARROW, PANEL = 880, 340, 360
"""The widths of the layouts."""

_LINE = 17.0
"""The height of a line of text."""

_SHAPES = ("-4-4h8v8h-8z", "0-5.5l5.5 5.5-5.5 5.5-5.5-5.5z", "0-5.5l5.2 9.5h-10.4z")
"""The shapes of all series except the first, which has circles."""

_SERIES = 5
"""The number of classes `s0`, `s1` … in the style sheet; further series use them again."""

_LOGARITHMIC_FROM = 50
"""A scale is logarithmic if the largest value is at least this many times the smallest."""

_DAYS_FOR_LINE = 3
"""The least number of days with reports that a line may connect."""

_FIRST_CJK_CHARACTER = "\u2e80"

MINUS = "\u2212"


def svg(plot: Plot, translate: Callable[[str], str] = str) -> str:
    """Return a plot as an SVG element. `translate` returns a text in the language of the page."""

    def text(words: str) -> str:
        return escape(translate(words))

    def element(one: Element) -> str:
        attributes = "".join(f' {name}="{escape(value)}"' for name, value in one.attributes)
        inside = text(one.text) + (f"<title>{text(one.hover)}</title>" if one.hover else "")
        return f"<{one.name}{attributes}>{inside}</{one.name}>"

    id_ = escape(f"{plot.frame.id}-{plot.layout}")
    return (
        f'<svg class="plot plot-{plot.layout}" viewBox="0 0 {plot.width} {_short(plot.height)}" '
        f'role="img" aria-labelledby="{id_} {id_}-description"><title id="{id_}">'
        f'{text(plot.frame.title)}</title><desc id="{id_}-description">'
        f"{text(plot.frame.description)}</desc>{''.join(map(element, plot.elements))}</svg>"
    )


def linear(low: float, high: float, start: float, end: float) -> Scale:
    """Return a scale with the coordinates `start` at `low` and `end` at `high`."""
    span = high - low or 1
    return lambda value: start + (value - low) / span * (end - start)


def logarithmic(low: float, high: float, start: float, end: float) -> Scale:
    """Return a logarithmic scale. `low` must be greater than 0."""
    exponent = linear(math.log(low), math.log(high), start, end)
    return lambda value: exponent(math.log(value))


def linear_ticks(low: float, high: float, most: int = 5) -> tuple[float, ...]:
    """Return at most `most` round values from `low` to `high`: multiples of 1, 2 or 5 × 10ⁿ."""
    span = (high - low) or 1
    exponents = range(math.floor(math.log10(span / most)), math.ceil(math.log10(span)) + 1)
    for step in (base * 10.0**exponent for exponent in exponents for base in (1, 2, 5)):
        # Rounded, because 0.3 / 0.1 is less than 3.
        numbers = range(math.ceil(round(low / step, 9)), math.floor(round(high / step, 9)) + 1)
        if len(numbers) <= most:
            return tuple(float(f"{number * step:.12g}") for number in numbers)
    return (low,)


def logarithmic_ticks(low: float, high: float, most: int = 8) -> tuple[float, ...]:
    """Return round values from `low` to `high`: 1, 2 and 5 × 10ⁿ if few, else powers of 10."""
    exponents = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    values = [[float(f"{base}e{exponent}") for base in (1, 2, 5)] for exponent in exponents]
    ticks = tuple(value for three in values for value in three if low <= value <= high)
    powers = tuple(one for one, _, _ in values if low <= one <= high)
    return ticks if len(ticks) <= most else powers


def date_ticks(start: dt.date, end: dt.date, most: int = 4) -> dict[dt.date, str]:
    """Return at most `most` days from `start` to `end` with labels: years, months or days."""
    years = range(start.year, end.year + 1)
    months = [dt.date(year, month, 1) for year in years for month in range(1, 13)]
    for step, form in ((1, "%Y-%m"), (3, "%Y-%m"), (6, "%Y-%m"), (12, "%Y")):
        days = [day for day in months[::step] if start <= day <= end]
        if 1 < len(days) <= most:
            return {day: f"{day:{form}}" for day in days}
    step = -(-((end - start).days + 1) // most)
    days = [start + dt.timedelta(number) for number in range(0, (end - start).days + 1, step)]
    return {day: day.isoformat() for day in days}


def is_logarithmic(values: Iterable[float]) -> bool:
    """Return whether values need a logarithmic scale: their range is wide, and all are positive."""
    found = list(values)
    return bool(found) and min(found) > 0 and max(found) / min(found) >= _LOGARITHMIC_FROM


def interval_plot(
    frame: Frame, series: Sequence[str], rows: Sequence[IntervalRow], unit: str, width: int = WIDE
) -> Plot | None:
    """Return a plot of values with intervals, or None without values.

    It has a row for each of `rows`, and a shape for each of `series`. In the narrow layout, the
    label of a row is above its values.
    """
    found = [value for row in rows for value in row.values if value]
    if not found:
        return None
    canvas = _Canvas(width)
    low, high = min(v.low for v in found), max(v.high for v in found)
    label_width = 240 if width == WIDE else 0
    left, right = label_width + 12, width - 64
    if is_logarithmic((low, high)):
        low, high = low / 1.2, high * 1.2
        x = logarithmic(low, high, left, right)
        ticks = logarithmic_ticks(low, high, 8 if label_width else 5)
        unit = message("{unit} (logarithmic)", unit=unit)
    else:
        low = min(low, 0)
        x, ticks = linear(low, high, left, right), linear_ticks(low, high)
    y = canvas.legend(series, left - 6 if label_width else 0)
    top, heading = y, ""
    for row in rows:
        if row.heading != heading:
            heading = row.heading
            y += _LINE + 8
            canvas.text(0, y, heading, "strong")
        if label_width:
            y += _LINE + 2
            canvas.text(label_width, y, row.label, "end")
        else:
            y += _LINE + 6
            canvas.text(0, y, row.label)
            y += _LINE - 2
        canvas.add("path", "row", d=f"M{_short(left)} {_short(y - 4)}H{_short(right)}")
        for index, value in enumerate(row.values):
            if value:
                canvas.interval(x, y - 4, index, value)
        for value in filter(None, row.values):
            canvas.label(x(value.value), y - 4, format_number(value.value))
    canvas.x_axis(x, {tick: format_number(tick) for tick in ticks}, top + 4, y + 10)
    canvas.text(right, y + 42, unit, "end unit")
    return canvas.plot(frame, "wide" if label_width else "narrow", y + 50)


def scatter_plot(
    frame: Frame,
    series: Sequence[str],
    dots: Sequence[Dot],
    axes: Axes,
    width: int = WIDE,
) -> Plot | None:
    """Return a plot of points, both axes logarithmic, or None without points.

    Points at the same place and of one series are one mark. Marks have labels where there is room,
    in the order of `dots`, up to a number that readers can take in.
    """
    if not dots:
        return None
    canvas = _Canvas(width)
    left, right = 44.0, width - 12.0
    top = canvas.legend(series, 0) + 40
    base = top + (440 if width == WIDE else 400)
    most_labels = 40 if width == WIDE else 14
    x_low, x_high = min(d.x for d in dots) / 1.15, max(d.x for d in dots) * 1.15
    y_low, y_high = min(d.y for d in dots) / 1.2, max(d.y for d in dots) * 1.2
    x, y = logarithmic(x_low, x_high, left, right), logarithmic(y_low, y_high, base, top)
    x_ticks = axes.x.ticks or logarithmic_ticks(x_low, x_high)
    y_ticks = axes.y.ticks or logarithmic_ticks(y_low, y_high)
    x_ticks = tuple(tick for tick in x_ticks if x_low <= tick <= x_high)
    y_ticks = tuple(tick for tick in y_ticks if y_low <= tick <= y_high)
    canvas.text(0, top - 10, axes.y.title, "unit")
    canvas.y_axis(y, {tick: format_number(tick) for tick in y_ticks}, left, right)
    canvas.x_axis(x, {tick: format_number(tick) for tick in x_ticks}, top, base)
    canvas.text(right, base + 36, axes.x.title, "end unit")
    for ratio, words in axes.guides.items():
        start, end = max(x_low, y_low / ratio), min(x_high, y_high / ratio)
        if start < end:
            places = (x(start), y(start * ratio), x(end), y(end * ratio))
            canvas.add("path", "guide", d="M{} {}L{} {}".format(*map(_short, places)))
            canvas.label(places[0] + 4, places[1] - 8, words, "unit")
    merged: dict[tuple[float, float, int], list[Dot]] = {}
    for dot in dots:
        merged.setdefault((dot.x, dot.y, dot.series), []).append(dot)
    for place_x, place_y, _ in merged:
        canvas.reserve(x(place_x) - 5, y(place_y) - 5, 10, 10)
    for (place_x, place_y, index), same in reversed(merged.items()):
        words = "; ".join(dot.words for dot in same) if width == WIDE else ""
        canvas.shape(x(place_x), y(place_y), index, words)
    canvas.left = left
    labels = 0
    for (place_x, place_y, _), same in merged.items():
        label = same[0].label + (f" +{len(same) - 1}" if len(same) > 1 else "")
        if labels < most_labels:
            labels += canvas.label(x(place_x), y(place_y), label)
    return canvas.plot(frame, "wide" if width == WIDE else "narrow", base + 44)


def bar_panel(
    frame: Frame, bars: Sequence[Bar], axis: PlotAxis, limits: tuple[float, float]
) -> Plot | None:
    """Return a small plot with a bar for each of `bars`, or None if no bar has a value.

    The axis has the range `limits`. An open bar that is longer has no upper end. Numbers stand on
    the bars where they change and where there is room.
    """
    if all(bar.value is None for bar in bars):
        return None
    canvas = _Canvas(PANEL)
    low, high = limits
    left, right, top, base = 34.0, PANEL - 2.0, 48.0, 138.0
    y = linear(low, high, base, top)
    step = (right - left) / len(bars)
    canvas.text(0, 13, frame.title, "strong")
    canvas.text(0, 31, axis.title, "unit")
    canvas.y_axis(y, {tick: grouped_number(round(tick)) for tick in axis.ticks}, left, right)
    for number, bar in enumerate(bars):
        canvas.bar(left + number * step + 1, step - 2, bar, y, high)
    changed = [n for n, bar in enumerate(bars) if n == 0 or bar.value != bars[n - 1].value]
    for number in (*changed[-1:], *changed):
        bar = bars[number]
        if bar.value is not None and bar.value <= high:
            middle, end = left + (number + 0.5) * step, y(max(bar.value + bar.more, 0))
            words = grouped_number(round(bar.value)).replace("-", MINUS)
            canvas.place(middle, end - 4, words, "middle")
    for number in reversed(range(len(bars))):
        canvas.place(left + (number + 0.5) * step, y(low) + 15, bars[number].label, "middle", 6)
    return canvas.plot(frame, "panel", y(low) + 20)


def time_panel(
    frame: Frame, moments: Sequence[PlotMoment], limits: tuple[dt.datetime, dt.datetime]
) -> Plot | None:
    """Return a small plot of a part and its whole over time, or None without data.

    The axis of time has the range `limits`. Steps connect the moments: a value holds until the next
    one. If there are too few days for a line, the panel has only the points and says so.
    """
    if not moments:
        return None
    canvas = _Canvas(PANEL)
    left, right, top, base = 44.0, PANEL - 8.0, 62.0, 150.0
    start, end = limits
    x = linear(start.timestamp(), end.timestamp(), left, right)
    most = max(moment.whole for moment in moments) or 1
    y = linear(0, most, base, top)
    newest = moments[-1]
    share = message("{part} of {whole}", part=f"{newest.part:,}", whole=f"{newest.whole:,}")
    days = {day.date() for moment in moments for day in (moment.since, moment.until)}
    if len(days) < _DAYS_FOR_LINE:
        share = message("{share}; too few days for a line", share=share)
    canvas.text(0, 13, frame.title, "strong")
    canvas.text(0, 31, share)
    canvas.y_axis(y, {t: grouped_number(round(t)) for t in _whole_ticks(most)}, left, right)
    for day, words in date_ticks(start.date(), end.date(), 3).items():
        at = dt.datetime.combine(day, dt.time(), start.tzinfo).timestamp()
        place = max(x(at), left)
        canvas.add("path", "rule", d=f"M{_short(place)} {_short(base)}v4")
        canvas.place(place, base + 17, words, "middle")
    canvas.events([(x(m.since.timestamp()), m.event) for m in moments if m.event], top, base)
    if len(days) >= _DAYS_FOR_LINE:
        for kind, heights in (
            ("whole", [y(moment.whole) for moment in moments]),
            ("part", [y(moment.part) for moment in moments]),
        ):
            places = [(x(m.since.timestamp()), at) for m, at in zip(moments, heights, strict=True)]
            canvas.add("path", kind, d=_step_path(places, x(newest.until.timestamp())))
    for moment in moments:
        for time in dict.fromkeys((moment.since, moment.until)):
            at = x(time.timestamp())
            if len(days) < _DAYS_FOR_LINE:
                canvas.add("path", "whole", d=f"M{_short(at - 5)} {_short(y(moment.whole))}h10")
            canvas.add("circle", "passed", moment.words, cx=at, cy=y(moment.part), r=3.5)
    return canvas.plot(frame, "panel", base + 22)


def _whole_ticks(most: int) -> tuple[float, ...]:
    return tuple(tick for tick in linear_ticks(0, most, 4) if tick.is_integer())


def _step_path(places: Sequence[tuple[float, float]], end: float) -> str:
    """Return the path of a step line through places: horizontal up to the next place."""
    (first_x, first_y), *others = places
    steps = "".join(f"H{_short(x)}V{_short(y)}" for x, y in others)
    return f"M{_short(first_x)} {_short(first_y)}{steps}H{_short(end)}"


class _Canvas:
    """Collects the elements of a plot, and knows where text stands."""

    def __init__(self, width: int) -> None:
        self._width = width
        self.left = 0.0
        """Where labels may begin."""
        self._elements: list[Element] = []
        self._boxes: list[tuple[float, float, float, float]] = []

    def plot(self, frame: Frame, layout: str, height: float) -> Plot:
        return Plot(frame, layout, self._width, height, tuple(self._elements))

    def add(self, name: str, kind: str, hover: str = "", **attributes: float | str) -> None:
        values = ((key, _short(value)) for key, value in attributes.items())
        self._elements.append(Element(name, (("class", kind), *values), hover=hover))

    def text(self, x: float, y: float, words: str, kind: str = "") -> None:
        style = [("class", kind)] if kind else []
        attributes = (*style, ("x", _short(x)), ("y", _short(y)))
        self._elements.append(Element("text", attributes, words))

    def reserve(self, x: float, y: float, width: float, height: float) -> None:
        """Keep labels out of a rectangle."""
        self._boxes.append((x, y, x + width, y + height))

    def place(self, x: float, y: float, words: str, kind: str = "", gap: float = 1) -> bool:
        """Write words where no other words stand; return whether there was room."""
        width = text_width(words)
        anchor = {"end": width, "middle": width / 2}.get(kind.partition(" ")[0], 0)
        left = x - anchor
        if anchor == width / 2:  # moved into the plot
            left = min(max(left, self.left), self._width - width)
            x = left + anchor
        box = (left - gap, y - 11, left + width + gap, y + 2)
        is_inside = left >= self.left and box[2] <= self._width + gap and box[1] >= 0
        if not is_inside or any(_overlap(box, other) for other in self._boxes):
            return False
        self._boxes.append(box)
        self.text(x, y, words, kind)
        return True

    def label(self, x: float, y: float, words: str, kind: str = "") -> bool:
        """Write words beside a mark; return whether there was room on one of its sides."""
        sides = ((9, 4, ""), (-9, 4, "end "), (0, -9, "middle "), (0, 18, "middle "))
        return any(self.place(x + dx, y + dy, words, anchor + kind) for dx, dy, anchor in sides)

    def legend(self, series: Sequence[str], left: float) -> float:
        """Write the name of each series with its shape; return the height of the legend."""
        x, y = left, 14.0
        for index, name in enumerate(series):
            width = text_width(name) + 40
            if x > left and x + width > self._width:
                x, y = left, y + _LINE
            self.shape(x + 6, y - 4, index, "")
            self.text(x + 17, y, name, "strong")
            x += width
        return y if series else 0

    def shape(self, x: float, y: float, series: int, hover: str) -> None:
        kind = f"s{series % _SERIES}"
        if series % (len(_SHAPES) + 1) == 0:
            self.add("circle", kind, hover, cx=x, cy=y, r=4.5)
        else:
            outline = _SHAPES[series % (len(_SHAPES) + 1) - 1]
            self.add("path", kind, hover, d=f"M{_short(x)} {_short(y)}m{outline}")

    def interval(self, x: Scale, y: float, series: int, value: Interval) -> None:
        low, middle, high = x(value.low), x(value.value), x(value.high)
        ends = "".join(f"M{_short(end)} {_short(y - 5)}v10" for end in (low, high))
        line = f"M{_short(low)} {_short(y)}H{_short(high)}"
        self.add("path", f"range s{series % _SERIES}", d=ends + line)
        self.shape(middle, y, series, value.words)
        self.reserve(min(low, middle - 5), y - 5, max(high - low, 10), 10)

    def bar(self, x: float, width: float, bar: Bar, y: Scale, high: float) -> None:
        if bar.value is None:
            return
        start, end = y(0), y(min(bar.value, high))
        if bar.is_open:
            top = "" if bar.value > high else f"H{_short(x)}"
            sides = f"V{_short(start)}H{_short(x + width)}V{_short(end)}"
            path = f"M{_short(x)} {_short(end)}{sides}{top}"
            self.add("path", "column open", bar.words, d=path)
        else:
            self.column("column", x, width, (start, end), bar.words)
        if bar.more:
            self.column("column open", x, width, (end, y(bar.value + bar.more)), bar.words)

    def column(
        self, kind: str, x: float, width: float, ends: tuple[float, float], words: str
    ) -> None:
        height = max(ends) - min(ends)
        self.add("rect", kind, words, x=x, y=min(ends), width=width, height=max(height, 1.5))

    def events(self, events: Sequence[tuple[float, str]], top: float, base: float) -> None:
        """Write texts above lines at the places `events`; texts that are close share a line."""
        groups: list[tuple[float, list[str]]] = []
        for x, words in events:
            self.add("path", "event", words, d=f"M{_short(x)} {_short(top - 4)}V{_short(base)}")
            if groups and x - groups[-1][0] < text_width(", ".join(groups[-1][1])) + 8:
                groups[-1][1].append(words)
            else:
                groups.append((x, [words]))
        for x, texts in groups:
            words = comma_list(dict.fromkeys(texts))
            self.place(x - 3 + text_width(words) / 2, top - 8, words, "middle unit")

    def x_axis(self, x: Scale, ticks: Mapping[float, str], top: float, base: float) -> None:
        """Draw lines at the ticks, below everything else, and their labels where there is room."""
        others, self._elements = self._elements, []
        for value in ticks:
            self.add("path", "rule", d=f"M{_short(x(value))} {_short(top)}V{_short(base)}")
        self._elements += others
        for value, words in ticks.items():
            self.place(x(value), base + 16, words, "middle", 4)

    def y_axis(self, y: Scale, ticks: Mapping[float, str], left: float, right: float) -> None:
        for value, words in ticks.items():
            self.add("path", "rule", d=f"M{_short(left)} {_short(y(value))}H{_short(right)}")
            self.text(left - 6, y(value) + 4, words, "end")


def text_width(words: str) -> float:
    """Return about how wide a text of the usual size is, in pixels."""
    return sum(13 if character >= _FIRST_CJK_CHARACTER else 6.8 for character in words)


def _overlap(
    one: tuple[float, float, float, float], other: tuple[float, float, float, float]
) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _short(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value:.1f}".removesuffix(".0")
