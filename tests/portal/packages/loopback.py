"""A package index on loopback: as PyPI answers, or worse, as a test asks for it."""

from __future__ import annotations

import hashlib
import io
import json
import threading
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from accelerator_portal.packages.index_page import JSON_TYPE

Answer = Callable[[BaseHTTPRequestHandler], None]


@dataclass
class File:
    """A file of an index; `metadata` None: the server has no file of its own for it."""

    name: str
    data: bytes
    metadata: bytes | None = None
    uploaded: str | None = "2026-01-02T03:04:05Z"
    python: str | None = None
    yanked: str | None = None
    size: int | None = None
    """What a page in JSON says; that may be more than the data of a test."""

    @property
    def sha256(self) -> str:
        """The hash that pages name."""
        return hashlib.sha256(self.data).hexdigest()


@dataclass
class Index:
    """What the server has; change it between two requests as an index changes between two days."""

    projects: dict[str, list[File]] = field(default_factory=dict)
    json: bool = True
    hashes: bool = True
    etags: bool = True
    ranges: bool = True
    answers: dict[str, Answer] = field(default_factory=dict)
    """Other answers, by path."""
    asked: list[str] = field(default_factory=list)
    """The path of every request."""
    url: str = ""

    def add(
        self,
        project: str,
        version: str,
        *tags: str,
        requires: Sequence[str] = (),
        own_metadata: bool = True,
        **said: str | int | None,
    ) -> None:
        """Add a wheel for each of `tags`, such as `cp312-cp312-manylinux_2_28_x86_64`."""
        for tag in tags or ("py3-none-any",):
            file = made_wheel(project, version, tag, requires)
            file.metadata = file.metadata if own_metadata else None
            for name, value in said.items():
                setattr(file, name, value)
            self.projects.setdefault(project, []).append(file)


def metadata_text(name: str, version: str, requires: Sequence[str] = ()) -> bytes:
    lines = ["Metadata-Version: 2.4", f"Name: {name}", f"Version: {version}"]
    lines += [f"Summary: {name}, made up for tests", "Requires-Python: >=3.10"]
    lines += [f"Requires-Dist: {line}" for line in requires]
    return "\n".join([*lines, "", "Words.", ""]).encode()


def made_wheel(project: str, version: str, tag: str, requires: Sequence[str] = ()) -> File:
    """Return a wheel in which the metadata lies between other files."""
    module = project.replace("-", "_")
    text = metadata_text(project, version, requires)
    data = zipped(
        {
            f"{module}/__init__.py": b"",
            f"{module}/library.so": bytes(range(256)) * 512,
            f"{module}-{version}.dist-info/METADATA": text,
            f"{module}-{version}.dist-info/WHEEL": f"Tag: {tag}\n".encode(),
            f"{module}-{version}.dist-info/RECORD": b"",
        }
    )
    return File(f"{module}-{version}-{tag}.whl", data, text)


def zipped(files: dict[str, bytes], method: int = zipfile.ZIP_STORED) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        for name, data in files.items():
            archive.writestr(zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0)), data, method)
    return held.getvalue()


@contextmanager
def served(index: Index) -> Iterator[Index]:
    """Serve an index; its `url` is the address of its pages, ending in `/simple/`."""

    class Handler(_Handler):
        served = index

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    index.url = f"http://127.0.0.1:{server.server_port}/simple/"
    try:
        yield index
    finally:
        server.shutdown()
        server.server_close()


