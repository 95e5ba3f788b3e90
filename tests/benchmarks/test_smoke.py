"""Each benchmark runs at a tiny size. The figures themselves are for people."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.built_site import Site, site

__all__ = ["site"]

ROOT = Path(__file__).parents[2]


def run(*words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", *words]
    environment = {**os.environ, **variables}
    return subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )


def test_builds_are_compared_and_nothing_is_left(tmp_path: Path) -> None:
    done = run("benchmarks.build", "--platforms=1", "--repeat=1", TMPDIR=str(tmp_path))
    assert done.returncode == 0, done.stderr
    times, sizes = done.stdout.splitlines()
    assert times.startswith("platforms: 1; portal and plain MkDocs: processor time ")
    assert times.count(", ratio ") == 3
    assert sizes.startswith("  site ")
    compiled = "_jinja2-cache-*"  # what the next build of anybody reads
    assert [path for path in tmp_path.iterdir() if not path.match(compiled)] == []


def test_a_folder_that_does_not_exist_is_named() -> None:
    done = run("benchmarks.build", "--platforms=1", "--seed=nowhere")
    assert done.returncode == 1
    assert "no platform 'nowhere'; known are " in done.stderr


def test_reports_are_measured_beside_what_python_takes() -> None:
    done = run("benchmarks.reports", "--tests=200")
    assert done.returncode == 0, done.stderr
    assert [line.split(":")[0] for line in done.stdout.splitlines()] == [
        "read and check 200 tests",
        "import 200 tests",
    ]


def test_a_history_is_measured_beside_a_plain_query() -> None:
    done = run("benchmarks.history", "--tests=10", "--nights=3")
    assert done.returncode == 0, done.stderr
    assert [line.split(":")[0] for line in done.stdout.splitlines()] == [
        "newest outcomes of 3 nights, plain query",
        "all older nights added",
        "files of past months merged",
        "last night added",
        "history",
        "roll-up of pass rates",
        "results",
    ]


def test_a_day_of_events_is_counted_for_each_token() -> None:
    done = run("benchmarks.events", "--events=4", "--vendors=3")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].startswith("4 events, 3 vendors: 12 dispatches sent, 3 comments, ")
    used = [line for line in lines if " a day, " in line]
    assert {line.split("  ")[1] for line in used} >= {"the App itself", "repository"}
    assert all("; 0 refused; " in line for line in used)


@pytest.mark.browser
def test_the_selector_is_measured_with_and_without_scripts(site: Site) -> None:
    done = run("benchmarks.selector", str(site.root), "--repeat=1")
    if "needs Chromium" in done.stderr and not os.environ.get("PORTAL_REQUIRE_BROWSER"):
        pytest.skip(done.stderr.splitlines()[-1])
    assert done.returncode == 0, done.stderr
    assert [line.split(":")[0] for line in done.stdout.splitlines()][:3] == [
        "first paint",
        "selector ready",
        "first click",
    ]
