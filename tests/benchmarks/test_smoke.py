from __future__ import annotations

import os
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from accelerator_automation.night_steps import NightRun
from benchmarks import nightly
from tests.automation.small_site import SmallEngine
from tests.folders import EXAMPLE, Tree

ROOT = Path(__file__).parents[2]


def test_tiny_sizes_are_measured_and_nothing_is_left(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "benchmarks", "--pages=1", "--growth=", "--repeat=1"]
    done = subprocess.run(
        command,
        cwd=ROOT,
        env={"PATH": "/usr/bin:/bin", "TMPDIR": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    rows = {tuple(line.split()[:1]) for line in done.stdout.splitlines()}
    assert {("platforms",), ("1",)} <= rows
    assert "Aim at 1 platforms" in done.stdout
    assert "nan" not in done.stdout
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_does_not_exist_is_named() -> None:
    command = [sys.executable, "-m", "benchmarks", "--pages=1", "--growth=", "--seed=nowhere"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "no whole platform 'nowhere'" in done.stderr


def test_reports_are_measured_beside_what_python_takes() -> None:
    command = [sys.executable, "-m", "benchmarks.results", "--tests=200", "--reports=3"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert [line.split(":")[0] for line in done.stdout.splitlines()] == [
        "read and check 200 tests (0 MB)",
        "  peak memory up to here",
        "fold one of 3 reports of 20 tests",
        "  peak memory up to here",
    ]


def test_tables_are_the_same_and_measured_beside_pandas() -> None:
    command = [sys.executable, "-m", "benchmarks.tables", "--tests", "100", "--changes", "500"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert [line.split(":")[0] for line in done.stdout.splitlines()] == [
        "matrix and counts of 100 tests",
        "tallies of 500 changes in a file",
    ]


def test_folding_a_night_is_measured_beside_other_engines() -> None:
    program = (
        "from benchmarks import archive; "
        "archive.REDUCED = archive.Scale(platforms=1, tests=10, nights=3); archive.main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert [line.split(":")[0] for line in done.stdout.splitlines()] == [
        "generated 30 results",
        "  results",
        "  changes",
        "  states and manifests",
        "fold one night, nothing archived",
        "fold one night after 3",
        "fold 3 nights of 1 of 1 platforms",
        "one night / everything",
        "how each test stands, from all rows, by DuckDB",
        "how each test stands, from all rows, by Polars",
    ]


def test_a_sync_is_measured_cold_and_again() -> None:
    command = [sys.executable, "-m", "benchmarks.packages", "--packages=3", "--releases=2"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "3 made-up packages, 2 releases each, 12 wheels"
    cold, same, bare, changed = lines[2:]
    assert ", 15 requests, " in cold
    assert ", 3 requests, 0.00 MB, 0 files written" in same
    assert ", 3 requests, " in bare
    assert ", 5 requests, " in changed


def test_nights_are_measured_with_and_without_new_reports(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(nightly, "NightRun", partial(NightRun, engine=SmallEngine()))
    monkeypatch.setattr(sys, "argv", ["nightly", "--platforms=1", "--tests=10"])
    nightly.main()
    first, quiet, one, every = capsys.readouterr().out.splitlines()[1:]
    assert first.startswith("  the first night: ")
    assert quiet.startswith("  nothing new: ")
    assert quiet.endswith(", 1 requests, 0.0 MB written, no site built")
    for line in (first, one, every):
        assert ", 1 requests, " in line
        assert line.endswith(", a site built")


@pytest.mark.browser
def test_a_matrix_is_measured_beside_a_plain_loop() -> None:
    """The figures themselves are for people: here only that there are some, of a made-up suite."""
    command = [sys.executable, "-m", "benchmarks.matrix"]
    sizes = ["--tests=210", "--accelerators=2", "--repeat=1"]
    done = subprocess.run([*command, *sizes], cwd=ROOT, capture_output=True, text=True, check=False)
    if "is installed" in done.stderr and not os.environ.get("PORTAL_REQUIRE_BROWSER"):
        pytest.skip(done.stderr.strip())
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "210 made-up tests x 2 accelerators"
    assert lines[1].startswith("gzipped: index.html ")
    assert [line.split(":")[0] for line in lines[2:5]] == [
        "plain loop over as many rows and cells",
        "filter by accelerator",
        "clear",
    ]


def test_telling_vendors_is_measured_one_by_one_and_side_by_side() -> None:
    command = [sys.executable, "-m", "benchmarks.dispatch"]
    sizes = ["--vendors=20", "--seconds=0.01", "--repeat=1"]
    done = subprocess.run([*command, *sizes], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    one, many, ratio = done.stdout.splitlines()
    for line in (one, many):
        assert line.endswith("19 of 20 told, 1 of them after an error, 21 requests")
    assert ratio.startswith("one after another ")


def test_commands_are_measured_beside_programs_that_do_no_more(tree: Tree) -> None:
    command = [sys.executable, "-m", "benchmarks.commands", "--repeat=1", f"--root={tree(EXAMPLE)}"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert [line.split(":")[0] for line in done.stdout.splitlines()] == [
        "--help beside `import click`",
        "check beside loading and checking",
    ]


def test_a_day_of_events_is_counted_for_both_kinds_of_tokens() -> None:
    command = [sys.executable, "-m", "benchmarks.events", "--events=4", "--vendors=3"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    app, personal = (line for line in lines if "dispatches sent" in line)
    assert app.startswith("4 events, 3 vendors, GitHub App: 12 dispatches sent, 0 replaced, ")
    assert ", 3 comments, " in app
    assert personal.startswith("4 events, 3 vendors, personal tokens: 12 dispatches sent, ")
    used = [line for line in lines if " a day, " in line]
    assert {line.split("  ")[1] for line in used} >= {"the App itself", "repository", "dispatch"}
    assert all("; 0 refused; " in line for line in used)
