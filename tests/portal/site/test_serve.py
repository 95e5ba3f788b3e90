"""`mkdocs serve`, as a developer uses it: a fault shows in the browser, the next save mends it."""

from __future__ import annotations

import os
import queue
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.built_site import EXAMPLE, MKDOCS_ENVIRONMENT, copy_sources

PATIENCE = 120.0  # seconds; on a busy machine; what is waited for takes about two


class Server:
    """A running `mkdocs serve` and what it wrote."""

    def __init__(self, repository: Path, temporary: Path) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            address = f"127.0.0.1:{probe.getsockname()[1]}"
        self.url = f"http://{address}/"
        self.process = subprocess.Popen(
            [sys.executable, "-m", "mkdocs", "serve", "--dev-addr", address],
            cwd=repository,
            env={**os.environ, **MKDOCS_ENVIRONMENT, "TMPDIR": str(temporary)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        self._lines: queue.Queue[str] = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self._lines.put(line)

    def wait_for(self, text: str) -> str:
        """Return what was written since the last call, up to a line that holds `text`."""
        end = time.monotonic() + PATIENCE
        written = ""
        while text not in written:
            try:
                written += self._lines.get(timeout=max(0.0, end - time.monotonic()))
            except queue.Empty:
                pytest.fail(f"{text!r} was not written within {PATIENCE} s:\n{written}")
        return written

    def page(self, path: str) -> str:
        """The page at a path; where there is none, the page that says so."""
        try:
            with urllib.request.urlopen(self.url + path, timeout=PATIENCE) as answer:  # noqa: S310 - loopback
                return str(answer.read(), "utf-8")
        except urllib.error.HTTPError as error:
            with error:
                return str(error.read(), "utf-8")

    def stop(self) -> None:
        """End the process, kindly first."""
        self.process.terminate()
        try:
            self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self._reader.join(PATIENCE)
        assert self.process.stderr is not None
        self.process.stderr.close()


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the server shows. A test leaves no fault in it."""
    return copy_sources(tmp_path_factory.mktemp("serve") / "repository", EXAMPLE)


@pytest.fixture(scope="module")
def server(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    running = Server(repository, tmp_path_factory.mktemp("temporary"))
    try:
        running.wait_for("Serving on")
        yield running
    finally:
        running.stop()


def test_a_fault_is_shown_and_the_next_save_recovers(repository: Path, server: Server) -> None:
    page = "compute-platforms/acme/"
    file = repository / "accelerators/acme/accelerator.yaml"
    text = file.read_text("utf-8")
    assert "An invented card." in server.page(page)

    file.write_text(text.replace("mark: AC", "mark: ACME"), "utf-8")
    written = server.wait_for("Reloading browsers")
    problem = "accelerators/acme/accelerator.yaml:9: "
    assert problem in written
    assert "Traceback" not in written
    assert problem in server.page("")
    assert problem in server.page(page), "on each other page, too"
    assert 'http-equiv="refresh"' in server.page(page)

    file.write_text(text.replace("An invented card.", "A mended card."), "utf-8")
    server.wait_for("Reloading browsers")
    mended = server.page(page)
    assert "A mended card." in mended
    assert "An invented card." not in mended
    assert "Preview of your changes in accelerators/acme." in mended

    (repository / "data/criteria.yaml").touch()  # shared data: the whole site is built again
    server.wait_for("Reloading browsers")
    assert "A mended card." in server.page(page)
    assert "Preview of your changes" not in server.page(page)

    file.write_text(text, "utf-8")
    server.wait_for("Reloading browsers")


def test_a_new_question_is_shown_without_a_restart(repository: Path, server: Server) -> None:
    file = repository / "accelerators/acme/faq.md"
    with file.open("a", encoding="utf-8") as faq:
        faq.write("\n## Is this new?\n\nYes [@manual].\n")
    server.wait_for("Reloading browsers")
    assert 'id="faq-is-this-new"' in server.page("compute-platforms/acme/")


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("{% if %}{{ x", "Expected an expression"),
        ("{{ nobody_defines_this }}", "is undefined"),  # found only when the page is rendered
    ],
)
def test_a_fault_in_a_template_is_shown_and_the_next_save_recovers(
    repository: Path, server: Server, fault: str, words: str
) -> None:
    file = repository / "site_src/templates/platform.md.j2"
    text = file.read_text("utf-8")
    file.write_text(f"{text}\n{fault}", "utf-8")
    written = server.wait_for("Reloading browsers")
    assert "Traceback" not in written
    for page in ("", "compute-platforms/acme/"):
        assert "site_src/templates/platform.md.j2:" in server.page(page)
        assert words in server.page(page)
    file.write_text(text, "utf-8")
    server.wait_for("Reloading browsers")
    assert "An invented card." in server.page("compute-platforms/acme/")


def test_a_style_sheet_with_a_fault_is_shown_as_it_is(repository: Path, server: Server) -> None:
    """Browsers skip what they cannot read, and tell so in their tools."""
    with (repository / "site_src/styles/base.css").open("a", encoding="utf-8") as file:
        file.write("}}} .x { color:")
    assert "Traceback" not in server.wait_for("Reloading browsers")
    assert "}}} .x { color:" in server.page("assets/portal.css")
    assert "An invented card." in server.page("compute-platforms/acme/")
