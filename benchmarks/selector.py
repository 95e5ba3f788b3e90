"""Measure the install selector on a slow phone: `python -m benchmarks.selector SITE`.

Chromium is slowed down to a quarter of this machine's speed, and has 1.6 Mbit/s with 150 ms of
latency. The server compresses as any static server does. The page is loaded alternately with and
without its scripts. One ratio is that of the first paint with scripts to the first paint without
scripts. The other ratio is that of the time at which the selector can be used to the first paint.
SITE is a built site, `site` by default.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser, Page, ViewportSize, sync_playwright

from tests.browser.executables import BROWSERS
from tests.browser.serving import served

PHONE: ViewportSize = {"width": 390, "height": 844}
SLOWDOWN = 4
# The network of Lighthouse's slow phone, in bytes per second and milliseconds.
_NETWORK = {
    "offline": False,
    "latency": 150,
    "downloadThroughput": 200_000,
    "uploadThroughput": 93_750,
}

_WATCH = """
window.shift = 0;
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shift += entry.value;
}).observe({ type: "layout-shift", buffered: true });
new MutationObserver((_, observer) => {
  if (!document.querySelector("form[data-ready]")) return;
  window.ready = performance.now();
  observer.disconnect();
}).observe(document, { subtree: true, attributeFilter: ["data-ready"] });
"""
# The time from a click until the frame with its commands is painted, their data fetched.
_CLICK = """(platform) => new Promise((done) => {
  const begun = performance.now();
  document.querySelector(`input[name=platform][value="${platform}"]`).click();
  const painted = () => requestAnimationFrame(() => setTimeout(() => {
    if (document.querySelector("form[data-selector][aria-busy]")) painted();
    else done(performance.now() - begun);
  }));
  painted();
})"""
_PAINT = """() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime"""


@dataclass(frozen=True, slots=True)
class Visit:
    """One visit: `paint` and `ready` in milliseconds after the start of the navigation.

    `clicks` are the milliseconds from each click until its commands are painted, `transferred` are
    bytes, and `shift` is the sum of the layout shifts.
    """

    paint: float
    ready: float
    clicks: tuple[float, ...]
    transferred: int
    shift: float


def visit(browser: Browser, address: str, *, scripts: bool) -> Visit:
    """Open the home page once in a new profile and, with scripts, use its selector."""
    context = browser.new_context(viewport=PHONE, java_script_enabled=scripts)
    page = context.new_page()
    page.add_init_script(_WATCH)
    session = context.new_cdp_session(page)
    session.send("Network.enable")
    session.send("Network.emulateNetworkConditions", _NETWORK)
    session.send("Emulation.setCPUThrottlingRate", {"rate": SLOWDOWN})
    received: list[float] = []
    session.on("Network.loadingFinished", lambda e: received.append(e["encodedDataLength"]))
    page.goto(address)
    found = _measured(page, scripts=scripts)
    shift = float(page.evaluate("window.shift ?? 0")) if scripts else 0.0
    context.close()
    return Visit(*found, int(sum(received)), shift)


def _measured(page: Page, *, scripts: bool) -> tuple[float, float, tuple[float, ...]]:
    while not (paint := page.evaluate(_PAINT)):
        page.wait_for_timeout(50)
    if not scripts:
        return paint, paint, ()
    page.wait_for_selector("form[data-ready]", timeout=60_000)
    ready = page.evaluate("ready")
    clicks = tuple(page.evaluate(_CLICK, name) for name in ("cpu", "rocm", "cuda"))
    page.wait_for_load_state("networkidle")
    return paint, ready, clicks


def main() -> None:
    """Visit the home page with and without scripts; print the medians and their ratios."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("site", nargs="?", type=Path, default=Path("site"))
    options.add_argument("--repeat", type=int, default=5)
    chosen = options.parse_args()
    # A browser that can only run headless is the last choice.
    executable = next(filter(None, map(shutil.which, reversed(BROWSERS))), None)
    if executable is None or not (chosen.site / "index.html").is_file():
        options.error("needs Chromium and a built site: make site")
    with sync_playwright() as playwright, served(chosen.site, compressed=True) as origin:
        arguments = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
        browser = playwright.chromium.launch(executable_path=executable, args=arguments)
        plain: list[Visit] = []
        whole: list[Visit] = []
        for _ in range(chosen.repeat):
            plain.append(visit(browser, origin, scripts=False))
            whole.append(visit(browser, origin, scripts=True))
        browser.close()
    _print(plain, whole)


def _print(plain: list[Visit], whole: list[Visit]) -> None:
    still, paint, ready = (
        statistics.median(values)
        for values in (
            [one.paint for one in plain],
            [one.paint for one in whole],
            [one.ready for one in whole],
        )
    )
    print(f"first paint: {paint:.0f} ms, without scripts {still:.0f} ms, ratio {paint / still:.2f}")
    print(f"selector ready: {ready:.0f} ms, ratio to first paint {ready / paint:.2f} (aim 1.3)")
    clicks = [statistics.median(times) for times in zip(*(v.clicks for v in whole), strict=True)]
    print(f"first click: {clicks[0]:.0f} ms (aim 200); next: {max(clicks[1:]):.0f} ms (aim 100)")
    print(f"home transfers {whole[0].transferred / 1000:.0f} kB (aim 180)")
    print(f"layout shift: {max(one.shift for one in whole):.4f} (aim 0)")


if __name__ == "__main__":
    main()
