"""GitHub on loopback, as far as the automation uses it, with the faults that it has at times.

A real server, so that the real client's connections, redirects and retries are tested with it.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tests.automation import github_routes
from tests.automation.github_apps import AppDouble
from tests.automation.github_limits import GitHubLimits
from tests.automation.github_routes import Refusal, Store, paged

BOT = "portal[bot]"
HOME = "example/portal"
TOKEN = "a-token"  # noqa: S105 - of nothing
OWN_TOKEN = "another-token"  # noqa: S105 - of nothing


@dataclass(frozen=True)
class Asked:
    """A request as it came."""

    method: str
    path: str
    query: Mapping[str, str]
    body: Any
    token: str
    scheme: str = ""
    """How it is authorized: `token` or `Bearer`."""


@dataclass
class Fault:
    """What GitHub does instead of answering, so many `times`, to what matches."""

    match: str
    """A regular expression; it is searched in `METHOD path`."""
    status: int = 500
    message: str = "Server Error"
    headers: Mapping[str, str] = field(default_factory=dict)
    times: int = 1
    wait: Callable[[], object] = lambda: None
    """What it waits for, before; with status 0 it then answers as ever, or is `cut` off."""
    cut: bool = False
    half: bool = False
    """Whether it does what was asked, and cuts the answer off in the middle."""
    after: bool = False
    """Whether it first does what was asked: the answer alone is lost."""


class GitHubDouble(Store):
    """The server: what it holds is in the Store, what was asked in `asked`."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[Asked] = []
        self.faults: list[Fault] = []
        self.home = ""
        self.limits: GitHubLimits | None = None
        """Where limits are counted and enforced."""
        self.tokens = {TOKEN, OWN_TOKEN}
        """Which tokens it knows."""
        self.app: AppDouble | None = None
        """The GitHub App, where there is one."""
        self._lock = threading.Lock()

    def said(self, method: str, pattern: str) -> list[Asked]:
        """The requests of a method whose path matches."""
        return [a for a in self.asked if a.method == method and re.search(pattern, a.path)]

    def answer(self, asked: Asked) -> tuple[int, Mapping[str, str], bytes]:
        """Do what is asked, or what a fault says. Raises ConnectionAbortedError to hang up."""
        with self._lock:
            self.asked.append(asked)
            fault = self._fault(f"{asked.method} {asked.path}")
        if fault is None:
            return self._done(asked)
        fault.wait()
        if fault.after:
            self._done(asked)
        if fault.cut:
            raise ConnectionAbortedError
        if fault.half:
            status, headers, body = self._done(asked)
            return status, {**headers, "content-length": str(len(body))}, body[: len(body) // 2]
        if not fault.status:
            return self._done(asked)
        return fault.status, fault.headers, json.dumps({"message": fault.message}).encode()

    def _fault(self, what: str) -> Fault | None:
        for fault in self.faults:
            if fault.times > 0 and re.search(fault.match, what):
                fault.times -= 1
                return fault
        return None

    def _done(self, asked: Asked) -> tuple[int, Mapping[str, str], bytes]:
        if asked.path.startswith("files/"):
            return self._file(asked)
        with self._lock:
            try:
                if self.app and self.app.serves(asked.path):
                    return self._as_app(self.app, asked)
                self._authorize(asked)
                if refused := self._over_limit(asked):
                    return refused
                status, answer = github_routes.answer(
                    self, asked.method, asked.path, asked.query, asked.body
                )
            except Refusal as refusal:
                return refusal.status, {}, json.dumps({"message": str(refusal)}).encode()
        if status == 302:
            return 302, {"location": self.moved or f"{self.home}/{answer}"}, b""
        body = b"" if answer is None else json.dumps(answer).encode()
        return status, {}, body

    def _as_app(self, app: AppDouble, asked: Asked) -> tuple[int, Mapping[str, str], bytes]:
        answer = app.answer(asked.scheme, asked.token, asked.method, asked.path, asked.body)
        answer = paged(answer, asked.query)
        return 201 if asked.method == "POST" else 200, {}, json.dumps(answer).encode()

    def _authorize(self, asked: Asked) -> None:
        """Let a token do what it may. Raises Refusal."""
        if self.app and asked.token in self.app.grants:
            if refusal := self.app.refusal(asked.token, asked.method, asked.path):
                raise refusal
        elif asked.token not in self.tokens:
            raise Refusal(401, "Bad credentials")

    def _limited(self, token: str) -> str:
        """Whose requests are counted together: those of a token, or of an installation."""
        grant = self.app.grants.get(token) if self.app else None
        return f"installation at {grant.owner}" if grant else token

    def _over_limit(self, asked: Asked) -> tuple[int, Mapping[str, str], bytes] | None:
        found = self.limits and self.limits.refusal(
            self._limited(asked.token), asked.method, asked.path
        )
        if not found:
            return None
        message, headers = found
        return 403, headers, json.dumps({"message": message}).encode()

    def _file(self, asked: Asked) -> tuple[int, Mapping[str, str], bytes]:
        """Where files are kept nobody takes a token of GitHub's."""
        found = self.files.get(int(asked.path.removeprefix("files/")))
        return (400, {}, b"") if asked.token or found is None else (200, {}, found)


class _Server(ThreadingHTTPServer):
    """A server that, on a busy machine, refuses no connection of several threads at once."""

    request_queue_size = 128


@contextmanager
def serve(double: GitHubDouble | None = None) -> Iterator[GitHubDouble]:
    """Serve, and yield what can be filled and looked at."""
    double = double or GitHubDouble()
    server = _Server(("127.0.0.1", 0), _handler(double))
    double.home = f"http://127.0.0.1:{server.server_port}"
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    try:
        yield double
    finally:
        server.shutdown()
        server.server_close()


def _handler(double: GitHubDouble) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"  # connections are kept, as GitHub's are
        disable_nagle_algorithm = True

        def handle_one_request(self) -> None:
            """Answer one request; a client that hung up is no news."""
            try:
                super().handle_one_request()
            except ConnectionError:
                self.close_connection = True

        def _any(self) -> None:
            parts = urlsplit(self.path)
            length = int(self.headers.get("content-length") or 0)
            sent = self.rfile.read(length)
            asked = Asked(
                self.command,
                parts.path.strip("/"),
                {name: values[-1] for name, values in parse_qs(parts.query).items()},
                json.loads(sent) if sent else None,
                self.headers.get("authorization", "").rpartition(" ")[2],
                self.headers.get("authorization", "").partition(" ")[0],
            )
            status, headers, body = double.answer(asked)
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            if "content-length" not in headers:
                self.send_header("content-length", str(len(body)))
            self.close_connection = int(headers.get("content-length", len(body))) > len(body)
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_POST = do_PATCH = do_PUT = do_DELETE = _any  # noqa: N815 - the server's names

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    return Handler
