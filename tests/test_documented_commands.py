"""Commands that documents and guides show: all exist with their options, and the documents' run in a copy of the repository."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import click
import pytest

from accelerator_reports.cli.main import main
from accelerator_validation.request import read_matrices
from tests.folders import REPOSITORY
from tests.made_once import made_once
from tests.test_documentation import PAGES

PROGRAM = Path(sys.executable).with_name("accelerator-portal")
GUIDES = (
    *sorted(REPOSITORY.glob("site_src/templates/**/*.j2")),
    REPOSITORY / "data/executorch-goals.yaml",
)
# A line of a block or of a file, or code in a text, without what a shell or YAML has before it.
COMMAND = re.compile(
    r"(?:\$ |- run: |command: )?(?:[A-Z_]+=\S+ )?(?:\.venv/bin/)?accelerator-portal ([\w-].*)"
)
PLACEHOLDERS = {"COMMAND": "check", "NAME": "outcomes"}

# By the first words of the command.
NOT_RUN = {
    "archive": "needs a remote repository with the branch `archive`",
    "build": "builds the site, which takes a minute",
    "diff": "needs two clones",
    "export": "builds all pages, which takes a minute",
    "install verify": "needs the network",
    "new foo --from": "asks questions at a terminal",
    "nightly": "needs the network",
    "packages sync": "needs the network",
    "release add": "needs the network",
    "release compare": "needs files of PyTorch",
    "stated-models": "needs a clone of a vendor's repository",
    "suites": "needs torch",
    "validate": "needs torch and a device",
}

FOO = """new foo --name Foo --vendor Foo --url https://example.org --device foo --dispatch-key PrivateUse1
    --package torch-foo --import torch_foo --command 'pip install torch-foo==1.0' --torch 2.14.0 --os linux
    --arch x86_64 --python 3.12 --support https://example.org/help"""
RESULTS = """<testsuite name="pytest" timestamp="2026-01-02T00:00:00">
<testcase classname="test_foo" name="test_add" time="0.1"/></testsuite>"""


def commands(file: Path) -> Iterator[str]:
    """The commands in a file, without the name of the program and without comments."""
    text = re.sub(r"\{\{.*?\}\}", "1", file.read_text("utf-8"))
    spans = re.findall(r"`([^`\n]+)`|<code>([^<\n]+)<", text)
    for line in (*text.splitlines(), *("".join(span) for span in spans)):
        found = COMMAND.fullmatch(line.strip())
        if found:
            words = found[1].partition(" #")[0].split()
            yield " ".join(PLACEHOLDERS.get(word, word) for word in words)


DOCUMENTED = sorted({words for page in PAGES for words in commands(page)})
SHOWN = sorted({*DOCUMENTED, *(words for page in GUIDES for words in commands(page))})


def resolved(words: Sequence[str]) -> tuple[click.Command, Sequence[str]]:
    """The command that the first words name, and the other words."""
    command: click.Command = main
    while isinstance(command, click.Group) and words:
        found = command.get_command(click.Context(command), words[0])
        if found is None:
            break  # an option, or a command that does not exist
        command, words = found, words[1:]
    return command, words


def is_run(example: str) -> bool:
    """Whether it is run: not if NOT_RUN says so, or if a text only names a command that needs arguments or commands."""
    command, words = resolved(shlex.split(example))
    named = isinstance(command, click.Group) or any(param.required for param in command.params)
    return (bool(words) or not named) and not any(map(example.startswith, NOT_RUN))


def run(root: Path, example: str) -> None:
    done = subprocess.run(
        [PROGRAM, *shlex.split(example)], cwd=root, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture
def root(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the repository with the platform foo and the files that examples read."""

    def make(folder: Path) -> None:
        for name in (".github", "accelerators", "data"):
            shutil.copytree(REPOSITORY / name, folder / name)
        run(folder, FOO)
        (folder / "accelerators/foo/results").mkdir()
        (folder / "results.xml").write_text(RESULTS)
        for name in ("report", "OLD", "NEW"):
            run(
                folder,
                f"report import --accelerator foo --torch 2.14.0 --out {name}.json results.xml",
            )

    made = made_once(tmp_path_factory, "documented", make)
    return shutil.copytree(made, tmp_path / "repository")


@pytest.mark.parametrize("example", SHOWN)
def test_a_command_and_its_options_exist(example: str) -> None:
    command, words = resolved(shlex.split(example))
    context = click.Context(command)
    values, surplus, _ = command.make_parser(context).parse_args(list(words))
    assert not surplus
    for param in command.params:
        value = values.get(param.name or "")
        assert value or not param.required or not words or "--help" in words, param.name
        if value and isinstance(param.type, click.Choice):
            param.type_cast_value(context, value)
    read_matrices(values.get("suites") or ())


@pytest.mark.parametrize("example", [*filter(is_run, DOCUMENTED)])
def test_a_command_of_a_document_succeeds(example: str, root: Path) -> None:
    match shlex.split(example):
        case ["plugin-release", platform, version, *_]:  # as if the release was new
            file = root / "accelerators" / platform / "compatibility.yaml"
            head, *rows = re.split(r"(?m)^(?=  - torch:)", file.read_text("utf-8"))
            rows = [row for row in rows if f'plugin: "{version}"' not in row]
            file.write_text("".join((head, *rows)), "utf-8")
    run(root, example)


def test_each_reason_not_to_run_a_command_is_needed() -> None:
    assert [name for name in NOT_RUN if not any(e.startswith(name) for e in DOCUMENTED)] == []
