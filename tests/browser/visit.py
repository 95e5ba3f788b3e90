"""Opening pages of the site, and watching what they do."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from playwright.sync_api import Browser, Page, ViewportSize
from playwright.sync_api import expect as expect_of_playwright

from accelerator_portal.install import Choice
from tests.browser.profiles import PATIENCE, Profile, Profiles
from tests.browser.watched import Watched

expect = expect_of_playwright
expect.set_options(timeout=PATIENCE)

OpenPage = Callable[..., Page]
"""What the fixture `open_page` gives: it opens an address of the site."""

DESKTOP: ViewportSize = {"width": 1280, "height": 900}
PHONE: ViewportSize = {"width": 390, "height": 844}

# Milliseconds. The selector fetches up to 24 files, each in a moment when the browser is idle or
# after two seconds: on a busy machine that takes longer than any other wait.
LOADED_AHEAD = 60_000

# What a reader chose, as the page shows it: one checked radio button an axis.
_CHOICE = """(form) => Object.fromEntries(
  [...form.querySelectorAll("input[type=radio]:checked")].map((input) => [input.name, input.value])
)"""


@dataclass
class Opened:
    """A page and what it did."""

    page: Page
    watched: Watched


class Visitor:
    """Opens pages, each as if in a profile of its own, and remembers what they did.

    Visitors that are given the same profiles take pages from each other.
    """

    def __init__(self, browser: Browser, origin: str, profiles: Profiles | None = None) -> None:
        self._profiles = profiles or Profiles(browser)
        self._origin = origin
        self._taken: list[Profile] = []
        self.watched: list[Watched] = []

    def open(
        self,
        address: str = "",
        *,
        script: str = "",
        wait: bool = True,
        **options: Any,  # noqa: ANN401 - Playwright's
    ) -> Page:
        """Open an address of the site; `script` runs first, `options` are the profile's.

        Without `wait` the page's own scripts may still be at work.
        """
        options.setdefault("viewport", DESKTOP)
        profile = self._profiles.take(self._origin, script, options)
        self._taken.append(profile)
        self.watched.append(profile.watched)
        profile.page.goto(self._origin + address)
        if wait and options.get("java_script_enabled", True):
            wait_until_ready(profile.page)
        return profile.page

    def close(self) -> list[str]:
        """Leave everything; return what went wrong."""
        while self._taken:
            self._profiles.give_back(self._taken.pop())
        return [fault for watched in self.watched for fault in watched.faults()]


def wait_until_ready(page: Page) -> None:
    """Wait until the page's scripts have done what they do on their own."""
    page.wait_for_load_state("load")
    expect(page.locator("html[data-scripts=begun]")).to_be_attached()
    expect(page.locator('form[data-selector]:not([data-ready=""])')).to_have_count(0)
    ahead = 'form[data-selector]:not([data-platform], [data-loaded-ahead=""])'
    expect(page.locator(ahead)).to_have_count(0, timeout=LOADED_AHEAD)


def set_clock(page: Page, time: dt.datetime | None = None) -> None:
    """Give the page Playwright's clock, from a time or from now, and open its address anew.

    The page is left first: what it had started goes on with the real clock, and a script that can
    no longer cancel its timers throws.
    """
    address = page.url
    page.goto("about:blank")
    page.clock.install(time=time)
    page.goto(address)


def shown_choice(page: Page) -> dict[str, str]:
    """The values that the page's selector shows as chosen; a variant only where there is one."""
    form = page.locator("form[data-selector]")
    shown: dict[str, str] = form.evaluate(_CHOICE)
    return {"platform": form.get_attribute("data-platform") or "", **shown}


def shown_commands(page: Page) -> str:
    return page.locator("[data-part=commands]").text_content() or ""


def status(page: Page) -> str:
    return page.locator("[data-part=status]").text_content() or ""


def search(page: Page, words: str) -> None:
    """Search as a reader does: Material listens to keys, not to the text."""
    field = page.locator(".md-search__input")
    if not field.is_visible():
        page.get_by_role("button", name="Search").click()
    field.click()
    field.press_sequentially(words)
    expect(page.locator(".md-search-result__meta")).to_contain_text("matching")


def address_of(choice: Choice, *, page: str = "") -> str:
    """The address of a choice, written by hand as the page's script would."""
    axes = dict(choice)
    if choice["variant"] == "default":
        del axes["variant"]
    return f"{page}?" + "&".join(f"{axis}={value}" for axis, value in axes.items())
