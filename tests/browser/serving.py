"""Serving a built site as any static server does."""

from __future__ import annotations

import functools
import gzip
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import BinaryIO

_TEXT = frozenset({".html", ".js", ".json", ".css", ".svg"})

# How pages come on a slow line: bytes, and the seconds after each such piece. A frame takes 0.016.
_PIECE, _PAUSE = 700, 0.025
# Large pages come in larger pieces.
_MOST_PIECES = 300


@contextmanager
def served(root: Path, *, compressed: bool = False, slow: bool = False) -> Iterator[str]:
    """Serve a folder on this machine only; what comes is its address, which ends in a slash.

    `compressed` sends text with gzip; `slow` sends pages in small pieces, nothing else slowly.
    """
    kind = _Compressing if compressed else _Slow if slow else _Quiet
    handler = functools.partial(kind, directory=str(root))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
        thread.join()


class _Quiet(SimpleHTTPRequestHandler):
    """Serves files as any static server does: 404.html where there is no file."""

    extensions_map = {**SimpleHTTPRequestHandler.extensions_map, ".js": "text/javascript"}  # noqa: RUF012

    def log_message(self, *_: object) -> None:
        """Write nothing."""

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        page = Path(self.directory) / "404.html"
        if code != 404 or not page.is_file():
            super().send_error(code, message, explain)
            return
        body = page.read_bytes()
        self.send_response(404)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


class _Compressing(_Quiet):
    """Sends text compressed, as GitHub Pages and other static servers do."""

    def do_GET(self) -> None:
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


class _Slow(_Quiet):
    """Sends pages in pieces, so that the browser draws what it has after each."""

    def copyfile(self, source: BinaryIO, outputfile: BinaryIO) -> None:  # type: ignore[override]
        if not self.path.partition("?")[0].endswith("/"):
            super().copyfile(source, outputfile)
            return
        size = max(_PIECE, os.fstat(source.fileno()).st_size // _MOST_PIECES)
        while piece := source.read(size):
            outputfile.write(piece)
            time.sleep(_PAUSE)