class _Handler(BaseHTTPRequestHandler):
    served: Index
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # head and body are two packets; the second would wait 40 ms

    def do_GET(self) -> None:
        """Answer as the index is told to."""
        index = self.served
        index.asked.append(self.path)
        if self.path in index.answers:
            index.answers[self.path](self)
            return
        kind, _, name = self.path.strip("/").partition("/")
        if kind == "simple" and name in index.projects:
            body, content = self._page(name)
            self._send(body, content)
            return
        for file in (file for files in index.projects.values() for file in files):
            if kind == "files" and name == file.name:
                self._file(file.data)
                return
            if kind == "files" and name == f"{file.name}.metadata" and file.metadata is not None:
                self._send(file.metadata, "application/octet-stream")
                return
        send(self, 404)

    def _page(self, name: str) -> tuple[bytes, str]:
        index = self.served
        files = index.projects[name]
        if index.json:
            page = {
                "meta": {"api-version": "1.1"},
                "name": name,
                "files": [_record(index, file) for file in files],
            }
            return json.dumps(page).encode(), JSON_TYPE
        lines = "".join(_link(index, file) for file in files)
        return f"<!DOCTYPE html><html><body>{lines}</body></html>".encode(), "text/html"

    def _file(self, data: bytes) -> None:
        wanted = self.headers.get("range", "")
        if not wanted or not self.served.ranges:
            self._send(data, "application/zip")
            return
        first, _, last = wanted.removeprefix("bytes=").partition("-")
        start = int(first) if first else max(0, len(data) - int(last))
        end = min(int(last), len(data) - 1) if first and last else len(data) - 1
        said = {"content-range": f"bytes {start}-{end}/{len(data)}"}
        self._send(data[start : end + 1], "application/zip", 206, said, of=data)

    def _send(
        self,
        body: bytes,
        content: str,
        status: int = 200,
        said: dict[str, str] | None = None,
        of: bytes | None = None,
    ) -> None:
        etag = f'"{hashlib.sha256(of or body).hexdigest()[:16]}"'
        headers = {"content-type": content, **(said or {})}
        if self.served.etags:
            headers["etag"] = etag
            if self.headers.get("if-none-match") == etag:
                send(self, 304, headers=headers)
                return
        send(self, status, body, headers)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def send(
    handler: BaseHTTPRequestHandler,
    status: int,
    body: bytes = b"",
    headers: dict[str, str] | None = None,
) -> None:
    """Send a whole answer."""
    handler.send_response(status)
    for name, value in (headers or {}).items():
        handler.send_header(name, value)
    if status != 304:
        handler.send_header("content-length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body)


def answering(status: int, body: bytes = b"", **headers: str) -> Answer:
    """Return an answer; `_` in the names of headers stands for `-`."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda handler: send(handler, status, body, named)


def endless(handler: BaseHTTPRequestHandler) -> None:
    """Send HTML without end."""
    handler.send_response(200)
    handler.send_header("content-type", "text/html")
    handler.send_header("connection", "close")
    handler.end_headers()
    try:
        while True:
            handler.wfile.write(b"<a href=x>x</a>" * 4096)
    except OSError:
        handler.close_connection = True


def _record(index: Index, file: File) -> dict[str, object]:
    record: dict[str, object] = {
        "filename": file.name,
        "url": f"../../files/{file.name}",
        "hashes": {"sha256": file.sha256} if index.hashes else {},
        "yanked": file.yanked if file.yanked is not None else False,
    }
    if file.uploaded:
        record["upload-time"] = file.uploaded
    if file.python:
        record["requires-python"] = file.python
    if file.size:
        record["size"] = file.size
    if file.metadata is not None:
        record["core-metadata"] = {"sha256": hashlib.sha256(file.metadata).hexdigest()}
    return record


def _link(index: Index, file: File) -> str:
    said = ""
    if file.python:
        said += f' data-requires-python="{escape(file.python)}"'
    if file.yanked is not None:
        said += f' data-yanked="{escape(file.yanked)}"'
    if file.metadata is not None:
        digest = hashlib.sha256(file.metadata).hexdigest()
        said += f' data-core-metadata="sha256={digest}"'
    if file.uploaded:
        said += f' data-upload-time="{file.uploaded}"'
    mark = f"#sha256={file.sha256}" if index.hashes else ""
    return f'<a href="../../files/{file.name}{mark}"{said}>{file.name}</a><br>\n'
