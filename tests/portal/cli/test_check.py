from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click import unstyle
from click.testing import CliRunner, Result

from accelerator_portal.cli.check import LOCAL_SITE_ADDRESS, as_annotations, as_text
from accelerator_reports.cli import main
from accelerator_reports.files.problem import Problem
from tests.folders import (
    ACCELERATOR,
    EXAMPLE,
    FAQ,
    GUIDE,
    RELEASES,
    REPOSITORY,
    SELECTOR,
    Tree,
    edited,
)


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def test_without_problems_it_says_so(tree: Tree) -> None:
    result = run("check", "--root", tree(EXAMPLE))
    assert (result.exit_code, result.stdout, result.stderr) == (0, "1 platform, no problems.\n", "")


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
                    "start the file with ---, sources: … and ---"
                ),
                f"{SELECTOR}:1: start: expected a list; see the format reference",
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
    told = [line for line in result.stdout.splitlines() if not line.startswith("  ")]
    assert told == [f"{line} [format]" for line in lines]
    assert result.stderr == count


@pytest.mark.parametrize(
    "command",
    [
        ["check"],
        ["facts"],
        ["history", "check"],
        ["install", "verify"],
        ["new", "x"],
        ["owners"],
        ["packages", "sync"],
        ["plugin-release"],
        ["release", "check"],
    ],
    ids=" ".join,
)
def test_outside_the_repository_that_alone_is_said(command: list[str], tmp_path: Path) -> None:
    result = run(*command, "--root", tmp_path)
    assert (result.exit_code, result.stdout) == (2, "")
    assert " ".join(result.stderr.split()).endswith(
        f"Error: Invalid value for '--root': {tmp_path} is not a repository of the portal: it has "
        "no accelerators/. Run the command in a clone, or pass its folder"
    )


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["check", "--root", "nowhere"], "Directory 'nowhere' does not exist"),
        (["check", "x" * 300], "File name too long"),
        (["check", "/"], "is not in ."),
    ],
)
def test_a_wrong_call_is_explained(arguments: list[str], words: str) -> None:
    result = run(*arguments)
    assert result.exit_code == 2
    assert words in result.stderr


def test_the_short_option_for_help_is_known() -> None:
    assert run("check", "-h").stdout.startswith("Usage: ")


@pytest.mark.skipif(sys.platform != "linux", reason="other systems forbid such names")
def test_a_name_that_is_no_text_does_not_stop_it(tree: Tree) -> None:
    root = tree(EXAMPLE)
    Path(os.fsdecode(bytes(root / "accelerators/example") + b"/\xff\n.yaml")).write_bytes(b"")
    command = [sys.executable, "-c", "from accelerator_reports.cli import main; main()", "check"]
    environment = {**os.environ, "PYTHONIOENCODING": "utf-8", "PYTHONUTF8": "1"}
    result = subprocess.run(command, cwd=root, env=environment, capture_output=True, check=False)
    assert result.returncode == 1
    assert result.stderr == b"1 problem found.\n"
    assert result.stdout.startswith(
        rb"accelerators/example/\udcff\n.yaml:1: the portal does not use this file; use one of: "
    )


def test_the_spot_is_underlined(tree: Tree) -> None:
    root = tree(edited((ACCELERATOR, "vendor:", "vendr:")))
    lines = run("check", "--root", root).stdout.splitlines()
    assert lines[-3:-1] == ["  7 | vendr: Example Vendor", "    | ^^^^^"]


def test_a_long_line_is_cut_around_its_spot(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("x" * 300 + " here " + "y" * 300, "utf-8")
    told = unstyle(as_text(tmp_path, [Problem("a.yaml", 1, 'not "here"', "remove it")]))
    _, line, under, _ = told.splitlines()
    assert len(line) < 130
    assert line[under.index("^") : under.rindex("^") + 1] == "here"


def test_annotations_are_one_command_a_problem(tmp_path: Path) -> None:
    problem = Problem("a,b:c.yaml", 3, "100 %\n::error::x", "mend it", rule="made-up")
    assert as_annotations(tmp_path, [problem]) == (
        "::error file=a%2Cb%3Ac.yaml,line=3,title=made-up::100 %25\\n::error::x; mend it "
        f"({LOCAL_SITE_ADDRESS}contribute/rules/#made-up)"
    )


def test_json_says_where_in_the_line(tree: Tree) -> None:
    root = tree(edited((ACCELERATOR, "vendor:", "vendr:")))
    result = run("check", "--root", root, "--format", "json")
    records = json.loads(result.stdout)
    (found,) = (r for r in records if r["what"].startswith("unknown"))
    assert (found["line"], found["column"], found["end_column"]) == (7, 1, 6)
    assert (found["rule"], found["level"], found["path"]) == ("format", "error", ACCELERATOR)


def test_only_what_is_asked_for_is_told(tree: Tree) -> None:
    root = tree(edited((ACCELERATOR, "vendor:", "vendr:")) | {FAQ: "x"})
    told = run("check", "--root", root, str(root / FAQ))
    assert told.stderr == f"1 problem found in {FAQ}.\n"
    told = run("check", "--root", root, ACCELERATOR)
    assert told.stderr == f"2 problems found in {ACCELERATOR}.\n"
    told = run("check", "--root", root, GUIDE)
    assert told.stdout == f"0 platforms, no problems in {GUIDE}.\n"


def test_what_is_certain_is_mended_and_the_rest_told(tree: Tree) -> None:
    root = tree(
        edited((RELEASES, 'version: "1.9.1"', "version: 1.9"), (ACCELERATOR, "vendor:", "vendr:"))
    )
    done = run("check", "--root", root, "--fix")
    assert done.exit_code == 1
    assert f"Fixed {RELEASES}:" in done.stderr
    assert 'version: "1.9"' in (root / RELEASES).read_text("utf-8")
    assert "vendr" in done.stdout
