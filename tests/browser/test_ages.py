"""Ages are those of the moment at which a page is read, not of its build."""

from __future__ import annotations

import datetime as dt
import re

import pytest

from tests.browser.visit import OpenPage, expect
from tests.built_site import Site

# The browser's clock, so many days after the build.
LATER = """
const moment = Date.now() + %d * 86400000;
Date.now = () => moment;
"""
WORDS = re.compile(r"\btoday\b|\b\d+ (?:h|hours?|days?)(?: ago)?\b|今天|\d+ (?:天|小时)")


CPU = "compute-platforms/cpu/"


@pytest.mark.parametrize("page", [CPU, f"zh/{CPU}", "compute-platforms/cuda/"])
def test_an_age_grows_while_a_page_stays(open_page: OpenPage, page: str) -> None:
    days = []
    for later in (0, 30):
        opened = open_page(page, script=LATER % later)
        first = opened.locator("time[data-age][title]").first
        expect(first).to_be_attached()
        day = dt.date.fromisoformat(first.get_attribute("datetime") or "")
        assert first.get_attribute("title") == day.isoformat()
        days.append(int(re.sub(r"\D", "", first.text_content() or "") or 0))
    assert days[1] - days[0] == 30


def test_an_old_build_says_so(open_page: OpenPage) -> None:
    expect(open_page("results/dashboard/").locator("[data-built]")).to_be_hidden()
    page = open_page("results/dashboard/", script=LATER % 2)
    expect(page.locator("[data-built]")).to_be_visible()
    expect(page.locator("[data-built]")).to_contain_text("more than 36 hours ago")


def test_without_scripts_a_page_states_dates(site: Site) -> None:
    """Nothing in the pages of results is relative to the day of the build."""
    stated = 0
    for address, page in site.pages.items():
        for time in page.tree.css("time[data-age]"):
            stated += 1
            assert re.fullmatch(r"\d{4}-\d\d-\d\d", time.text().strip()), address
        for cell in page.tree.css(".suite-age, .regression .facts dd"):
            assert not WORDS.search(cell.text()), (address, cell.text())
    assert stated > 40


@pytest.mark.parametrize(
    ("hours", "words"), [(10, "10 h, due"), (80, "80 h, overdue since"), (400, "16 days, overdue")]
)
def test_a_deadline_passes_while_the_page_stays(
    open_page: OpenPage, hours: int, words: str
) -> None:
    """A made-up regression of the form that the dashboard gives it."""
    page = open_page("results/dashboard/")
    text = page.evaluate(
        """async (hours) => {
          const { showAges } = await import("../../assets/scripts/ages.js");
          const started = Date.parse("2026-01-02T03:00:00Z");
          const due = new Date(started + 72 * 3600000).toISOString();
          document.querySelector("article").insertAdjacentHTML("beforeend",
            `<p id="made-up"><time datetime="2026-01-02T03:00:00Z" data-age>2026-01-02</time>, ` +
            `<span data-due="${due}">due ${due.slice(0, 10)}</span></p>`);
          showAges(started + hours * 3600000);
          return document.getElementById("made-up").textContent;
        }""",
        hours,
    )
    assert text.startswith(f"2026-01-02, {words}")
