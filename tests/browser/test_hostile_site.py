"""Every hostile text that is accepted, in a browser: nothing runs, nothing leaves the site.

Once as readers have it, and once without the Content-Security-Policy, so that what is written into
the pages is tested by itself. `alert` and its like are replaced by a call that the tests see.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, Page

from accelerator_portal.site.vendor_text import render_vendor_text
from tests.browser.serving import served
from tests.browser.visit import PATIENCE, Watched, wait_until_ready
from tests.built_site import Site
from tests.hostile import markdown, texts
from tests.hostile.built import hostile_site

__all__ = ["hostile_site"]

_WATCH = """
window.ran = [];
for (const name of ["alert", "prompt", "confirm", "print", "open"]) {
  window[name] = (...words) => { window.ran.push(`${name} ${words}`); };
}
Object.defineProperty(window, "ran", { writable: false, configurable: false });
"""
# What a reader might set off, all at once; no link is followed, so that the page stays.
_TOUCH = """() => {
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

# What an address may ask for; the pages read it with scripts.
# fmt: off
ASKED = (
    "<img src=x onerror=alert(1)>", "<script>alert(1)</script>", '"><svg/onload=alert(1)>',
    "javascript:alert(1)", "__proto__", "constructor", "toString", "%00", "%", "%E0%A4%A", "../..",
    "{{constructor.constructor('alert(1)')()}}", "' onfocus=alert(1) autofocus x='", "x" * 5000,
    "\u202eemca", "a,b,c,d,e", "acme&os=<b>", "]]>", "${alert(1)}", "//evil.example", "\U0001f600",
)
# fmt: on
QUESTIONS = (
    "get-started/?platform={}&os={}&build={}&variant={}&python={}&method={}&arch={}",
    "hardware/?card={}#{}",
    "compare/?with={},acme,{}",
    "questions/?text={}&platform={}",
    "results/made-up/?text={}&outcome={}&accelerator={}&dtype={}&sort={}&page={}#{}",
    "results/made-up/tests/?text={}&outcome={}#{}",
    "compute-platforms/acme/?platform={}&arch={}&variant={}#{}",
    "?q={}#{}",
)


def asked_of(question: str) -> Iterator[str]:
    """The question with each of ASKED at some place in it, encoded and as it is in turn."""
    turn = iter(ASKED)
    number = 0
    while (first := next(turn, None)) is not None:
        address = question.replace("{}", _written(first, number), 1)
        while "{}" in address:
            number += 1
            address = address.replace("{}", _written(next(turn, "acme"), number), 1)
        number += 1
        yield address


def _written(text: str, number: int) -> str:
    return quote(text, safe="" if number % 2 else "<>\"'(){}$/:=%")


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
        watched = Watched(origin)
        watched.watch(context)
        yield Watcher(context.new_page(), watched)
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


@pytest.mark.parametrize("kind", ["guarded", "bare"])
def test_nothing_runs_on_any_page(
    kind: str, request: pytest.FixtureRequest, hostile_site: Site
) -> None:
    watcher: Watcher = request.getfixturevalue(kind)
    faults = []
    assert len(hostile_site.pages) > 40
    for address in hostile_site.pages:
        watcher.page.goto(address)
        wait_until_ready(watcher.page)
        watcher.page.evaluate(_TOUCH)
        faults += watcher.faults(address)
    assert faults == []


def test_nothing_runs_in_what_scripts_make_of_the_data(bare: Watcher) -> None:
    """Each choice of the selector, cards that the finder shows, each filter, sorting, search."""
    page = bare.page
    page.goto("get-started/")
    wait_until_ready(page)
    for platform in page.locator("form[data-selector] input[name=platform]").all():
        platform.check(force=True)
        for variant in page.locator("form[data-selector] input[name=variant]").all():
            variant.check(force=True)
    faults = bare.faults("the selector")
    for words in ("script", "img", "a2", "svg", "onload", "plain"):
        page.goto(f"hardware/?card={words}")
        page.wait_for_load_state("networkidle")
        faults += bare.faults(f"the card {words}")
    page.goto("results/made-up/")
    for button in page.locator(".matrix-sort").all()[:4]:
        button.evaluate("button => button.click()")
    page.wait_for_load_state("networkidle")
    faults += bare.faults("the matrix")
    for words in ("alert", "script", "onerror", "evil"):
        page.goto(f"?q={words}")
        page.wait_for_load_state("networkidle")
        page.evaluate(_TOUCH)
        faults += bare.faults(f"the search for {words}")
    assert faults == []


@pytest.mark.parametrize("question", QUESTIONS)
def test_an_address_asks_for_nothing_that_runs(bare: Watcher, question: str) -> None:
    faults = []
    for address in asked_of(question):
        bare.page.goto(address)
        wait_until_ready(bare.page)
        faults += bare.faults(address)
    assert faults == []


def test_the_sanitiser_alone_lets_nothing_run(bare: Watcher) -> None:
    """All that is refused as well, as if no rule had been there, on a page without a policy."""
    written = [*texts.ALL.values(), *markdown.ACCEPTED.values()]
    written += [text for text, _ in markdown.REFUSED.values()]
    html = "".join(render_vendor_text(text, "prepare", lambda _: None) for text in written)
    bare.page.route("**/bare/", lambda route: route.fulfill(body=_page(html), headers=_HTML))
    bare.page.goto("bare/")
    assert bare.page.locator("article").count() == 1
    bare.page.evaluate(_TOUCH)
    assert bare.faults("bare") == []


def test_what_would_run_is_noticed(bare: Watcher) -> None:
    """So that a fault in this file itself would show."""
    bad = "<img src=x onerror=alert(1)><a href='javascript:alert(2)'>x</a><script>alert(3)</script>"
    bare.page.route("**/bad/", lambda route: route.fulfill(body=_page(bad), headers=_HTML))
    bare.page.goto("bad/")
    bare.page.wait_for_load_state("networkidle")
    faults = [fault for _, fault in bare.faults("bad")]
    assert {"alert 1", "alert 3", "IMG onerror", "javascript:alert(2)"} <= set(faults)


_HTML = {"Content-Type": "text/html; charset=utf-8"}


def _page(content: str) -> str:
    return f"<!doctype html><html lang=en><title>x</title><article>{content}</article></html>"
