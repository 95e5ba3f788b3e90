from __future__ import annotations

import datetime as dt

import pytest
from selectolax.lexbor import LexborHTMLParser, LexborNode

from accelerator_portal.packages.fitting_releases import ReleaseLag
from accelerator_portal.site.packages_pages import HEIGHT, WIDTH, lag_picture

DAY = dt.date(2026, 1, 1)


def lag(torch: str, days: int, plugin: str | None = "1.0") -> ReleaseLag:
    return ReleaseLag(torch, DAY, days, plugin, DAY if plugin else None, "index")


def drawn(*lags: ReleaseLag) -> LexborHTMLParser:
    picture = lag_picture(lags)
    assert picture is not None
    return LexborHTMLParser(str(picture))


def number(node: LexborNode, name: str) -> float:
    return float(node.attributes[name] or "nan")


def test_bars_stand_from_the_oldest_to_the_newest_as_high_as_they_waited() -> None:
    svg = drawn(lag("2.2.0", 30, None), lag("2.1.0", 60), lag("2.0.0", 15))
    bars = svg.css("rect")
    assert [bar.attributes["class"] for bar in bars] == ["lag-followed", "lag-followed", "lag-open"]
    heights = [number(bar, "height") for bar in bars]
    assert heights[0] * 4 == heights[1] == heights[2] * 2
    assert {number(bar, "y") + number(bar, "height") for bar in bars} == {HEIGHT - 20}
    assert all(
        0 < number(bar, "x") < number(bar, "x") + number(bar, "width") < WIDTH for bar in bars
    )


def test_days_and_names_stand_at_the_middle_of_their_bar() -> None:
    svg = drawn(lag("2.1.1", 60), lag("2.0.0", 15))
    middles = [number(bar, "x") + number(bar, "width") / 2 for bar in svg.css("rect")]
    for kind, words in (("lag-days", ["15", "60"]), ("lag-torch", ["2.0", "2.1.1"])):
        texts = svg.css(f".{kind}")
        assert [text.text() for text in texts] == words
        assert [number(text, "x") for text in texts] == pytest.approx(middles, abs=0.1)


def test_a_plugin_that_came_before_its_torch_hangs_below_the_line() -> None:
    early, late = drawn(lag("2.1.0", 10), lag("2.0.0", -10)).css("rect")
    assert number(early, "y") == number(late, "y") + number(late, "height")


def test_of_many_releases_only_the_first_of_each_minor_is_named() -> None:
    many = [lag(f"2.{minor}.{patch}", 1) for minor in range(7) for patch in range(2)]
    assert len(drawn(*many).css(".lag-torch")) == 7
    assert len(drawn(*many[:13]).css(".lag-torch")) == 13


def test_where_nothing_was_followed_there_is_no_picture() -> None:
    assert lag_picture([]) is None
    assert lag_picture([lag("2.0.0", 5, None)]) is None
