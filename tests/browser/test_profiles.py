"""A page that was used before is as good as a new one, and each visit has its own faults."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.profiles import Profiles
from tests.browser.visit import DESKTOP, PHONE, Visitor, set_clock

ADDRESS = "run-anywhere/"
# Everything by which one visit could reach the next one.
STATE = """async () => ({
  stored: [{ ...localStorage }, { ...sessionStorage }, document.cookie],
  databases: await indexedDB.databases(),
  caches: await caches.keys(),
  steps: history.length,
  looks: ["(prefers-color-scheme: dark)", "(prefers-reduced-motion)", "print"].map(
    (query) => matchMedia(query).matches
  ),
  size: [innerWidth, innerHeight, scrollY],
  clipboard: (await navigator.permissions.query({ name: "clipboard-read" })).state,
  left: window.left ?? null,
  hovered: document.querySelectorAll("h1:hover").length,
  focused: document.activeElement.nodeName,
})"""
LEAVE = """async () => {
  localStorage.setItem("left", "1");
  sessionStorage.setItem("left", "1");
  document.cookie = "left=1";
  await new Promise((done) => { indexedDB.open("left").onsuccess = done; });
  await caches.open("left");
  history.pushState(null, "", "?left");
  window.left = 1;
}"""


@pytest.fixture
def own(browser: Browser) -> Iterator[Profiles]:
    """Profiles that no other test has taken."""
    profiles = Profiles(browser)
    yield profiles
    profiles.close()


def state(page: Page) -> Any:  # noqa: ANN401 - any JSON
    return page.evaluate(STATE)


def test_nothing_is_left_of_an_earlier_visit(browser: Browser, origin: str, own: Profiles) -> None:
    first = Visitor(browser, origin, own)
    page = first.open(ADDRESS)
    new = state(page)
    page.evaluate(LEAVE)
    page.set_viewport_size(PHONE)
    page.emulate_media(media="print", color_scheme="dark", reduced_motion="reduce")
    page.context.grant_permissions(["clipboard-read"])
    page.route("**/*", lambda route: route.abort())
    page.context.route("**/*", lambda route: route.abort())
    page.context.new_page()
    page.locator("h1").hover()
    page.keyboard.press("Tab")
    changed = state(page)
    assert [key for key in new if new[key] == changed[key]] == []
    first.close()
    second = Visitor(browser, origin, own)
    again = second.open(ADDRESS)
    assert again is page
    assert again.context.pages == [again]
    assert state(again) == new
    assert second.close() == []


def test_a_visit_has_the_looks_that_it_asks_for(
    browser: Browser, origin: str, own: Profiles
) -> None:
    looks: dict[str, Any] = {"viewport": PHONE, "color_scheme": "dark", "reduced_motion": "reduce"}
    plain = Visitor(browser, origin, own)
    page = plain.open(ADDRESS, viewport=DESKTOP)
    plain.close()
    visitor = Visitor(browser, origin, own)
    assert visitor.open(ADDRESS, **looks) is page
    new = Visitor(browser, origin)
    assert state(page) == state(new.open(ADDRESS, **looks))
    assert new.close() == visitor.close() == []


def test_each_visit_has_its_own_faults(browser: Browser, origin: str, own: Profiles) -> None:
    for turn in ("first", "second"):
        visitor = Visitor(browser, origin, own)
        page = visitor.open(ADDRESS)
        page.evaluate("(turn) => console.error(turn)", turn)
        page.evaluate("(turn) => { setTimeout(() => { throw new Error(turn); }); }", turn)
        assert visitor.close() == [f"error: {turn}", turn]


@pytest.mark.parametrize("kind", ["script", "permissions", "clock", "scripts off", "still open"])
def test_what_cannot_be_put_back_is_not_taken_again(
    kind: str, browser: Browser, origin: str, own: Profiles
) -> None:
    asked: dict[str, dict[str, Any]] = {
        "script": {"script": "window.first = 1;"},
        "permissions": {"permissions": ["clipboard-read"]},
        "scripts off": {"java_script_enabled": False},
    }
    first = Visitor(browser, origin, own)
    page = first.open(ADDRESS, **asked.get(kind, {}))
    if kind == "clock":
        set_clock(page)
    if kind != "still open":
        first.close()
    second = Visitor(browser, origin, own)
    assert second.open(ADDRESS) is not page
    assert second.close() == first.close() == []
