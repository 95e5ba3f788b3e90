"""The history of a test, read by the browser from the one file that has it."""

from __future__ import annotations

import json
from collections.abc import Callable
from urllib.parse import urlencode

from playwright.sync_api import Route

from accelerator_portal.results.result_table import read_history
from tests.browser.visit import Opened, OpenPage, expect
from tests.built_site import REPOSITORY, Site

PAGE = "results/test-history/"
PLATFORM = "xpu-baselines"


def busiest() -> tuple[str, int]:
    """The test that changed most often, and how often anything was said of it."""
    changes = read_history(REPOSITORY, "xpu", "baselines").changes
    counts: dict[str, int] = {}
    for change in changes:
        test = change.key.partition("?")[0]
        counts[test] = counts.get(test, 0) + 1
    return max(counts.items(), key=lambda item: (item[1], item[0]))


def test_a_reader_finds_a_test_and_sees_every_change_of_it(open_page: OpenPage) -> None:
    test, count = busiest()
    page = open_page(PAGE)
    page.locator("select[name=platform]").select_option(PLATFORM)
    page.locator("input[name=test]").fill(test.partition("/")[2].upper())
    page.locator("[data-part=found] a", has_text=test).first.click()
    expect(page.locator("[data-part=history] h2")).to_have_text(test)
    expect(page.locator("[data-part=history] tbody tr")).to_have_count(min(count, 200))
    assert page.url.endswith("?" + urlencode({"platform": PLATFORM, "test": test}))
    page.reload()
    expect(page.locator("[data-part=history] .course-strip").first).to_be_visible()
    page.go_back()
    expect(page.locator("[data-part=history] > *")).to_have_count(0)


def test_a_file_that_is_cut_off_is_named_and_read_again(
    opened: Callable[..., Opened], site: Site
) -> None:
    test, _ = busiest()
    page = opened(PAGE).page
    cut = True

    def answer(route: Route) -> None:
        whole = route.fetch().text()
        route.fulfill(body=whole[: len(whole) // 2] if cut else whole)

    index = json.loads(
        (site.root / f"api/v1/test-histories/{PLATFORM}/index.json").read_text("utf-8")
    )
    name = next(name for first, name in reversed(index["files"]) if first <= test)
    page.route(f"**/{name}", answer)
    page.locator("select[name=platform]").select_option(PLATFORM)
    page.evaluate("(query) => history.replaceState(null, '', query)", f"?platform={PLATFORM}")
    page.evaluate(
        "(query) => { history.pushState(null, '', query); dispatchEvent(new Event('popstate')); }",
        "?" + urlencode({"platform": PLATFORM, "test": test}),
    )
    alert = page.get_by_role("alert")
    expect(alert).to_contain_text("The file is cut off or not JSON")
    expect(alert.get_by_role("link", name=name)).to_be_visible()
    cut = False
    alert.get_by_role("button", name="Try again").click()
    expect(page.locator("[data-part=history] h2")).to_have_text(test)


def test_nonsense_in_the_address_is_answered_in_a_sentence(open_page: OpenPage) -> None:
    page = open_page(f"{PAGE}?platform=%3Cb%3Ex")
    state = page.locator(".filters-state")
    expect(state).to_have_text("There is no history “<b>x”. Choose a platform from the list.")
    page.locator("input[name=test]").fill("a")
    expect(page.locator("[data-part=found] a").first).to_be_visible()
    page = open_page(f"{PAGE}?platform={PLATFORM}&test=zzz/%25%25")
    expect(page.locator(".filters-state")).to_contain_text("No report of this platform has the")
    expect(page.locator("[data-part=history] > *")).to_have_count(0)
    page = open_page(f"{PAGE}?platform={PLATFORM}&test=constructor")
    expect(page.locator(".filters-state")).to_contain_text("No report of this platform has the")


def test_going_back_shows_the_platform_of_the_address(open_page: OpenPage) -> None:
    page = open_page(PAGE)
    platform = page.locator("select[name=platform]")
    first = platform.input_value()
    assert first != PLATFORM
    platform.select_option(PLATFORM)
    page.go_back()
    expect(platform).to_have_value(first)
