"""The commands of a few real choices, as a reader sees them.

After a change that is meant: PORTAL_UPDATE_GOLDEN=1 make test ARGS="tests/portal/install/test_golden.py"
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from accelerator_portal.install import Choice, Selector
from accelerator_portal.install.commands import venv_commands
from tests.selector_choices import row_of

GOLDEN = Path(__file__).parent / "golden"

AXES = ("build", "os", "arch", "python", "method", "platform", "variant")

CHOICES = {
    "cuda-stable-linux-pip": "2.15.0 linux x86_64 3.13 pip cuda cu132",
    "cuda-earlier-windows-uv": "2.14.1 windows x86_64 3.13 uv cuda cu130",
    "cuda-preview-linux-pip": "preview linux aarch64 3.13 pip cuda cu132",
    "cuda-earlier-linux-docker": "2.12.1 linux x86_64 3.13 docker cuda cu130",
    "rocm-earlier-linux-libtorch": "2.13.0 linux x86_64 3.13 libtorch rocm rocm7.2",
    "mps-stable-macos-pip": "2.15.0 macos aarch64 3.13 pip mps default",
    "xpu-stable-windows-source": "2.15.0 windows x86_64 3.13 source xpu default",
    "ascend-earlier-linux-pip": "2.12.0 linux aarch64 3.11 pip ascend default",
}


def shown(selector: Selector, choice: Choice) -> str:
    """What a reader pastes, and what it prints; prose is the vendors' own affair."""
    row = row_of(selector, choice)
    assert row is not None, choice
    environment = venv_commands(row.method, row.os)
    check = [row.check.command, *row.check.prints.splitlines()] if row.check else []
    parts = {
        "environment": [environment.replace("{python}", choice["python"])] if environment else [],
        "commands": row.commands,
        "check": check,
    }
    return "".join(f"{name}\n" + "".join(f"  {line}\n" for line in parts[name]) for name in parts)


@pytest.mark.parametrize("name", CHOICES)
def test_a_choice_shows_what_it_showed(name: str, selector: Selector) -> None:
    golden = GOLDEN / f"{name}.txt"
    text = shown(selector, dict(zip(AXES, CHOICES[name].split(" "), strict=True)))
    if os.environ.get("PORTAL_UPDATE_GOLDEN"):
        golden.write_text(text, encoding="utf-8")
    assert text == golden.read_text(encoding="utf-8")


def test_no_golden_file_is_left_over() -> None:
    assert {file.stem for file in GOLDEN.iterdir()} == set(CHOICES)


def test_every_check_of_the_repository_is_python(selector: Selector) -> None:
    commands = {row.check.command for row in selector.rows if row.check and row.os == "linux"}
    for command in commands:
        compile(command.partition(" -c ")[2].strip("'"), command, "exec")
