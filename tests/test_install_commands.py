"""Nothing tells anybody to install this project by name: no package index has it."""

from __future__ import annotations

import re
import subprocess

import pytest

from tests.folders import REPOSITORY

_INSTALL = r"(?:pip3?|pipx|uv tool|uv) (?:install|run|add)|uvx|pipx run"
BY_NAME = re.compile(
    rf"(?:{_INSTALL})\b(?![^\n]*--from)[^\n]*?[ '\"]accelerator[-_.]portal(?!\S*\s@\s)\b"
)
OTHERS = (":!tests", ":!accelerators", ":!data/packages", ":!data/history", ":!*.lock")


@pytest.mark.parametrize(
    "text",
    [
        "pip install accelerator-portal",
        "python -m pip install 'accelerator-portal[site]'",
        'pip install --upgrade "accelerator_portal>=1"',
        "uvx --python 3.12 accelerator-portal validate",
        "pipx install accelerator-portal",
        "uv pip install accelerator-portal",
    ],
)
def test_an_install_command_by_name_is_found(text: str) -> None:
    assert BY_NAME.search(text)


@pytest.mark.parametrize(
    "text",
    [
        "pip install .",
        "pip install './portal[cluster]'",
        "uvx --from . accelerator-portal validate",
        "pip install 'accelerator-portal[site] @ git+https://github.com/owner/name'",
    ],
)
def test_an_install_command_that_names_a_clone_is_fine(text: str) -> None:
    assert not BY_NAME.search(text)


def test_no_file_says_to_install_this_project_by_name() -> None:
    listed = subprocess.check_output(["git", "ls-files", "-z", "--", ".", *OTHERS], cwd=REPOSITORY)
    found = []
    for name in filter(None, listed.decode().split("\0")):
        data = (REPOSITORY / name).read_bytes()
        text = "" if b"\0" in data else data.decode()
        found += [f"{name}: {hit[0]}" for hit in BY_NAME.finditer(text)]
    assert not found
