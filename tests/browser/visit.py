"""Opening pages of the site, and watching what they do."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, ViewportSize
from playwright.sync_api import expect as expect_of_playwright

from accelerator_portal.install import Choice

# Milliseconds; ten times what a slow machine needs, reached only by what never comes.
PATIENCE = 15_000

expect = expect_of_playwright
expect.set_options(timeout=PATIENCE)

# An address without a page: the browser itself complains of it.
MISSING = "nowhere/at/all/"

DESKTOP: ViewportSize = {"width": 1280, "height": 900}
PHONE: ViewportSize = {"width": 390, "height": 844}

_REPORT_VIOLATIONS = """
addEventListener("securitypolicyviolation", (event) => {
  console.error(`policy: ${event.violatedDirective} ${event.blockedURI} ${event.sample}`);
});
"""
# What a reader chose, as the page shows it: one checked radio button an axis.
_CHOICE = """(form) => Object.fromEntries(
  [...form.querySelectorAll("input[type=radio]:checked")].map((input) => [input.name, input.value])
)"""


@dataclass
class Watched:
    """What a page did that no page should do."""

    origin: str
    console: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    foreign: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)

    def watch(self, context: BrowserContext) -> None:
        """Begin to listen."""
        context.on("console", self._message)
        context.on("weberror", lambda e: self.errors.append(str(e.error)))
        context.on("request", lambda r: self._request(r.url))
        context.on("requestfailed", lambda r: self.failed.append(f"{r.url}: {r.failure}"))

    def faults(self) -> list[str]:
        """Everything that should not have been."""
        return [*self.console, *self.errors, *self.foreign]

    def _message(self, message: ConsoleMessage) -> None:
        missing = message.location.get("url") == self.origin + MISSING
        if message.type in {"error", "warning"} and not missing:
            self.console.append(f"{message.type}: {message.text}")

    def _request(self, address: str) -> None:
        if not address.startswith((self.origin, "data:", "blob:")):
            self.foreign.append(address)


@dataclass
class Opened:
    """A page and what it did."""

    page: Page
    watched: Watched


class Visitor:
    """Opens pages, each in its own profile, and remembers what they did."""

    def __init__(self, browser: Browser, origin: str) -> None:
        self._browser = browser
        self._origin = origin
        self._contexts: list[BrowserContext] = []
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
        context = self._browser.new_context(base_url=self._origin, **options)
        context.set_default_timeout(PATIENCE)
        self._contexts.append(context)
        self.watched.append(watched := Watched(self._origin))
        watched.watch(context)
        context.add_init_script(_REPORT_VIOLATIONS + script)
        page = context.new_page()
        page.goto(self._origin + address)
        if wait and options.get("java_script_enabled", True):
            wait_until_ready(page)
        return page

    def close(self) -> list[str]:
        """Close everything; return what went wrong."""
        for context in self._contexts:
            context.close()
        return [fault for watched in self.watched for fault in watched.faults()]


def wait_until_ready(page: Page) -> None:
    """Wait until the page's scripts have done what they do on their own."""
    page.wait_for_load_state("load")
    for form in page.locator("form[data-selector]").all():
        expect(form).to_have_attribute("data-ready", "")


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


def address_of(choice: Choice, *, page: str = "get-started/") -> str:
    """The address of a choice, written by hand as the page's script would."""
    axes = dict(choice)
    if choice["variant"] == "default":
        del axes["variant"]
    return f"{page}?" + "&".join(f"{axis}={value}" for axis, value in axes.items())
