"""The command itself starts at once: it imports a command's module when that is called."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

import accelerator_reports
from accelerator_reports.cli import main
from accelerator_reports.cli.main import installed_commands
from tests.folders import EXAMPLE, Tree

# What takes long to import, and listing or checking does without.
HEAVY = {"bs4", "httpx", "jinja2", "numpy", "pandas", "pyarrow"}
CONTEXT = click.Context(main)
COMMANDS = installed_commands()
REPORT_COMMANDS = COMMANDS["report"].commands


def imported_by(*arguments: str) -> set[str]:
    """The modules that a process has imported after a command."""
    program = (
        "import sys; from accelerator_reports.cli import main; "
        "main(sys.argv[1:], standalone_mode=False); print('\\n' + ' '.join(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=True
    )
    return set(done.stdout.splitlines()[-1].split())


@pytest.mark.parametrize("option", ["--help", "--version"])
def test_what_lists_commands_imports_none(option: str) -> None:
    modules = imported_by(option)
    assert not modules & (HEAVY | {"pydantic", "yaml", "rich"})
    places = {c.place.partition(":")[0] for c in COMMANDS.values() if ":" in c.place}
    assert not modules & places


def test_a_version_that_is_not_known_is_told_in_a_line(tmp_path: Path) -> None:
    """A checkout on the path, with click next to it, and nothing that is installed."""
    for module in (accelerator_reports, click):
        folder = Path(str(module.__file__)).parent
        (tmp_path / folder.name).symlink_to(folder)
    program = (
        "import sys; sys.path.append(sys.argv[1]); from accelerator_reports.cli import main; "
        "main(['--version'])"
    )
    words = [sys.executable, "-S", "-c", program, str(tmp_path)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        "Error: The version is not known, because no package of the portal is installed. "
        "In a clone of the portal, run: make setup\n"
    )


def test_the_list_of_the_commands_for_reports_imports_none_of_them() -> None:
    assert not imported_by("report", "--help") & {"pydantic", "yaml", "packaging"}


def test_checking_imports_only_what_checking_needs(tree: Tree) -> None:
    modules = imported_by("check", "--root", str(tree(EXAMPLE)))
    assert "accelerator_portal.checks" in modules
    assert not modules & HEAVY


@pytest.mark.parametrize("name", [*COMMANDS, *(f"report {name}" for name in REPORT_COMMANDS)])
def test_the_list_says_what_the_command_says_of_itself(name: str) -> None:
    *groups, word = name.split()
    group: Any = main
    for one in groups:
        group = group.get_command(CONTEXT, one)
    command = group.get_command(CONTEXT, word)
    assert command.name == word
    assert group.lazy_commands[word].summary == command.get_short_help_str(1000)


@pytest.mark.parametrize(
    "group", ["", *(n for n in COMMANDS if isinstance(main.get_command(CONTEXT, n), click.Group))]
)
def test_a_list_of_commands_cuts_no_summary(group: str) -> None:
    shown = CliRunner().invoke(main, [*group.split(), "--help"], terminal_width=80).output
    commands = shown.partition("Commands:\n")[2].splitlines()
    assert commands
    assert not [line for line in commands if line.endswith("...")]


def test_commands_stand_in_the_order_of_the_alphabet() -> None:
    assert list(COMMANDS) == sorted(COMMANDS) == main.list_commands(CONTEXT)
