"""The command's options and exit codes; what it says of packages is tested in tests/portal/packages."""

from __future__ import annotations

import signal
import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from accelerator_portal.http import RequestLimits
from accelerator_reports.cli import main
from tests.folders import INSTALL, Tree, edited
from tests.portal.packages.syncing import EXTRA, FAST, FILES

NOWHERE = "https://nowhere.invalid/simple"


@pytest.fixture(autouse=True)
def silent_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing listens there; a look-up of the name could take a minute."""
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)


def only_from(index: str) -> dict[str, str]:
    """A repository in which the package `beside` is on one index alone."""
    packages = f'packages: ["torch-example==1.0", "beside"], extra_index: "{EXTRA}"'
    return edited((INSTALL, packages, f'packages: ["beside"], index: "{index}"'), files=FILES)


def run(root: Path, package: str, limits: RequestLimits = FAST) -> Result:
    arguments = ["packages", "sync", "--root", str(root), "--package", package]
    return CliRunner().invoke(main, arguments, obj=limits)


def test_an_index_that_cannot_be_read_does_not_make_it_fail(tree: Tree) -> None:
    root = tree(only_from(NOWHERE))
    result = run(root, "Beside")
    assert result.exit_code == 0, result.output
    said, total = result.stdout.splitlines()
    assert said.startswith(f"beside, {NOWHERE}: not read: the host cannot be reached ")
    assert said.endswith("; no facts are available")
    assert total == "1 package: 1 with changes, 1 not fully read"
    assert "2 requests, 0.0 MB, " in result.stderr
    assert run(root, "beside").stdout.splitlines()[1] == (
        "1 package: 0 with changes, 1 not fully read"
    )


def test_a_package_that_no_folder_names(tree: Tree) -> None:
    result = run(tree(FILES), "torch-exampel")
    assert result.exit_code == 2
    assert 'no vendor folder uses the package "torch-exampel"; did you mean "torch-example"?' in (
        " ".join(result.stderr.replace("│", "").split())
    )


def test_folders_that_cannot_be_read_are_named_and_nothing_is_asked(tree: Tree) -> None:
    root = tree(only_from(NOWHERE))
    (root / "data/releases.yaml").write_text("[", "utf-8")
    result = run(root, "beside")
    assert result.exit_code == 1
    assert result.stdout.startswith("data/releases.yaml:1: not valid YAML: ")
    assert "requests" not in result.stderr


@contextmanager
def interrupting_server() -> Iterator[int]:
    """A proxy on loopback that never answers; who asks it is sent what Ctrl-C sends."""

    class Handler(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            self.request.recv(1)
            # Of this process, other tests' threads may still live; they would get it and not tell.
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
            with suppress(OSError):
                while self.request.recv(1 << 20):
                    pass

    class Server(socketserver.ThreadingTCPServer):
        daemon_threads = True

    with Server(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_address[1]
        server.shutdown()


def test_an_interruption_says_how_to_continue(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    with interrupting_server() as port:
        monkeypatch.setenv("HTTPS_PROXY", f"http://127.0.0.1:{port}")
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        root = tree(only_from("https://behind-the-proxy.invalid/simple"))
        result = run(root, "beside", replace(FAST, first_pause=60))
        signal.signal(signal.SIGINT, before)
    assert (result.exit_code, result.stderr) == (
        130,
        "Interrupted. No file is incomplete. To continue, run the command again.\n",
    )
