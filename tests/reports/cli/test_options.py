"""What holds of every command: its help, the names of its options, its exit status."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from accelerator_reports.cli import main
from tests.folders import EXAMPLE, FORMS, REPOSITORY, Tree


def commands(
    group: click.Group = main, path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    for name in group.list_commands(click.Context(group)):
        command = group.get_command(click.Context(group), name)
        assert command
        if isinstance(command, click.Group):
            yield from commands(command, (*path, name))
        else:
            yield (*path, name), command


ALL = dict(commands())

# With which verbs the help of an option begins, and of a command. Another one is added here.
VERBS = {
    "Add", "Append", "Ask", "Balance", "Build", "Check", "Cite", "Compare", "Confirm",
    "Continue", "Convert", "Copy", "Create", "Delete", "Dispatch", "Draw", "Exclude", "Export",
    "Fetch", "Fix", "Generate", "Handle", "Import", "Include", "Install", "Keep", "Link", "List",
    "Manage", "Merge", "Name", "Open", "Pass", "Post", "Print", "Push", "Read", "Record",
    "Repeat", "Replace", "Report", "Resolve", "Restore", "Run", "Select", "Send", "Set",
    "Show", "Skip", "Start", "State", "Stop", "Store", "Summarize", "Test", "Update", "Use",
    "Verify", "Write",
}  # fmt: skip

# Options of one meaning that had several names. Each line: the name, and those that are refused.
ONE_NAME = {
    "--accelerator": {"--platform", "--platforms", "--accelerators"},
    "--root": {"--repo", "--folder"},
    "--out": {"--output", "--to"},
    "--restore": {"--put-back"},
    "--rebuild": {"--anew"},
    "--limit": {"--most", "--max"},
    "--package": {"--packages"},
}


@pytest.mark.parametrize("path", ALL, ids=" ".join)
def test_each_option_has_help_that_begins_with_a_verb(path: tuple[str, ...]) -> None:
    command = ALL[path]
    assert (command.help or "").split()[0] in VERBS
    for option in command.params:
        if isinstance(option, click.Option):
            words = option.help or ""
            assert (words.split() or [""])[0].strip(",") in VERBS, (option.name, words)
            assert words.endswith((".", ")")), (option.name, words)


@pytest.mark.parametrize("path", ALL, ids=" ".join)
def test_a_meaning_has_one_name(path: tuple[str, ...]) -> None:
    names = {name for option in ALL[path].params for name in option.opts}
    metavars = {str(p.metavar or p.name).upper() for p in ALL[path].params}
    assert not names & set[str]().union(*ONE_NAME.values())
    assert not {m for m in metavars if "PLATFORM" in m} - {"FROM_ADDITIONAL_PLATFORMS"}


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


@pytest.mark.parametrize(
    ("arguments", "suggested"),
    [
        (["chek"], "'check'"),
        (["validat"], "'validate'"),
        (["report", "imprt"], "'import'"),
        (["history", "chekc"], "'check'"),
        (["check", "--netwrk"], "'--network'"),
        (["report", "import", "--acelerator", "x"], "'--accelerator'"),
    ],
)
def test_a_mistyped_name_is_answered_with_the_nearest(arguments: list[str], suggested: str) -> None:
    done = run(*arguments)
    assert done.exit_code == 2
    assert "Did you mean" in done.output
    assert suggested in done.output


# Each command that reads a file, with the place of the file.
READING = [
    ["check", "FILE"],
    ["diff", "FILE", "FILE"],
    ["history", "add", "FILE"],
    ["new", "x", "--from-additional-platforms", "FILE"],
    ["new", "x", "--from-package", "./FILE.whl"],
    ["pull-request-comment", "--event", "FILE"],
    ["release", "compare", "FILE"],
    ["report", "check", "FILE"],
    ["report", "compare", "FILE", "FILE"],
    ["report", "export", "--format", "ctrf", "--out", "out", "FILE"],
    ["report", "import", "--accelerator", "example", "--out", "out", "FILE"],
    ["report", "import", "--accelerator", "example", "--out", "o", "--environment", "FILE", "pyproject.toml"],
    ["report", "merge", "--out", "out", "FILE"],
    ["report", "show", "FILE"],
    ["upstream", "callback", "FILE"],
    ["validate", "--device", "cpu", "--only-failed", "FILE"],
    ["validate", "--device", "cpu", "--times", "FILE"],
    ["validate", "--device", "cpu", "--pytest", "FILE"],
]  # fmt: skip


@pytest.mark.parametrize("line", READING, ids=" ".join)
def test_a_file_that_is_not_there_is_wrong_usage_everywhere(
    line: list[str], tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tree({**EXAMPLE, **FORMS, "pyproject.toml": "x"})
    monkeypatch.chdir(root)
    before = sorted(root.rglob("*"))
    done = run(*(word.replace("FILE", "nowhere") for word in line))
    assert done.exit_code == 2, done.output
    assert "nowhere" in done.output
    assert sorted(root.rglob("*")) == before


@pytest.mark.parametrize("path", ALL, ids=" ".join)
def test_without_arguments_there_is_no_traceback(
    path: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("GITHUB_EVENT_PATH", "GITHUB_REPOSITORY", "GH_TOKEN", "PORTAL_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    done = run(*path)
    assert done.exception is None or isinstance(done.exception, SystemExit)
    if path != ("schema",):
        assert done.exit_code == (1 if path == ("upstream", "callback") else 2), done.output
        assert re.search(r"^Error: \S", done.output, re.MULTILINE)


@pytest.mark.parametrize(
    "text", ["README.md", "CONTRIBUTING.md", *map(str, Path("docs").glob("*.md"))]
)
def test_options_in_the_documents_exist(text: str) -> None:
    known = {name for command in ALL.values() for option in command.params for name in option.opts}
    lines = re.findall(r"accelerator-portal ([a-z][^`\n]*)", (REPOSITORY / text).read_text("utf-8"))
    for line in lines:
        assert set(re.findall(r"(?<=\s)--[a-z-]+", f" {line}")) <= known | {"--help"}, line
