"""No page breaks its policy or asks another host, and what is injected does not run."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, Route

from tests.browser import kinds
from tests.browser.visit import Opened, expect, search, shown_choice

Open = Callable[..., Opened]

INJECTED = {
    "a script": "<script>document.body.dataset.ran = 'yes'</script>",
    "a handler": "<img src='x' onerror=\"document.body.dataset.ran = 'yes'\">",
    "a picture of another host": "<img src='https://evil.invalid/x.png'>",
    "a script of another host": "<script src='https://evil.invalid/x.js'></script>",
    "a frame": "<iframe src='https://evil.invalid/'></iframe>",
    "a base": "<base href='https://evil.invalid/'>",
}


@pytest.mark.parametrize("address", ["", kinds.FULLEST], ids=kinds.name)
def test_the_search_stays_within_the_policy(opened: Open, address: str) -> None:
    visit = opened(address)
    search(visit.page, "install")
    # All pages have come, so that nothing is given up when the reader leaves.
    expect(visit.page.locator(".md-search-result__meta")).to_contain_text("15 matching")
    visit.page.locator(".md-search-result__link").first.click()
    visit.page.wait_for_load_state("networkidle")
    assert visit.watched.faults() == []
    assert visit.watched.failed == []


@pytest.mark.parametrize("what", INJECTED)
def test_what_is_injected_into_a_page_does_not_run(opened: Open, what: str) -> None:
    visit = opened("run-anywhere/")

    def inject(route: Route) -> None:
        answer = route.fetch()
        body = answer.text().replace("</article>", INJECTED[what] + "</article>")
        assert INJECTED[what] in body
        route.fulfill(response=answer, body=body)

    visit.page.route(re.compile(r"/$"), inject)
    visit.page.goto("./")
    visit.page.wait_for_load_state("networkidle")
    assert visit.page.locator("body").get_attribute("data-ran") is None
    assert any("policy" in fault.lower() for fault in visit.watched.console)
    assert visit.page.evaluate("document.baseURI") == visit.page.url
    expect(visit.page.locator("form[data-selector]")).to_have_attribute("data-ready", "")


def test_a_script_that_is_added_later_does_not_run(opened: Open) -> None:
    visit = opened("")
    visit.page.evaluate("""() => {
      const script = document.createElement("script");
      script.textContent = "document.body.dataset.ran = 'yes'";
      document.body.append(script);
    }""")
    assert visit.page.locator("body").get_attribute("data-ran") is None
    assert any("policy: script-src" in fault for fault in visit.watched.console)


def test_the_selector_says_so_when_its_data_cannot_be_read(opened: Open) -> None:
    page = opened("run-anywhere/").page
    page.route("**/api/v1/selector.json", lambda route: route.fulfill(status=500, body="{"))
    page.goto("./")
    expect(page.locator("[data-part=status]")).to_contain_text("could not load its data")
    assert shown_choice(page)  # what the page brought still stands there


def test_no_cookies_and_nothing_is_kept_but_choices(open_page: Callable[..., Page]) -> None:
    page = open_page()
    own = "Object.keys(localStorage).filter((key) => !key.includes('__palette'))"
    assert page.evaluate(own) == []
    page.locator("input[name=platform][value=cpu]").check()
    assert page.context.cookies() == []
    assert page.evaluate(own) == ["accelerator-portal.selector"]
    assert page.evaluate("localStorage['accelerator-portal.selector']") == '[["platform","cpu"]]'
    page.locator("[data-reset]").evaluate("button => button.click()")
    assert page.evaluate(own) == []
