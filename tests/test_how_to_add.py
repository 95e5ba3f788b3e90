"""Sections of docs/how-to-add.md, each tried in a copy of the package."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from accelerator_reports.report_file import report_text
from tests.built_site import EXAMPLE as ACME
from tests.built_site import MKDOCS_ENVIRONMENT, copy_sources
from tests.folders import ACCELERATOR, EXAMPLE, PACKAGES, RELEASES, REPOSITORY, edited, write_tree
from tests.portal.results.made_up import made_up

RULE = '''

@rule()
def made_up(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """A made-up rule."""
    yield Problem("data/releases.yaml", 1, "made up", "nothing")
'''
READER = '''"""A made-up format."""
from accelerator_reports.file_reading import file_error
def read_made_up(path, options):
    raise file_error(path, 1, "read by the made-up reader", "nothing")
'''
COMMAND = '''"""A made-up command."""
import click
@click.command("made-up")
def made_up():
    """Show a made-up text."""
    click.echo("run by the made-up command")
'''
OPTION = '@click.option("--made-up", is_flag=True, help="A made-up option.")\n'
OUTCOME = """
    "made-up": OutcomeInfo("made-up", "A made-up outcome.", "failure", "Z", "warn", 15, 15),"""
REPORT = report_text(made_up(0, {"resnet18": "failed"})).replace('"failed"', '"made-up"')
PAGE = '''"""A made-up page."""
from accelerator_portal.site.site import Page
def pages(site):
    """Yield the page."""
    yield Page("made-up.md")
'''
TEMPLATE = "# Made up\n\nA made-up page.\n"
AXIS = """
    Axis("libc", "C library", 8, lambda *_: (Value("musl", "musl"),)),"""
FIELD = '''
    made_up: Line | None = None
    """A made-up field."""
'''
RELEASE = """  - version: "1.11.0"
    date: 2026-01-02
    python: ["3.13"]
    wheels: [{variant: ex2, os: linux, arch: [x86_64]}]
    source: made-up
