"""Plots say what the data say: each mark stands where its number is, and each text is text."""

from __future__ import annotations

import datetime as dt
import math
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accelerator_portal.catalog.message import message
from accelerator_portal.site.languages import Language
from accelerator_portal.site.plots import (
    NARROW,
    PANEL,
    WIDE,
    Axes,
    Bar,
    Dot,
    Frame,
    Interval,
    IntervalRow,
    Plot,
    PlotAxis,
    PlotMoment,
    bar_panel,
    date_ticks,
    interval_plot,
    is_logarithmic,
    linear,
    linear_ticks,
    logarithmic,
    logarithmic_ticks,
    scatter_plot,
    svg,
    text_width,
    time_panel,
)

HOSTILE = "</title></svg><script>alert(1)</script>\" onload='x' & <b>"
FRAME = Frame("made-up", "Made up", "Two numbers.")
NOON = dt.datetime(2026, 3, 1, 12, tzinfo=dt.UTC)
DAY = dt.timedelta(days=1)


def drawn(plot: Plot | None, translate: Callable[[str], str] = str) -> ET.Element:
    assert plot is not None
    return ET.fromstring(svg(plot, translate))  # noqa: S314 - our own


def of_class(root: ET.Element, *names: str) -> list[ET.Element]:
    return [e for e in root.iter() if {*names} <= {*e.get("class", "").split()}]


def texts(root: ET.Element) -> list[str]:
    return [text.text or "" for text in root.iter("text")]


def hovers(elements: Sequence[ET.Element]) -> list[str]:
    return [found.text or "" for e in elements if (found := e.find("title")) is not None]


def numbers(text: str) -> list[float]:
    return [float(number) for number in re.findall(r"-?\d+(?:\.\d+)?", text)]


def inverse(
    places: Sequence[float], values: Sequence[float], *, is_log: bool = False
) -> Callable[[float], float]:
    """Return the value at a place, from the places of two ticks and their values."""
    (first, second), (low, high) = (places[0], places[-1]), (values[0], values[-1])
    if is_log:
        low, high = math.log(low), math.log(high)

    def value(place: float) -> float:
        found = low + (place - first) / (second - first) * (high - low)
        return math.exp(found) if is_log else found

    return value


def rules(root: ET.Element, direction: str) -> list[float]:
    """Return the places of the lines at the ticks: x of the vertical ones (V), y of those in H."""
    paths = [rule.get("d", "") for rule in of_class(root, "rule")]
    return [numbers(path)[direction == "H"] for path in paths if direction in path]


# Scales and ticks


@pytest.mark.parametrize("make", [linear, logarithmic])
def test_a_scale_has_its_ends_where_they_are_said(
    make: Callable[[float, float, float, float], Callable[[float], float]],
) -> None:
    scale = make(2, 32, 100, 500)
    assert [scale(2), scale(32)] == pytest.approx([100, 500])
    assert scale(8) == pytest.approx(180 if make is linear else 300)


def test_a_scale_of_one_value_does_not_divide_by_zero() -> None:
    assert linear(3, 3, 0, 10)(3) == 0
    assert logarithmic(3, 3, 0, 10)(3) == 0


@pytest.mark.parametrize(
    ("low", "high", "most", "ticks"),
    [
        (0, 349, 4, (0, 100, 200, 300)),
        (0, 5, 5, (0, 2, 4)),
        (0, 0.3, 4, (0, 0.1, 0.2, 0.3)),
        (-9, 210, 5, (0, 50, 100, 150, 200)),
        (0, 1_000_000, 3, (0, 500_000, 1_000_000)),
    ],
)
def test_ticks_are_round_and_few(
    low: float, high: float, most: int, ticks: tuple[float, ...]
) -> None:
    assert linear_ticks(low, high, most) == ticks


@given(st.floats(-1e6, 1e6), st.floats(1e-3, 1e6), st.integers(2, 9))
def test_ticks_are_within_their_range(low: float, span: float, most: int) -> None:
    ticks = linear_ticks(low, low + span, most)
    slack = span * 1e-6 + abs(low) * 1e-9
    assert len(ticks) <= most
    assert all(low - slack <= tick <= low + span + slack for tick in ticks)
    assert list(ticks) == sorted(set(ticks))


