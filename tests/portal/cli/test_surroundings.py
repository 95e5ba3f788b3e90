"""Hostile files, streams, places and names: one message says what is wrong, never a traceback."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from accelerator_reports.report_file import report_text
from tests.folders import EXAMPLE, FORMS, Tree, write_tree
from tests.reports.cli.installed import run_together
from tests.reports.cli.test_options import READING, run
from tests.reports.examples import report

# What may stand where a file is expected.
KINDS: dict[str, Callable[[Path], object]] = {
    "empty": lambda path: path.touch(),
    "NUL": lambda path: path.write_bytes(b"\0" * 5000),
    "binary": lambda path: path.write_bytes(bytes(range(256)) * 20),
    "UTF-16": lambda path: path.write_bytes('{"a": 1}'.encode("utf-16")),
    "deep": lambda path: path.write_text("[" * 100_000),
    "long number": lambda path: path.write_text("1" * 6000),
    "lone surrogate": lambda path: path.write_text('{"\\ud800": "\\udfff"}'),
    "list": lambda path: path.write_text("[]"),
    "folder": lambda path: path.mkdir(),
    "link to itself": lambda path: path.symlink_to(path.name),
    "link to nowhere": lambda path: path.symlink_to("nowhere"),
}


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    root = write_tree(tmp_path_factory.mktemp("hostile"), {**EXAMPLE, "pyproject.toml": "x"})
    for number, make in enumerate(KINDS.values()):
        make(root / f"a b\n☃ {number}")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(root)
        patch.delenv("GH_TOKEN", raising=False)
        yield root


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("line", READING, ids=" ".join)
def test_a_file_of_any_kind_is_answered_in_a_line(
    line: list[str], kind: str, hostile: Path
) -> None:
    before = sorted(hostile.rglob("*"))
    name = f"a b\n☃ {list(KINDS).index(kind)}"
    done = run(*(word.replace("FILE", name) for word in line))
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    assert done.exit_code in ((0, 1, 2) if line[0] in {"check", "diff"} else (1, 2)), done.output
    if done.exit_code:
        assert re.search(r"Error: \S|:\d+: \S", done.output)
    assert sorted(hostile.rglob("*")) == before


def test_a_pipe_or_a_device_is_answered_in_a_line(tree: Tree) -> None:
    """Reading it would not end: the test fails by its time limit then."""
    root = tree({**EXAMPLE, **FORMS, "pyproject.toml": "x"})
    for end in ("", ".whl"):
        os.mkfifo(root / f"pipe{end}")
        (root / f"device{end}").symlink_to("/dev/zero")
    kinds = ("pipe", "device")
    lines = [[word.replace("FILE", kind) for word in line] for line in READING for kind in kinds]
    for line, done in zip(lines, run_together(lines, root), strict=True):
        if line[0] not in {"check", "diff"}:  # they take folders
            assert done.returncode in {1, 2}, (line, done)
            said = " ".join((done.stdout + done.stderr).replace("│", " ").split())
            assert "is not a regular file" in said, line


# A command, what the shell does with its streams, the exit status and what standard error says.
FULL = r"Error: No space left on device\. Check .*"
STREAMS = {
    "full disk, help": ("--help > /dev/full", 1, FULL),
    "full disk": ("check > /dev/full", 1, FULL),
    "no output": ("check >&-", 0, ""),
    "no streams": ("check <&- >&- 2>&-", 0, ""),
    "no reader": ("facts | true", 0, ""),
    "binary input": ("new foo < /dev/urandom", 2, r"(?s)Usage: .*Error: 9 answers missing\. .*"),
    "ASCII, 40 columns": ("new --help > out", 0, ""),
}


@pytest.mark.parametrize(("line", "status", "error"), STREAMS.values(), ids=STREAMS)
def test_a_stream_that_fails_is_told_in_a_line(
    line: str, status: int, error: str, tree: Tree
) -> None:
    command = f"{shlex.quote(sys.executable)} -m accelerator_reports.cli {line}"
    small = {**os.environ, "COLUMNS": "40", "LC_ALL": "C", "PYTHONIOENCODING": "ascii"}
    done = subprocess.run(
        ["/bin/sh", "-c", command],
        cwd=tree({**EXAMPLE, **FORMS}),
        env=small,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == status, done.stderr
    assert re.fullmatch(error, done.stderr.strip()), done.stderr


NOWHERE = {
    "a folder": ("accelerators", 2, "File 'accelerators' is a directory."),
    "no name": ("", 1, "Error: . cannot be read or written: Is a directory"),
    "below a file": ("pyproject.toml/out", 1, "cannot be read or written: "),
}


@pytest.mark.parametrize(("out", "status", "what"), NOWHERE.values(), ids=NOWHERE)
def test_a_place_that_cannot_be_written(
    out: str, status: int, what: str, tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = report_text(report())
    root = tree({**EXAMPLE, "report.json": text, "pyproject.toml": "x"})
    monkeypatch.chdir(root)
    before = sorted(root.rglob("*"))
    done = run("report", "export", "--format", "junit", "--out", out, "report.json")
    assert done.exit_code == status
    assert what in done.output
    assert sorted(root.rglob("*")) == before


@pytest.mark.parametrize(
    ("line", "suggestion"),
    [
        (["history", "check", "exampel"], 'there is no platform "exampel"; remove it'),
        (["install", "verify", "--accelerator", "exampel"], 'did you mean "example"?'),
        (["plugin-release", "exampel"], 'did you mean "example"?'),
        (["report", "import", "--accelerator", "exampel", "--out", "o", "x"], '"example"?'),
        (["validate", "--device", "cpu", "--known-issues", ".", "--accelerator", "exampel"],
         'did you mean "example"?'),
        (["validate", "--device", "cpu", "--suite", "operatrs"], 'did you mean "operators"?'),
        (["suites", "--suite", "operatrs"], 'there is no suite "operatrs"; '),
        (["history", "compact", "--before", "2026"], '"2026" is not a valid date. Write it like 2026-11'),
        (["install", "verify", "--try", "x"], '"x" is not a whole number from 0 to 600'),
        (["validate", "--device", "cpu", "--workers", "-1"], '"-1" is not a whole number'),
        (["validate", "--device", "cpu", "--timeout", "x"], "number of seconds, 0.1 or more"),
        (["report", "import", "--accelerator", "example", "--started", "x", "--out", "o", "x"],
         "Write it like 2026-11-25 or 2026-11-25T13:45:00"),
        (["check", "loop"], "can't read loop (Too many levels of symbolic links)"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)  # fmt: skip
def test_a_wrong_name_is_answered_with_the_right_one(
    line: list[str], suggestion: str, tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tree({**EXAMPLE, "x": ""})
    (root / "loop").symlink_to("loop")
    monkeypatch.chdir(root)
    done = run(*line)
    assert done.exit_code == 2, done.output
    assert suggestion in done.output


INTERRUPTED_EARLY = """
import os, runpy, signal, sys
module = sys.argv.pop(1)
class Finder:
    def find_spec(self, name, *_):
        if name == module:
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Finder())
signal.signal(signal.SIGINT, signal.default_int_handler)
runpy.run_module("accelerator_reports.cli", run_name="__main__", alter_sys=True)
"""


@pytest.mark.parametrize(
    "module",
    [
        "click",
        "accelerator_reports.cli.main",
        "accelerator_portal.catalog",
        "accelerator_portal.cli.check",
    ],
)
def test_an_interruption_during_imports_is_one_line(module: str, tree: Tree) -> None:
    words = [sys.executable, "-c", INTERRUPTED_EARLY, module, "check", "--root", str(tree(EXAMPLE))]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (130, "")
    assert done.stderr.startswith("Interrupted. ")
    assert len(done.stderr.splitlines()) == 1