"""
EXPORT = ["export", "--out", "out"]


@dataclass(frozen=True)
class Addition:
    """What a section of the page says: new text at the end or after a line of a file, and its effect.

    `changes` are files of a package, the portal if none is named, `others` those of the repository; the text is then in what
    the last command prints, or in the file `seen`.
    """

    changes: Mapping[str, tuple[str, str]]
    commands: Sequence[list[str]]
    text: str
    others: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    seen: str = ""


ADDITIONS: Mapping[str, Addition] = {
    "a rule": Addition(
        {"checks/rules/facts.py": ("", RULE)},
        [["check"]],
        "data/releases.yaml:1: made up; nothing [made-up]",
    ),
    "a report reader": Addition(
        {
            "accelerator_reports/formats/made_up.py": ("", READER),
            "accelerator_reports/formats/format_list.py": (
                "FORMATS: Mapping[str, Format] = {",
                (
                    "\n    'made-up': Format('made up', __import__('accelerator_reports.formats.made_up',"
                    " fromlist=['x']).read_made_up, (b'made-up',)),"
                ),
            ),
        },
        [["report", "import", "--accelerator", "example", "--out", "o", "results.txt"]],
        "results.txt:1: read by the made-up reader",
        {"results.txt": ("", "made-up")},
    ),
    "an outcome": Addition(
        {
            "accelerator_reports/outcomes.py": (
                "OUTCOMES: Mapping[Outcome, OutcomeInfo] = {",
                OUTCOME,
            ),
            # The same file again.
            "accelerator_reports/./outcomes.py": ("Outcome = Literal[", '\n    "made-up",'),
        },
        [["schema"], ["report", "show", "report.json"]],
        "1 test: 1 made-up",
        {"report.json": ("", REPORT)},
    ),
    "a page": Addition(
        {"site/pages/made_up.py": ("", PAGE)},
        [["build"]],
        "A made-up page.",
        {
            "site_src/templates/made-up.md.j2": ("", TEMPLATE),
            "mkdocs.yml": ("      - index.md\n", "      - Made up: made-up.md\n"),
        },
        "site/made-up/index.html",
    ),
    "a selector axis": Addition(
        {
            "install/rows.py": ("\nAXES = (", AXIS),
            "install/./rows.py": (
                "    named: Annotated[Source | None, UNPUBLISHED] = None\n",
                '    libc: str = ""\n',
            ),
            "install/expand.py": ("        named=target.named,\n", '        libc="musl",\n'),
        },
        [EXPORT],
        '"libc":[["musl","musl"]]',
        seen="out/api/v1/install.json",
    ),
    "a field of a vendor's file": Addition(
        {
            "catalog/files/accelerator.py": (
                '    """Short name of the platform, for example `Ascend NPU`."""\n',
                FIELD,
            )
        },
        [["schema"], EXPORT],
        "A made-up field.",
        {ACCELERATOR: ("", "made_up: A value.\n")},
        "out/contribute/format.md",
    ),
    "a row in the comparison of platforms": Addition(
        {
            "site/pages/comparison.py": (
                'message("Package"): lambda p: _code_cell(p.accelerator.package.name),',
                '\n"Made up": lambda p: _text_cell("A made-up answer."),',
            )
        },
        [EXPORT],
        "A made-up answer.",
        seen="out/compare.md",
    ),
    "an option of a command": Addition(
        {
            "cli/check.py": ("@click.command()\n@ROOT\n", OPTION),
            "cli/../cli/check.py": ("    *, root: Path, form: str, fix: bool,", " made_up: bool,"),
        },
        [["check", "--made-up", "--help"]],
        "A made-up option.",
    ),
    "a command": Addition(
        {
            "cli/made_up.py": ("", COMMAND),
            "commands.py": (
                "COMMANDS = {",
                "\n    'made-up': LazyCommand('accelerator_portal.cli.made_up:made_up', 'Show it.'),",
            ),
        },
        [["made-up"]],
        "run by the made-up command",
    ),
    "a fact about a PyTorch release, except a new CUDA or ROCm version": Addition(
        {}, [EXPORT], '"1.11.0"', {RELEASES: ("releases:\n", RELEASE)}, "out/api/v1/install.json"
    ),
}


def run(root: Path, *words: str, source: Path | None = None) -> str:
    place = {"PYTHONPATH": str(source)} if source else {}
    done = subprocess.run(
        [sys.executable, "-m", "accelerator_reports.cli", *words],
        cwd=root,
        env={**os.environ, **MKDOCS_ENVIRONMENT, **place},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout + done.stderr


def change(folder: Path, changes: Mapping[str, tuple[str, str]]) -> None:
    """Put each text after a line of its file, or at the end of it."""
    for name, (after, text) in changes.items():
        file = folder / name
        before = file.read_text("utf-8") if file.exists() else ""
        assert not after or before.count(after) == 1
        file.write_text(before.replace(after, after + text) if after else before + text, "utf-8")


@pytest.mark.parametrize("name", ADDITIONS)
def test_what_a_section_lists_is_all_that_has_to_change(name: str, tmp_path: Path) -> None:
    heading = f"\n### {name[0].upper()}{name[1:]}\n"
    assert heading in (REPOSITORY / "docs/how-to-add.md").read_text("utf-8")
    addition, source = ADDITIONS[name], tmp_path / "src"
    for folder in PACKAGES.values():
        shutil.copytree(folder / "src", source, dirs_exist_ok=True)
    root = copy_sources(tmp_path / "root", ACME)
    if ["build"] not in addition.commands:
        shutil.rmtree(root / "accelerators")
        write_tree(root, EXAMPLE)

    def seen() -> str:
        printed = [run(root, *words, source=source) for words in addition.commands][-1]
        file = root / addition.seen
        return (file.read_text("utf-8") if file.is_file() else "") if addition.seen else printed

    if addition.changes:  # without them, the repository alone has no effect
        change(root, addition.others)
        assert addition.text not in seen()
        for file, text in addition.changes.items():
            named = file.startswith("accelerator_")
            change(source if named else source / "accelerator_portal", {file: text})
    else:
        assert addition.text not in seen()
        change(root, addition.others)
    assert addition.text in seen()


def test_a_variant_with_builds_and_no_description_is_named(tmp_path: Path) -> None:
    line = '      - {variant: ex1, os: windows, arch: [x86_64], python: ["3.12"]}\n'
    more = "      - {variant: ex3, os: linux, arch: [x86_64]}\n"
    root = write_tree(tmp_path, edited((RELEASES, line, line + more)))
    found = run(root, "check")
    assert "ex3" in found
    assert "problem found" in found
