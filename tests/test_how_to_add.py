"""Rows of "How to add something" in docs/architecture.md, each tried in a copy of the package."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.folders import EXAMPLE, RELEASES, REPOSITORY, edited, write_tree

PACKAGE = REPOSITORY / "src" / "accelerator_portal"

RULE = '''

@rule()
def made_up(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """A made-up rule."""
    yield Problem("data/releases.yaml", 1, "made up", "nothing")
'''
READER = '''"""A made-up format."""
from accelerator_portal.reports.reading import refuse
def read_made_up(path, options):
    raise refuse(path, 1, "read by the made-up reader", "nothing")
'''
COMMAND = '''"""A made-up command."""
import click
@click.command("made-up")
def made_up():
    """Show a made-up text."""
    click.echo("run by the made-up command")
'''
FORMATS = "FORMATS: Mapping[str, Format] = {"
COMMANDS = "COMMANDS = {"

# A row of the table: new text at the end or after a line of a file, the command, what it prints.
ROWS: Mapping[str, tuple[Mapping[str, tuple[str, str]], list[str], str]] = {
    "a rule": (
        {"checks/rules/facts.py": ("", RULE)},
        ["check"],
        "data/releases.yaml:1: made up; nothing [made-up]",
    ),
    "a report reader": (
        {
            "reports/made_up.py": ("", READER),
            "reports/formats.py": (
                FORMATS,
                (
                    "\n    'made-up': Format('made up', __import__('accelerator_portal.reports.made_up',"
                    " fromlist=['x']).read_made_up, b'made-up'),"
                ),
            ),
        },
        ["report", "import", "--accelerator", "example", "--out", "o", "results.txt"],
        "results.txt:1: read by the made-up reader",
    ),
    "a command": (
        {
            "cli/made_up.py": ("", COMMAND),
            "cli/main.py": (COMMANDS, "\n    'made-up': _in('made_up:made_up', 'Show it.'),"),
        },
        ["made-up"],
        "run by the made-up command",
    ),
}


def run(root: Path, *words: str, source: Path | None = None) -> str:
    place = {"PYTHONPATH": str(source)} if source else {}
    done = subprocess.run(
        [sys.executable, "-m", "accelerator_portal.cli", *words],
        cwd=root,
        env={**os.environ, **place},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout + done.stderr


@pytest.mark.parametrize("row", ROWS)
def test_a_row_of_the_table_is_all_that_has_to_change(row: str, tmp_path: Path) -> None:
    assert f"| {row} |" in (REPOSITORY / "docs/architecture.md").read_text("utf-8")
    changes, words, printed = ROWS[row]
    source = tmp_path / "src"
    shutil.copytree(PACKAGE, source / PACKAGE.name, ignore=shutil.ignore_patterns("__pycache__"))
    root = write_tree(tmp_path / "root", {**EXAMPLE, "results.txt": "made-up"})
    assert printed not in run(root, *words, source=source)
    for name, (after, text) in changes.items():
        file = source / PACKAGE.name / name
        before = file.read_text("utf-8") if file.exists() else ""
        assert not after or before.count(after) == 1
        file.write_text(before.replace(after, after + text) if after else before + text, "utf-8")
    assert printed in run(root, *words, source=source)


def test_a_variant_with_builds_and_no_description_is_named(tmp_path: Path) -> None:
    line = '      - {variant: ex1, os: windows, arch: [x86_64], python: ["3.12"]}\n'
    more = "      - {variant: ex3, os: linux, arch: [x86_64]}\n"
    root = write_tree(tmp_path, edited((RELEASES, line, line + more)))
    found = run(root, "check")
    assert "ex3" in found
    assert "problem found" in found