@pytest.mark.parametrize(
    ("low", "high", "ticks"),
    [
        (3, 60, (5, 10, 20, 50)),
        (0.004, 700, (0.01, 0.1, 1, 10, 100)),
        (0.5, 2, (0.5, 1, 2)),
    ],
)
def test_logarithmic_ticks_are_powers_if_there_are_many(
    low: float, high: float, ticks: tuple[float, ...]
) -> None:
    assert logarithmic_ticks(low, high) == ticks


@pytest.mark.parametrize(
    ("start", "end", "labels"),
    [
        ("2024-06-24", "2026-03-18", ["2025", "2026"]),
        ("2026-01-20", "2026-04-20", ["2026-02", "2026-03", "2026-04"]),
        ("2026-11-21", "2026-11-29", ["2026-11-21", "2026-11-24", "2026-11-27"]),
        ("2026-11-21", "2026-11-21", ["2026-11-21"]),
    ],
)
def test_an_axis_of_time_has_round_days(start: str, end: str, labels: list[str]) -> None:
    first, last = dt.date.fromisoformat(start), dt.date.fromisoformat(end)
    ticks = date_ticks(first, last, 3)
    assert list(ticks.values()) == labels
    assert all(first <= day <= last and f"{day}".startswith(ticks[day]) for day in ticks)


@pytest.mark.parametrize(
    ("values", "expected"),
    [([1, 50], True), ([1, 49], False), ([0, 100], False), ([-5, 500], False), ([], False)],
)
def test_a_scale_is_logarithmic_if_the_range_needs_it(
    values: list[float], expected: object
) -> None:
    assert is_logarithmic(values) is expected


# Values with intervals

ROWS = [
    IntervalRow("matmul", "float32", (Interval(4.0, 3.5, 4.6, "cpu 4"), None)),
    IntervalRow("matmul", "bfloat16", (Interval(2.0, 1.9, 2.2, "cpu 2"), Interval(9, 8, 9.5, "g"))),
]
WIDE_RANGE = [
    IntervalRow("a", "x", (Interval(0.5, 0.4, 0.6, "low"), Interval(400, 390, 450, "high")))
]


@pytest.mark.parametrize("width", [WIDE, NARROW])
@pytest.mark.parametrize("rows", [ROWS, WIDE_RANGE])
def test_intervals_and_values_stand_where_they_are(rows: list[IntervalRow], width: int) -> None:
    root = drawn(interval_plot(FRAME, ["cpu", "gpu"], rows, "TFLOP/s", width))
    values = [value for row in rows for value in row.values if value]
    labels = [text for text in texts(root) if re.fullmatch(r"[\d.]+", text)]
    places = rules(root, "V")
    ticks = [float(label) for label in labels[-len(places) :]]
    value_at = inverse(places, ticks, is_log=rows is WIDE_RANGE)
    ranges = [numbers(path.get("d", "")) for path in of_class(root, "range")]
    assert [value_at(path[0]) for path in ranges] == pytest.approx(
        [v.low for v in values], rel=0.02
    )
    assert [value_at(path[3]) for path in ranges] == pytest.approx(
        [v.high for v in values], rel=0.02
    )
    marks = [e for e in root.iter() if e.find("title") is not None and e is not root]
    found = dict(zip(hovers(marks), marks, strict=True))
    for value in values:
        mark = found[value.words]
        place = float(mark.get("cx") or numbers(mark.get("d", ""))[0])
        assert value_at(place) == pytest.approx(value.value, rel=0.02), value
        assert f"{value.value:g}" in labels
    unit = "TFLOP/s (logarithmic)" if rows is WIDE_RANGE else "TFLOP/s"
    assert unit in texts(root)


def test_a_heading_stands_once_and_series_differ_in_shape() -> None:
    root = drawn(interval_plot(FRAME, ["cpu", "gpu"], ROWS, "TFLOP/s"))
    assert texts(root).count("matmul") == 1
    assert {"cpu", "gpu", "float32", "bfloat16"} <= {*texts(root)}
    assert {e.tag for e in of_class(root, "s0") if "range" not in e.get("class", "")} == {"circle"}
    assert {e.tag for e in of_class(root, "s1")} == {"path"}


