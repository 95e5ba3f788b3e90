"""A browser on this machine, a server for it, and the slow phone that both play."""

from __future__ import annotations

import functools
import gzip
import shutil
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from playwright.sync_api import CDPSession, ViewportSize

BROWSERS = ("chromium", "chromium-browser", "google-chrome")

PHONE: ViewportSize = {"width": 390, "height": 844}
SLOWDOWN = 4
"""How many times as long as this machine the phone computes."""
NETWORK = {
    "offline": False,
    "latency": 150,
    "downloadThroughput": 200_000,
    "uploadThroughput": 93_750,
}
"""1.6 Mbit/s down, 750 kbit/s up, as Lighthouse's slow phone."""

_TEXT = frozenset({".html", ".js", ".json", ".css", ".svg"})


def browser_path() -> str | None:
    """Return where a browser is; say so where there is none."""
    executable = next(filter(None, map(shutil.which, BROWSERS)), None)
    if executable is None:
        print(f"None of {', '.join(BROWSERS)} is installed.", file=sys.stderr)
    return executable


def slow_phone(session: CDPSession) -> None:
    """Give a page the network and the processor of a slow phone."""
    session.send("Network.enable")
    session.send("Network.emulateNetworkConditions", NETWORK)
    session.send("Emulation.setCPUThrottlingRate", {"rate": SLOWDOWN})


@contextmanager
def served(site: Path) -> Iterator[str]:
    """Serve a built site on this machine only, text compressed; what comes is its origin."""
    handler = functools.partial(_Compressing, directory=str(site))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


class _Compressing(SimpleHTTPRequestHandler):
    """Sends text compressed, as GitHub Pages and other static servers do."""

    extensions_map = {**SimpleHTTPRequestHandler.extensions_map, ".js": "text/javascript"}  # noqa: RUF012

    def do_GET(self) -> None:
        """Answer with a file."""
        path = Path(self.translate_path(self.path))
        path = path / "index.html" if path.is_dir() else path
        if not path.is_file():
            self.send_error(HTTPStatus.NOT_FOUND)
            return
        body = path.read_bytes()
        self.send_response(HTTPStatus.OK)
        if path.suffix in _TEXT:
            body = gzip.compress(body)
            self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Type", self.guess_type(str(path)))
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        with suppress(BrokenPipeError):  # a page that is closed wants no more
            self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Write nothing."""
