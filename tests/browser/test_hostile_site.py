"""Every hostile text that is accepted, in a browser: nothing runs, nothing leaves the site.

Once as readers have it, and once without the Content-Security-Policy, so that what is written into
the pages is tested by itself.
"""

from __future__ import annotations

import pytest

from accelerator_portal.site.vendor_text import render_vendor_text
from tests.browser.visit import wait_until_ready
from tests.browser.watching import TOUCH, Watcher, bare, guarded
from tests.built_site import Site
from tests.hostile import markdown, texts
from tests.hostile.built import hostile_site

__all__ = ["bare", "guarded", "hostile_site"]

# Pages without a word of a vendor's, which tests/hostile/test_site.py compares.
OURS = ("contribute/", "versions/", "404.html")


@pytest.mark.parametrize("kind", ["guarded", "bare"])
def test_nothing_runs_on_any_page(
    kind: str, request: pytest.FixtureRequest, hostile_site: Site
) -> None:
    watcher: Watcher = request.getfixturevalue(kind)
    faults = []
    pages = [address for address in hostile_site.pages if not address.startswith(OURS)]
    assert len(pages) > 30
    for address in pages[:: 1 if kind == "bare" else 2]:
        watcher.page.goto(address)
        wait_until_ready(watcher.page)
        watcher.page.evaluate(TOUCH)
        faults += watcher.faults(address)
    assert faults == []


def test_nothing_runs_in_what_scripts_make_of_the_data(bare: Watcher) -> None:
    """Each choice of the selector, cards that the finder shows, each filter, sorting, search."""
    page = bare.page
    page.goto("")
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
        page.evaluate(TOUCH)
        faults += bare.faults(f"the search for {words}")
    assert faults == []


def test_the_sanitiser_alone_lets_nothing_run(bare: Watcher) -> None:
    """All that is refused as well, as if no rule had been there, on a page without a policy."""
    written = [*texts.ALL.values(), *markdown.ACCEPTED.values()]
    written += [text for text, _ in markdown.REFUSED.values()]
    html = "".join(render_vendor_text(text, "prepare", lambda _: None) for text in written)
    bare.page.route("**/bare/", lambda route: route.fulfill(body=_page(html), headers=_HTML))
    bare.page.goto("bare/")
    assert bare.page.locator("article").count() == 1
    bare.page.evaluate(TOUCH)
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