def test_one_value_is_a_plot_and_no_value_is_none() -> None:
    one = [IntervalRow("a", "", (Interval(3, 3, 3, "three"),))]
    assert "3" in texts(drawn(interval_plot(FRAME, ["cpu"], one, "s")))
    assert interval_plot(FRAME, ["cpu"], [], "s") is None
    assert interval_plot(FRAME, ["cpu"], [IntervalRow("a", "", (None,))], "s") is None


# Points

AXES = Axes(
    PlotAxis("power, W"), PlotAxis("memory, GB", (1, 2, 4, 8, 16, 32, 64)), {0.2: "0.2 GB/W"}
)
DOTS = [
    Dot(100, 16, 0, "small", "small: 16 GB, 100 W"),
    Dot(100, 16, 0, "twin", "twin: 16 GB, 100 W"),
    Dot(400, 64, 1, "large", "large: 64 GB, 400 W"),
    Dot(50, 2, 0, "tiny", "tiny: 2 GB, 50 W"),
]


def test_points_stand_where_they_are_and_equal_ones_are_one_mark() -> None:
    root = drawn(scatter_plot(FRAME, ["a", "b"], DOTS, AXES))
    x = inverse(rules(root, "V"), [50, 100, 200], is_log=True)
    y = inverse(rules(root, "H"), [2, 4, 8, 16, 32, 64], is_log=True)
    marks = [e for e in root.iter() if e.find("title") is not None and e is not root]
    for mark in marks:
        words = hovers([mark])[0]
        memory, power = numbers(words)[:2]
        place = numbers(mark.get("d", "")) or [float(mark.get(n, "")) for n in ("cx", "cy")]
        assert [x(place[0]), y(place[1])] == pytest.approx([power, memory], rel=0.02)
    assert sorted(hovers(marks)) == [
        "large: 64 GB, 400 W",
        "small: 16 GB, 100 W; twin: 16 GB, 100 W",
        "tiny: 2 GB, 50 W",
    ]
    assert {"small +1", "large", "tiny", "power, W", "memory, GB"} <= {*texts(root)}


def test_a_guide_joins_the_same_ratio() -> None:
    root = drawn(scatter_plot(FRAME, ["a", "b"], DOTS, AXES))
    x = inverse(rules(root, "V"), [50, 100, 200], is_log=True)
    y = inverse(rules(root, "H"), [2, 4, 8, 16, 32, 64], is_log=True)
    (guide,) = of_class(root, "guide")
    x1, y1, x2, y2 = numbers(guide.get("d", ""))
    assert [y(y1) / x(x1), y(y2) / x(x2)] == pytest.approx([0.2, 0.2], rel=0.02)


