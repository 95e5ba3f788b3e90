"""Watching pages with hostile texts: whether anything runs, or leaves the site.

`alert` and its like are replaced by a call that the tests see.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.profiles import PATIENCE, Profile
from tests.browser.serving import served
from tests.browser.watched import Watched
from tests.built_site import Site

_WATCH = """
window.ran = [];
for (const name of ["alert", "prompt", "confirm", "print", "open"]) {
  window[name] = (...words) => { window.ran.push(`${name} ${words}`); };
}
Object.defineProperty(window, "ran", { writable: false, configurable: false });
"""
# What a reader might set off, all at once; no link is followed, so that the page stays.
TOUCH = """() => {
  addEventListener("click", (event) => event.preventDefault(), { capture: true });
  addEventListener("submit", (event) => event.preventDefault(), { capture: true });
  for (const box of document.querySelectorAll("details")) box.open = true;
  const kinds = ["mouseover", "mouseenter", "pointerenter", "focus", "focusin", "click", "toggle",
    "load", "error", "animationstart", "transitionend", "begin", "start", "wheel", "copy", "drag"];
  for (const node of document.querySelectorAll("article, article *")) {
    for (const kind of kinds) node.dispatchEvent(new Event(kind, { bubbles: false }));
  }
}"""
# Where a script could stand on a page as the browser has it.
_FOUND = """() => {
  const found = [];
  for (const node of document.querySelectorAll("*")) {
    for (const { name, value } of node.attributes) {
      const address = ["href", "src", "action", "formaction", "data", "srcdoc"].includes(name);
      if (/^on/i.test(name)) found.push(`${node.tagName} ${name}`);
      if (address && /^\\s*(javascript|vbscript|data:text|blob):/i.test(value)) found.push(value);
    }
  }
  const strange = ":is(script, iframe, object, embed, img, math, base, meta, link, template)";
  for (const node of document.querySelectorAll(`article ${strange}`)) found.push(node.outerHTML);
  return found;
}"""


class Watcher:
    """One page in a profile of its own, and everything that should not have been."""

    def __init__(self, page: Page, watched: Watched) -> None:
        self.page = page
        self.watched = watched

    def faults(self, address: str) -> list[Any]:
        """What happened since the last look."""
        ran: list[str] = self.page.evaluate("window.ran")
        elsewhere = [] if self.page.url.startswith(self.watched.origin) else [self.page.url]
        found: list[str] = self.page.evaluate(_FOUND)
        seen = [*ran, *elsewhere, *found, *self.watched.faults()]
        for store in (self.watched.console, self.watched.errors, self.watched.foreign):
            store.clear()
        return [(address, fault) for fault in seen]


@contextmanager
def watching(browser: Browser, site: Site, *, policy: bool) -> Iterator[Watcher]:
    with served(site.root) as origin:
        context = browser.new_context(base_url=origin, bypass_csp=not policy)
        context.set_default_timeout(PATIENCE)
        context.add_init_script(_WATCH)
        profile = Profile(context.new_page(), None, Watched(origin))
        yield Watcher(profile.page, profile.watched)
        context.close()


@pytest.fixture(scope="module")
def guarded(browser: Browser, hostile_site: Site) -> Iterator[Watcher]:
    """The site as readers have it."""
    with watching(browser, hostile_site, policy=True) as watcher:
        yield watcher


@pytest.fixture(scope="module")
def bare(browser: Browser, hostile_site: Site) -> Iterator[Watcher]:
    """The site without its policies."""
    with watching(browser, hostile_site, policy=False) as watcher:
        yield watcher
