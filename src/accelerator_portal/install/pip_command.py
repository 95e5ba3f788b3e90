"""Parses `pip install` command lines into the pip steps of an `install.yaml`."""

from __future__ import annotations

import re
import shlex
from typing import Any

from packaging.requirements import InvalidRequirement, Requirement

_PIP_INSTALL = re.compile(
    r"(?:(?:\S*/)?python3?(?:\.\d+)?\s+-m\s+)?(?:uv\s+)?pip3?\s+install\s+(.*)", re.DOTALL
)

_INDEX_OPTIONS = {"-i": "index", "--index-url": "index", "--extra-index-url": "extra_index"}


class UnreadableCommandError(ValueError):
    """Raised if a command is not a chain of `pip install` commands; the message says why."""


def pip_steps(command: str) -> list[dict[str, Any]]:
    """Return a step for each of the `pip install` commands that `&&` joins in `command`.

    For example, `pip install --pre torch` becomes `{"pip": {"packages": ["torch"], "pre": True}}`.
    The options `--pre`, `--index-url` and `--extra-index-url` are read. Raises
    UnreadableCommandError for any other option or command.
    """
    return [{"pip": _parse_pip_install(part.strip())} for part in command.split("&&")]


def _parse_pip_install(command: str) -> dict[str, Any]:
    command_match = _PIP_INSTALL.fullmatch(command)
    if not command_match:
        raise UnreadableCommandError(f'"{command[:60]}" is not a pip install command')
    try:
        words = shlex.split(command_match[1])
    except ValueError as error:
        raise UnreadableCommandError(f'"{command[:60]}": {error}') from None
    step: dict[str, Any] = {"packages": []}
    while words:
        option, equals, value = words.pop(0).partition("=")
        if option == "--pre":
            step["pre"] = True
        elif option in _INDEX_OPTIONS:
            if not (equals or words):
                raise UnreadableCommandError(f'"{option}" needs an address')
            step[_INDEX_OPTIONS[option]] = value if equals else words.pop(0)
        elif option.startswith("-"):
            raise UnreadableCommandError(f'the option "{option}" is not supported in a step')
        else:
            step["packages"].append(_valid_requirement(option + equals + value))
    if not step["packages"]:
        raise UnreadableCommandError(f'"{command[:60]}" names no package')
    return step


def _valid_requirement(word: str) -> str:
    try:
        Requirement(word)
    except InvalidRequirement:
        raise UnreadableCommandError(f'"{word[:60]}" is not a valid requirement') from None
    return word