@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_labels_overlap_neither_each_other_nor_the_edge(width: int) -> None:
    dots = [
        Dot(10 * 3 ** (n % 7), 10 * 2 ** (n // 7), 0, f"product with number {n}", f"{n}")
        for n in range(60)
    ]
    root = drawn(scatter_plot(FRAME, ["a"], dots, AXES, width))
    boxes = []
    for text in root.iter("text"):
        if (text.text or "").startswith("product"):
            x, y, wide = (
                float(text.get("x", "")),
                float(text.get("y", "")),
                text_width(text.text or ""),
            )
            anchor = {"end": wide, "middle": wide / 2}.get(text.get("class", "").split(" ")[0], 0)
            boxes.append((x - anchor, y - 11, x - anchor + wide, y))
    assert len(boxes) > 3
    for n, one in enumerate(boxes):
        assert one[0] >= 44  # the labels of the axis are on the left
        assert one[2] <= width + 1
        for two in boxes[n + 1 :]:
            is_apart = one[2] <= two[0] or two[2] <= one[0] or one[3] <= two[1] or two[3] <= one[1]
            assert is_apart, (one, two)


def test_one_point_is_a_plot_and_no_point_is_none() -> None:
    assert "small" in texts(drawn(scatter_plot(FRAME, ["a"], DOTS[:1], AXES)))
    assert scatter_plot(FRAME, ["a"], [], AXES) is None


# Bars

BARS = [
    Bar("2.4", 40, "forty"),
    Bar("2.5", None, ""),
    Bar("2.6", 60, "sixty", more=20),
    Bar("2.7", 30, "thirty so far", is_open=True),
    Bar("2.8", 104, "beyond", is_open=True),
    Bar("2.9", -10, "earlier"),
]
LIMITS = (-10, 100)


def test_a_bar_is_as_long_as_its_number() -> None:
    root = drawn(bar_panel(FRAME, BARS, PlotAxis("days", (0, 50, 100)), LIMITS))
    y = inverse(rules(root, "H"), [0, 50, 100])
    rectangles = {
        (words, "open" in rect.get("class", "")): (
            y(float(rect.get("y", "")) + float(rect.get("height", ""))),
            y(float(rect.get("y", ""))),
        )
        for rect in root.iter("rect")
        for words in hovers([rect])
    }
    assert rectangles == {
        ("forty", False): pytest.approx((0, 40), abs=0.2),
        ("sixty", False): pytest.approx((0, 60), abs=0.2),
        ("sixty", True): pytest.approx((60, 80), abs=0.2),
        ("earlier", False): pytest.approx((-10, 0), abs=0.2),
    }
    outlines = {hovers([p])[0]: p.get("d", "") for p in of_class(root, "open") if p.tag == "path"}
    assert set(outlines) == {"thirty so far", "beyond"}
    assert y(numbers(outlines["thirty so far"])[1]) == pytest.approx(30, abs=0.2)
    assert y(numbers(outlines["beyond"])[1]) == pytest.approx(100, abs=0.2)
    assert outlines["thirty so far"].count("H") == 2
    assert outlines["beyond"].count("H") == 1  # its upper end is open


def test_numbers_stand_on_bars_that_are_not_cut() -> None:
    found = texts(drawn(bar_panel(FRAME, BARS, PlotAxis("days", (0, 50, 100)), LIMITS)))
    assert {"40", "60", "30", "\N{MINUS SIGN}10"} <= {*found}
    assert "104" not in found
    assert {"days", "2.4", "2.9"} <= {*found}


def test_an_equal_number_stands_once() -> None:
    bars = [Bar(f"{n}", 7, "seven") for n in range(5)]
    assert texts(drawn(bar_panel(FRAME, bars, PlotAxis("days"), (0, 10)))).count("7") == 1


def test_one_bar_is_a_panel_and_no_value_is_none() -> None:
    assert drawn(bar_panel(FRAME, BARS[:1], PlotAxis("days"), LIMITS)) is not None
    assert bar_panel(FRAME, [], PlotAxis("days"), LIMITS) is None
    assert bar_panel(FRAME, [Bar("2.5", None, "")], PlotAxis("days"), LIMITS) is None


# Time


def moment(day: int, part: int, whole: int = 20, **more: str) -> PlotMoment:
    at = NOON + day * DAY
    return PlotMoment(at, at, part, whole, f"day {day}: {part} of {whole}", **more)


def test_results_over_time_are_steps_and_each_result_is_a_point() -> None:
    moments = [moment(0, 10), moment(5, 15, event="2.13.0"), moment(10, 20)]
    root = drawn(time_panel(FRAME, moments, (NOON, NOON + 10 * DAY)))
    y = inverse(rules(root, "H"), [0, 10, 20])
    points = of_class(root, "passed")
    assert hovers(points) == ["day 0: 10 of 20", "day 5: 15 of 20", "day 10: 20 of 20"]
    assert [y(float(p.get("cy", ""))) for p in points] == pytest.approx([10, 15, 20], abs=0.1)
    first, second, third = (float(p.get("cx", "")) for p in points)
    assert second - first == pytest.approx(third - second, abs=0.2)
    (line,) = of_class(root, "part")
    assert re.fullmatch(r"M\S+ \S+H\S+V\S+H\S+V\S+H\S+", line.get("d", ""))  # no slanted line
    (event,) = of_class(root, "event")
    assert numbers(event.get("d", ""))[0] == second
    assert {"20 of 20", "2.13.0"} <= {*texts(root)}


@pytest.mark.parametrize("days", [[0], [0, 0, 0], [0, 3]])
def test_few_days_are_points_without_a_line_and_say_so(days: list[int]) -> None:
    moments = [moment(day, 10 + n) for n, day in enumerate(days)]
    root = drawn(time_panel(FRAME, moments, (NOON, NOON + 3 * DAY)))
    assert of_class(root, "part") == []
    assert len(of_class(root, "passed")) == len(of_class(root, "whole")) == len(days)
    assert f"{moments[-1].part} of 20; too few days for a line" in texts(root)


def test_a_result_that_lasts_has_a_point_at_both_ends() -> None:
    last = PlotMoment(NOON, NOON + 4 * DAY, 3, 4, "3 of 4")
    root = drawn(time_panel(FRAME, [last], (NOON, NOON + 4 * DAY)))
    assert hovers(of_class(root, "passed")) == ["3 of 4"] * 2


def test_versions_that_change_within_a_day_share_a_text() -> None:
    moments = [moment(0, 1, event="2.13.0"), moment(1, 1, event="2.15.0"), moment(300, 1)]
    root = drawn(time_panel(FRAME, moments, (NOON, NOON + 300 * DAY)))
    assert "2.13.0, 2.15.0" in texts(root)
    assert hovers(of_class(root, "event")) == ["2.13.0", "2.15.0"]


def test_nothing_over_time_is_none() -> None:
    assert time_panel(FRAME, [], (NOON, NOON)) is None


# Every plot


def hostile_plots() -> list[Plot | None]:
    frame = Frame(HOSTILE, HOSTILE, HOSTILE)
    interval = IntervalRow(HOSTILE, HOSTILE, (Interval(1, 1, 1, HOSTILE),))
    axes = Axes(PlotAxis(HOSTILE), PlotAxis(HOSTILE), {1: HOSTILE})
    return [
        interval_plot(frame, [HOSTILE], [interval], HOSTILE),
        scatter_plot(frame, [HOSTILE], [Dot(1, 1, 0, HOSTILE, HOSTILE)], axes),
        bar_panel(frame, [Bar(HOSTILE, 1, HOSTILE, is_open=True)], PlotAxis(HOSTILE), (0, 2)),
        time_panel(frame, [PlotMoment(NOON, NOON, 1, 2, HOSTILE, HOSTILE)], (NOON, NOON)),
    ]


@pytest.mark.parametrize("plot", hostile_plots())
def test_a_hostile_name_stays_text(plot: Plot) -> None:
    root = drawn(plot)
    allowed = {"svg", "title", "desc", "text", "path", "circle", "rect"}
    assert {e.tag for e in root.iter()} <= allowed
    assert {name for e in root.iter() for name in e.attrib if name.startswith("on")} == set()
    assert (root.findtext("title"), root.findtext("desc")) == (HOSTILE, HOSTILE)
    assert HOSTILE in hovers([e for e in root.iter() if e is not root])


@pytest.mark.parametrize("plot", hostile_plots())
def test_a_plot_has_alternative_text_and_no_look_of_its_own(plot: Plot) -> None:
    root = drawn(plot)
    assert root.get("role") == "img"
    title, description = root.find("title"), root.find("desc")
    assert title is not None
    assert description is not None
    assert root.get("aria-labelledby") == f"{title.get('id')} {description.get('id')}"
    names = {name for e in root.iter() for name in e.attrib}
    assert names.isdisjoint({"style", "fill", "stroke", "font-size", "font-family", "color"})


def test_all_words_are_translated() -> None:
    forms = {"Hello {name}": ("Bonjour {name}",), "{part} of {whole}": ("{whole} / {part}",)}
    words = message("Hello {name}", name="you")
    moments = [PlotMoment(NOON, NOON, 1, 2, words, words)] * 3
    plot = time_panel(Frame("x", words, words), moments, (NOON, NOON + DAY))
    text = svg(plot, Language("fr", forms).translate) if plot else ""
    assert "Hello" not in text
    assert text.count("Bonjour you") == 3 + 3 + 3 + 1  # title twice, description; points; events
    assert "2 / 1" in text


def test_each_layout_has_its_own_ids() -> None:
    plots = [interval_plot(FRAME, ["a"], ROWS[:1], "s", width) for width in (WIDE, NARROW)]
    ids = {e.get("id") for plot in plots for e in drawn(plot).iter() if e.get("id")}
    assert ids == {
        "made-up-wide",
        "made-up-wide-description",
        "made-up-narrow",
        "made-up-narrow-description",
    }
    widths = {plot.width for plot in plots if plot}
    assert widths == {WIDE, NARROW}
    assert PANEL not in widths
