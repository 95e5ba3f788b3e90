"""A package index on loopback, made up for the tests: PEP 691 pages and PEP 658 metadata."""

from __future__ import annotations

import io
import json
import threading
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

JSON = "application/vnd.pypi.simple.v1+json"


@dataclass(frozen=True)
class Wheel:
    """A wheel that exists as a name and its metadata only."""

    name: str
    version: str
    tag: str = "py3-none-any"
    requires: Sequence[str] = ()
    python: str = ">=3.9"
    yanked: bool = False
    source: str = ""
    """More lines of its module."""

    @property
    def filename(self) -> str:
        """Its name as a file."""
        return f"{self.name.replace('-', '_')}-{self.version}-{self.tag}.whl"

    @property
    def metadata(self) -> str:
        """Its METADATA file."""
        lines = ["Metadata-Version: 2.1", f"Name: {self.name}", f"Version: {self.version}"]
        lines += [
            f"Requires-Python: {self.python}",
            *(f"Requires-Dist: {r}" for r in self.requires),
        ]
        return "\n".join(lines) + "\n"

    @property
    def content(self) -> bytes:
        """The wheel itself: a module of its name that knows its version."""
        bare = self.name.replace("-", "_")
        inside = f"{bare}-{self.version}.dist-info"
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w") as wheel:
            wheel.writestr(f"{bare}.py", f"__version__ = {self.version!r}\n{self.source}")
            wheel.writestr(f"{inside}/METADATA", self.metadata)
            wheel.writestr(f"{inside}/WHEEL", f"Wheel-Version: 1.0\nTag: {self.tag}\n")
            wheel.writestr(
                f"{inside}/RECORD",
                f"{bare}.py,,\n{inside}/METADATA,,\n{inside}/WHEEL,,\n{inside}/RECORD,,\n",
            )
        return file.getvalue()


def _page(name: str, wheels: Sequence[Wheel]) -> str:
    files = [
        {
            "filename": wheel.filename,
            "url": f"/files/{wheel.filename}",
            "hashes": {},
            "requires-python": wheel.python,
            "core-metadata": True,
            "yanked": wheel.yanked,
        }
        for wheel in wheels
    ]
    return json.dumps({"meta": {"api-version": "1.1"}, "name": name, "files": files})


@contextmanager
def serve(*wheels: Wheel) -> Iterator[str]:
    """Serve wheels and yield the address of the index."""
    by_name: dict[str, list[Wheel]] = {}
    for wheel in wheels:
        by_name.setdefault(wheel.name, []).append(wheel)
    answers: dict[str, tuple[str, bytes]] = {
        f"/simple/{name}/": (JSON, _page(name, found).encode()) for name, found in by_name.items()
    }
    for wheel in wheels:
        answers[f"/files/{wheel.filename}.metadata"] = ("text/plain", wheel.metadata.encode())
        answers[f"/files/{wheel.filename}"] = ("application/octet-stream", wheel.content)
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(answers))
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/simple/"
    finally:
        server.shutdown()
        server.server_close()


def _handler(answers: Mapping[str, tuple[str, bytes]]) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            """Answer from the table, 404 otherwise."""
            found = answers.get(self.path)
            body = found[1] if found else b""
            self.send_response(200 if found else 404)
            self.send_header("content-type", found[0] if found else "text/plain")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    return Handler
