"""Measure a test's history of a year on a slow phone: `python -m benchmarks.history_page`.

The tests and nights are made up, of a platform that does not exist, in a temporary copy. The site
is built as usual, and served compressed, as GitHub Pages does. The browser is four times as slow as
on this machine, and has 1.6 Mbit/s with 150 ms of latency. One measurement is from the choice of a
test until its history is painted, another from opening a link until the history is on the page,
with an empty cache.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from accelerator_portal.results.partitions.columns import change_tables
from accelerator_portal.results.partitions.manifest import (
    MONTH_FILE_STEM,
    Manifest,
    Partition,
    month_of,
    write_manifest,
)
from accelerator_portal.results.partitions.parquet_files import write_parquet_file
from accelerator_portal.results.state_file import write_state
from accelerator_portal.results.stored_history import History, state_path
from accelerator_portal.site.results.history_pages import courses_by_test
from benchmarks.browser import PHONE, browser_path, slow_phone
from benchmarks.copies import make_generated
from benchmarks.made_up_year import add_report, add_suite, history, test_names
from benchmarks.matrix import ROOT, build_portal
from tests.browser.serving import served

PLATFORM = "synthetic-0001"
PAGE = "results/test-history/"

_READY = """() => document.documentElement.dataset.scripts === "begun"
  && document.querySelector("form .filters-state").textContent.includes("tests in")"""
_CHOOSE = """async (address) => {
  const begin = performance.now();
  const painted = new Promise((done) => new MutationObserver((_, watch) => {
    if (!document.querySelector(".course-strip")) return;
    watch.disconnect();
    requestAnimationFrame(() => setTimeout(() => done(performance.now() - begin)));
  }).observe(document.querySelector("[data-part=history]"), { childList: true }));
  history.pushState(null, "", address);
  dispatchEvent(new PopStateEvent("popstate"));
  return painted;
}"""


def main() -> int:
    """Print one line for each measurement; return 1 if there is no browser."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.history_page", description=__doc__)
    parser.add_argument("--tests", type=int, default=3_000, help="tests of a night (3,000)")
    parser.add_argument("--nights", type=int, default=365, help="nights (365)")
    parser.add_argument("--repeat", type=int, default=7, help="measurements of each (7)")
    arguments = parser.parse_args()
    executable = browser_path()
    if executable is None:
        return 1
    with tempfile.TemporaryDirectory(prefix="portal-benchmarks-") as folder:
        site, tests = _site(Path(folder, "portal"), arguments.tests, arguments.nights)
        _sizes(site)
        every = max(1, len(tests) // arguments.repeat)
        addresses = [f"?platform={PLATFORM}-runs&test={name}" for name in tests[::every]]
        with served(site, compressed=True) as origin, sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=executable, args=["--no-sandbox"])
            _show("from the choice", [_chosen(browser, origin, a) for a in addresses])
            _show(
                "from the address, nothing cached", [_opened(browser, origin, a) for a in addresses]
            )
            browser.close()
    return 0


def _site(folder: Path, tests: int, nights: int) -> tuple[Path, list[str]]:
    """Build a portal with a made-up year; return the site and the keys of its tests."""
    make_generated(ROOT, folder, 2, "")
    kept, last = history(PLATFORM, tests, nights)
    state = state_path(folder, PLATFORM, "runs")
    _write_changes(folder, kept)
    write_state(state, kept.state)
    add_suite(folder, test_names(tests))
    add_report(folder, last)
    numbers = dict.fromkeys(kept.state.reports, 0)
    return build_portal(folder), list(courses_by_test(kept.changes, numbers))


def _write_changes(folder: Path, kept: History) -> None:
    """Archive all changes at once, not night by night."""
    month = month_of(kept.changes[0].started)
    files = [
        write_parquet_file(
            folder, Partition("runs", "changes", PLATFORM, suite, month), MONTH_FILE_STEM, t
        )
        for suite, t in change_tables(kept.changes).items()
    ]
    write_manifest(folder, Manifest(accelerator=PLATFORM).with_files(files))


def _sizes(site: Path) -> None:
    folder = site / "api/v1/test-histories" / f"{PLATFORM}-runs"
    index = (folder / "index.json").stat().st_size
    sizes = sorted(f.stat().st_size for f in folder.iterdir() if f.name != "index.json")
    words = f"{len(sizes)} files of {sizes[0] / 1000:.0f} to {sizes[-1] / 1000:.0f} kB"
    print(f"index {index / 1000:.0f} kB, {words}; not compressed")


def _page(browser: Browser) -> Page:
    context = browser.new_context(viewport=PHONE)
    page = context.new_page()
    slow_phone(context.new_cdp_session(page))
    return page


def _chosen(browser: Browser, origin: str, address: str) -> float:
    """Choose a test on the open page, which has loaded its index; return milliseconds."""
    page = _page(browser)
    page.goto(f"{origin}{PAGE}", wait_until="load", timeout=120_000)
    page.wait_for_function(_READY, timeout=120_000)
    took = float(page.evaluate(_CHOOSE, address))
    page.context.close()
    return took


def _opened(browser: Browser, origin: str, address: str) -> float:
    """Open a link to a test; return the milliseconds until its history is on the page."""
    page = _page(browser)
    page.goto(f"{origin}{PAGE}{address}", wait_until="commit", timeout=120_000)
    page.wait_for_selector(".course-strip", timeout=120_000)
    took = float(page.evaluate("performance.now()"))
    page.context.close()
    return took


def _show(words: str, times: list[float]) -> None:
    print(f"{words}: {statistics.median(times):.0f} ms (most {max(times):.0f}); aim 1,000 ms")


if __name__ == "__main__":
    sys.exit(main())
