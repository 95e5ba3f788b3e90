"""Links are asked of a server on loopback: what is gone is told, and never more than a warning."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from accelerator_portal.checks.links import Place, check_network, links_to_check
from accelerator_reports.files.yaml_file import parse_yaml
from tests.folders import EXAMPLE, GUIDE, Tree, edited, loaded

PLACE = Place("a/guide.md", 3)


class _Answers(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        """Answer with the status that the path names; `/round` leads to itself."""
        name = self.path.strip("/")
        self.send_response(302 if name == "round" else int(name))
        if name == "round":
            self.send_header("location", "/round")
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    found = ThreadingHTTPServer(("127.0.0.1", 0), _Answers)
    threading.Thread(target=found.serve_forever, args=(0.02,), daemon=True).start()
    yield f"http://127.0.0.1:{found.server_port}"
    found.shutdown()
    found.server_close()


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("/404", "no longer exists (404)"),
        ("/410", "no longer exists (410)"),
        ("/500", "responds with an error (500)"),
        ("/round", "has a redirect loop"),
    ],
)
def test_what_does_not_answer_is_told(server: str, path: str, words: str) -> None:
    (problem,) = check_network({f"{server}{path}": PLACE})
    assert problem.what == f'"{server}{path}" {words}'
    assert (problem.path, problem.line, problem.level) == ("a/guide.md", 3, "warning")


@pytest.mark.parametrize("status", [200, 204, 401, 403, 405, 429, 503])
def test_what_answers_or_refuses_machines_is_left_alone(server: str, status: int) -> None:
    assert check_network({f"{server}/{status}": PLACE}) == []


def test_a_host_that_is_not_there_is_told() -> None:
    (problem,) = check_network({"http://127.0.0.1:9/": PLACE})
    assert "does not respond (ConnectError)" in problem.what


def test_each_is_counted(server: str) -> None:
    asked: list[None] = []
    check_network({f"{server}/{n}": PLACE for n in (200, 201, 404)}, lambda: asked.append(None))
    assert len(asked) == 3


def test_addresses_are_those_of_files_and_texts(tree: Tree) -> None:
    files = edited((GUIDE, "This is", "[x](https://example.org/link) This is"), files=EXAMPLE)
    found = links_to_check(loaded(tree(files)))
    assert found["https://example.org/link"] == Place(GUIDE, 11)
    assert found["https://example.org/forum"].path.endswith("accelerator.yaml")
    assert "https://example.org/made-up" in found


def test_a_key_that_ends_in_url_is_an_address(tree: Tree) -> None:
    catalog = loaded(tree(EXAMPLE))
    file, _ = parse_yaml(
        "a.yaml", "forum_url: https://example.org/a\nlibcurl: https://example.org/b\n"
    )
    assert file is not None
    platform = replace(catalog.platforms[0], files={"a.yaml": file})
    found = links_to_check(replace(catalog, platforms=(platform,)))
    assert found["https://example.org/a"] == Place("a.yaml", 1)
    assert "https://example.org/b" not in found
