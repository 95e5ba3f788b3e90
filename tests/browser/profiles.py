"""Browser profiles: one of its own for whoever needs it, and one page that all others take in turn.

A new profile with a new page takes as much processor time as the visit itself. So the page is put
back after a test: blank, nothing stored, nothing routed, no history. What cannot be put back, a
script that runs first for one, makes a profile of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from playwright.sync_api import (
    Browser,
    BrowserContext,
    CDPSession,
    ConsoleMessage,
    Page,
    Request,
    WebError,
)
from playwright.sync_api import Error as PlaywrightError

from tests.browser.watched import Watched

# Milliseconds; ten times what a slow machine needs, reached only by what never comes.
PATIENCE = 30_000

# Options of a profile that a page can take on and off. With or without scripts is a page each.
LOOKS = {"viewport", "color_scheme", "reduced_motion"}
SCRIPTS = "java_script_enabled"

REPORT_VIOLATIONS = """
addEventListener("securitypolicyviolation", (event) => {
  console.error(`policy: ${event.violatedDirective} ${event.blockedURI} ${event.sample}`);
});
"""
# Whether the page can be used again: Playwright's clock stays in a profile for good.
_LEAVE = """() => {
  if (location.origin !== "null") sessionStorage.clear();
  return !("__pwClock" in globalThis);
}"""


@dataclass
class Profile:
    """A page in a profile. `kind` says for which visits it can be taken again, if for any."""

    page: Page
    kind: tuple[str, bool] | None
    watched: Watched
    session: CDPSession | None = None

    def __post_init__(self) -> None:
        """Listen to all pages of the profile; who watches changes with the visit."""
        context = self.page.context
        context.on("console", self._console)
        context.on("weberror", self._error)
        context.on("request", self._request)
        context.on("requestfailed", self._failed)

    def _console(self, message: ConsoleMessage) -> None:
        self.watched.message(message)

    def _error(self, error: WebError) -> None:
        self.watched.errors.append(str(error.error))

    def _request(self, request: Request) -> None:
        self.watched.request(request.url)

    def _failed(self, request: Request) -> None:
        self.watched.failed.append(f"{request.url}: {request.failure}")


class Profiles:
    """The profiles of one browser."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._spare: dict[tuple[str, bool], Profile] = {}

    def take(self, origin: str, script: str, options: dict[str, Any]) -> Profile:
        """Return a page as if nobody had ever used it; `script` runs first on whatever it opens."""
        watched = Watched(origin)
        if script or not options.keys() <= LOOKS | {SCRIPTS}:
            return Profile(self._fresh(origin, script, options), None, watched)
        kind = (origin, options.get(SCRIPTS, True))
        profile = self._spare.pop(kind, None)
        if profile is None:
            return Profile(self._fresh(origin, "", options), kind, watched)
        profile.watched = watched
        # What a new profile has where nothing is said.
        profile.page.emulate_media(
            media="null",
            color_scheme=options.get("color_scheme", "light"),
            reduced_motion=options.get("reduced_motion", "no-preference"),
        )
        profile.page.set_viewport_size(options["viewport"])
        return profile

    def give_back(self, profile: Profile) -> None:
        """Make the page as good as new for the next visit, or close it."""
        kind, context = profile.kind, profile.page.context
        try:
            if kind and kind not in self._spare and _emptied(profile, kind[0]):
                self._spare[kind] = profile
                return
        except PlaywrightError:
            pass  # whatever is wrong with it, it is not used again
        context.close()

    def close(self) -> None:
        """Close the pages that nobody has taken."""
        for profile in self._spare.values():
            profile.page.context.close()
        self._spare.clear()

    def _fresh(self, origin: str, script: str, options: dict[str, Any]) -> Page:
        context: BrowserContext = self._browser.new_context(base_url=origin, **options)
        context.set_default_timeout(PATIENCE)
        context.add_init_script(REPORT_VIOLATIONS + script)
        return context.new_page()


def _emptied(profile: Profile, origin: str) -> bool:
    """Take everything out of the page that a test may have left; return whether that was all."""
    page, context = profile.page, profile.page.context
    for other in context.pages:
        if other != page:
            other.close()
    if not page.evaluate(_LEAVE):
        return False
    page.unroute_all()
    context.unroute_all()
    page.goto("about:blank")
    page.mouse.move(-1, -1)
    context.clear_cookies()
    context.clear_permissions()
    profile.session = profile.session or context.new_cdp_session(page)
    where = {"origin": origin.rstrip("/"), "storageTypes": "all"}
    profile.session.send("Storage.clearDataForOrigin", where)
    profile.session.send("Page.resetNavigationHistory")
    return True
