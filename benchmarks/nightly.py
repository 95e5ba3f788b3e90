"""Measure nightly updates with made-up platforms: `python -m benchmarks.nightly`.

Each platform has a feed on loopback with its own report. There are four nights: the first one, one
without news, one with a new report of one vendor, and one with new reports of all. The steps for
packages and install commands are left out.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

from accelerator_automation.archive_store import open_archive
from accelerator_automation.feeds import FeedAccess, fetch_reports
from accelerator_automation.night_steps import NETWORK_STEPS, NightRun, steps
from accelerator_automation.step_runner import StepResult, run_steps
from accelerator_portal.catalog import Catalog
from accelerator_portal.catalog.files.accelerator import ReportFeed
from accelerator_portal.http.limits import RequestLimits
from accelerator_reports.outcomes import Outcome
from accelerator_reports.report_file import report_text
from benchmarks.copies import catalog_of, make_generated
from tests.portal.results.made_up import made_up

ROOT = Path(__file__).parent.parent
SUITE = [{"name": "models", "kind": "unit"}]


class Feeds:
    """A feed on loopback for each of the platforms `names`, with a report of `tests` tests.

    `bodies` has the reports by path. `requests` counts the requests for them.
    """

    def __init__(self, names: list[str], tests: int) -> None:
        self.names, self._tests = names, tests
        self.requests = 0
        self.bodies: dict[str, bytes] = {}
        self.address = ""
        for name in names:
            self.renew(name, 0)

    def renew(self, name: str, day: int) -> None:
        """Replace a platform's report by that of a day; each day, another tenth of tests fails."""
        names = [f"test-{number}" for number in range(self._tests)]
        failing = set(names[day % 10 :: 10])
        outcomes: dict[str, Outcome] = {
            test: "failed" if test in failing else "passed" for test in names
        }
        report = made_up(day, outcomes, accelerator=name, suites=SUITE)
        self.bodies[f"/{name}.json"] = report_text(report).encode()


def main() -> None:
    """Print one line for each night of each size."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.nightly", description=__doc__)
    parser.add_argument("--platforms", type=int, nargs="+", default=[15, 100], help="(15 100)")
    parser.add_argument("--tests", type=int, default=1000, help="of each report (1000)")
    arguments = parser.parse_args()
    for count in arguments.platforms:
        with tempfile.TemporaryDirectory(prefix="portal-benchmarks-") as folder:
            _measure(Path(folder), count, arguments.tests)


def _measure(folder: Path, count: int, tests: int) -> None:
    root = folder / "root"
    root.mkdir()
    make_generated(ROOT, root, count, "")
    names = sorted(place.name for place in (root / "accelerators").iterdir())
    feeds = Feeds(names, tests)
    print(f"{count} made-up platforms, a report of {tests:,} tests each")
    with _served(feeds):
        _night(folder, feeds, "the first night")
        first = _night(folder, feeds, "nothing new")
        feeds.renew(names[0], 1)
        _night(folder, feeds, "one vendor new", first)
        for name in names:
            feeds.renew(name, 2)
        _night(folder, feeds, "all new", first)


def _night(folder: Path, feeds: Feeds, what: str, quiet_seconds: float | None = None) -> float:
    """Run one night and print its measurements; return its seconds.

    `quiet_seconds` is the duration of a night without news. If it is given, the ratio is printed.
    """
    root, before, asked = folder / "root", _sizes(folder), feeds.requests
    start = time.perf_counter()
    archive = open_archive(str(folder / "archive"))
    tonight = NightRun(root, folder / "site", _catalog(root, feeds), archive)
    _, *others = steps(tonight, NETWORK_STEPS)
    run_steps([("reports", partial(_collect_reports, tonight)), *others], _stop_at_a_fault)
    took = time.perf_counter() - start
    after = _sizes(folder)
    written = sum(size for path, (size, _) in after.items() if after[path] != before.get(path))
    ratio = (
        f", {took / quiet_seconds:.1f} times as long as a night without news"
        if quiet_seconds
        else ""
    )
    print(
        f"  {what}: {took:.1f} s, {feeds.requests - asked} requests, "
        f"{written / 1e6:.1f} MB written{ratio}, "
        f"{'a site built' if tonight.published else 'no site built'}"
    )
    return took


def _collect_reports(tonight: NightRun) -> str:
    """Fetch the reports as the night's own step does, but from this machine.

    Returns the number of new reports in words. Raises SystemExit if a feed cannot be read.
    """
    access = FeedAccess(RequestLimits(public_hosts_only=False))
    results = fetch_reports(tonight.root, tonight.catalog, tonight.now, access)
    if faults := [text for result in results for text in result.why]:
        raise SystemExit("\n".join(faults))
    return f"{sum(result.outcome == 'new' for result in results)} new"


def _stop_at_a_fault(step: StepResult) -> None:
    if step.failed:
        raise SystemExit(f"{step.name}: {step.words}")


def _sizes(folder: Path) -> dict[Path, tuple[int, int]]:
    """Return the size and the modification time of every file in a folder."""
    found = ((file, file.stat()) for file in folder.rglob("*") if file.is_file())
    return {file: (stat.st_size, stat.st_mtime_ns) for file, stat in found}


def _catalog(root: Path, feeds: Feeds) -> Catalog:
    """Return the catalog with a feed for each platform; files cannot declare one on loopback."""
    catalog = catalog_of(root)
    platforms = []
    for platform in catalog.platforms:
        feed = ReportFeed.model_construct(
            name="nightly",
            source=("made-up",),
            url=f"{feeds.address}/{platform.id}.json",
            sha256=None,
            release=None,
            artifact=None,
        )
        declared = platform.accelerator.model_copy(update={"report_feeds": (feed,)})
        platforms.append(replace(platform, accelerator=declared))
    return replace(catalog, platforms=tuple(platforms))


@contextmanager
def _served(feeds: Feeds) -> Iterator[None]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            """Respond with a platform's report."""
            feeds.requests += 1
            body = feeds.bodies[self.path]
            self.send_response(200)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Write no log."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    feeds.address = f"http://127.0.0.1:{server.server_port}"
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()


if __name__ == "__main__":
    main()
