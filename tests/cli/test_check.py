from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from accelerator_portal.cli import main
from tests.folders import ACCELERATOR, EXAMPLE, FAQ, REPOSITORY, SELECTOR, Tree, edited


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def test_without_problems_it_says_so(tree: Tree) -> None:
    result = run("check", "--root", tree(EXAMPLE))
    assert (result.exit_code, result.stdout, result.stderr) == (
        0,
        "1 platform, no problems.\n",
        "",
    )


def test_this_repository_passes() -> None:
    result = run("check", "--root", REPOSITORY)
    assert result.exit_code == 0, result.output


@pytest.mark.parametrize(
    ("files", "lines", "count"),
    [
        (
            edited((ACCELERATOR, "vendor: Example Vendor\n", "")),
            [f'{ACCELERATOR}:1: "vendor" is missing; add vendor'],
            "1 problem found.\n",
        ),
        (
            edited((ACCELERATOR, "vendor:", "vendr:")) | {SELECTOR: "start: 1\n", FAQ: "x"},
            [
                f'{ACCELERATOR}:1: "vendor" is missing; add vendor',
                f'{ACCELERATOR}:7: unknown key "vendr"; did you mean "vendor"?',
                (
                    f"{FAQ}:1: the front matter is missing; "
                    "start the file with --- , sources: … and --- again"
                ),
                f"{SELECTOR}:1: start: a list is expected; see the format reference",
            ],
            "4 problems found.\n",
        ),
    ],
)
def test_every_problem_is_printed_on_its_own_line(
    files: dict[str, str], lines: list[str], count: str, tree: Tree
) -> None:
    result = run("check", "--root", tree(files))
    assert result.exit_code == 1
    assert result.stdout.splitlines() == lines
    assert result.stderr == count


def test_in_an_empty_folder_it_says_what_is_missing(tmp_path: Path) -> None:
    result = run("check", "--root", tmp_path)
    assert result.exit_code == 1
    assert result.stdout.splitlines()[0] == (
        "accelerators:1: the folder is missing; run this in the repository"
    )


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["check", "--root", "nowhere"], "Directory 'nowhere' does not exist"),
        (["chek"], "No such command 'chek'"),
        (["check", "--fix"], "No such option"),
    ],
)
def test_a_wrong_call_is_explained(arguments: list[str], words: str) -> None:
    result = run(*arguments)
    assert result.exit_code == 2
    assert words in result.stderr


@pytest.mark.parametrize("arguments", [["--help"], ["check", "-h"], ["schema", "--help"]])
def test_help_is_there(arguments: list[str]) -> None:
    result = run(*arguments)
    assert result.exit_code == 0
    assert result.stdout.startswith("Usage: ")


@pytest.mark.skipif(sys.platform != "linux", reason="other systems forbid such names")
def test_a_name_that_is_no_text_does_not_stop_it(tree: Tree) -> None:
    root = tree(EXAMPLE)
    Path(os.fsdecode(bytes(root / "accelerators/example") + b"/\xff\n.yaml")).write_bytes(b"")
    command = [sys.executable, "-c", "from accelerator_portal.cli import main; main()", "check"]
    environment = {**os.environ, "PYTHONIOENCODING": "utf-8", "PYTHONUTF8": "1"}
    result = subprocess.run(command, cwd=root, env=environment, capture_output=True, check=False)
    assert result.returncode == 1
    assert result.stderr == b"1 problem found.\n"
    assert result.stdout.startswith(
        rb"accelerators/example/\udcff\n.yaml:1: the portal does not read this file; known here: "
    )
