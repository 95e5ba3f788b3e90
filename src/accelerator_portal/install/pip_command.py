"""Parses pip commands into steps, and quotes words for shells."""

from __future__ import annotations

import re
import shlex
from typing import Any

from packaging.requirements import InvalidRequirement, Requirement

from accelerator_portal.catalog.fields import Os
from accelerator_portal.catalog.files.releases_file import INDEX

_PIP = re.compile(
    r"(?:(?:\S*/)?python3?(?:\.\d+)?\s+-m\s+)?(?:uv\s+)?pip3?\s+install\s+(.*)", re.DOTALL
)

_INDEX = {"-i": "index", "--index-url": "index", "--extra-index-url": "extra_index"}


class UnreadableCommandError(ValueError):
    """A command that is not a chain of `pip install` commands; the message quotes the cause."""


def pip_steps(command: str) -> list[dict[str, Any]]:
    """Return the steps of commands joined by `&&`, in the form of `install.yaml`.

    Raises UnreadableCommandError for anything but `pip install` with packages and indexes.
    """
    return [{"pip": _pip(part.strip())} for part in command.split("&&")]


def _pip(command: str) -> dict[str, Any]:
    found = _PIP.fullmatch(command)
    if not found:
        raise UnreadableCommandError(f'"{command[:60]}" is not a pip install command')
    try:
        words = shlex.split(found[1])
    except ValueError as error:
        raise UnreadableCommandError(f'"{command[:60]}": {error}') from None
    step: dict[str, Any] = {"packages": []}
    while words:
        option, equals, value = words.pop(0).partition("=")
        if option == "--pre":
            step["pre"] = True
        elif option in _INDEX:
            if not (equals or words):
                raise UnreadableCommandError(f'"{option}" needs an address')
            step[_INDEX[option]] = value if equals else words.pop(0)
        elif option.startswith("-"):
            raise UnreadableCommandError(f'the option "{option}" is not supported in a step')
        else:
            step["packages"].append(_package(option + equals + value))
    if not step["packages"]:
        raise UnreadableCommandError(f'"{command[:60]}" names no package')
    return step


def _package(word: str) -> str:
    try:
        Requirement(word)
    except InvalidRequirement:
        raise UnreadableCommandError(f'"{word[:60]}" is not a valid requirement') from None
    return word


# Builds of PyTorch that uv knows by name: `--torch-backend=cu126` instead of an index.
#
# uv then installs PyTorch's own packages from that build's index and all others from PyPI. With an
# index option, all packages would come from that index.

# Source: `uv pip install --help` of uv 0.13.8, only builds that PyTorch published since 2.4. A test
# compares the names with uv.
BACKENDS = frozenset(
    {
        *("cpu", "xpu"),
        *("cu118", "cu121", "cu124", "cu126", "cu128", "cu129", "cu130", "cu132"),
        *("rocm6.0", "rocm6.1", "rocm6.2", "rocm6.2.4", "rocm6.3", "rocm6.4"),
        *("rocm7.0", "rocm7.1", "rocm7.2"),
    }
)


def backend_of(index: str | None) -> str | None:
    """Return uv's name for the build in an index of PyTorch, or None if uv has no name for it.

    uv has no names for indexes of nightly builds.
    """
    name = (index or "").removeprefix(f"{INDEX}/")
    return name if name in BACKENDS else None


# Quotes words for a shell: POSIX sh on Linux and macOS, PowerShell and cmd on Windows.
#
# A quoted word for Windows means the same in PowerShell and in cmd, because readers may use either.
# A word that cannot be quoted for both is refused.

_PLAIN_ON_WINDOWS = re.compile(r"[A-Za-z0-9_@+=:./\\-]+")
_SPECIAL_IN_QUOTES = re.compile(r"[\"$`%!\x00-\x1f“”„]")


class UnquotableError(ValueError):
    """A word that cannot be quoted so that both PowerShell and cmd read it unchanged."""


def quote(word: str, os: Os) -> str:
    """Return `word` quoted for the shell of `os`. Raises UnquotableError."""
    if os != "windows":
        return shlex.quote(word)
    if _PLAIN_ON_WINDOWS.fullmatch(word) and not word.startswith("@"):
        return word
    if not word or _SPECIAL_IN_QUOTES.search(word) or word.endswith("\\"):
        raise UnquotableError(word)
    return f'"{word}"'


def quote_address(url: str, os: Os) -> str:
    """Return an address quoted for the shell of `os`. Raises UnquotableError.

    An address for Windows may contain one percent sign if no other word of the command has one. cmd
    and PowerShell keep a single percent sign; only a batch file requires two.
    """
    if (
        os == "windows"
        and url.count("%") == 1
        and _PLAIN_ON_WINDOWS.fullmatch(url.replace("%", ""))
    ):
        return url
    return quote(url, os)


def command_line(words: list[str], os: Os) -> str:
    """Return the words as one line for the shell of `os`. Raises UnquotableError."""
    return " ".join(quote(word, os) for word in words)


def set_variable(name: str, value: str, os: Os) -> str:
    """Return the shell command that sets an environment variable (PowerShell on Windows).

    Raises UnquotableError if the value cannot be quoted.
    """
    if os != "windows":
        return f"export {name}={shlex.quote(value)}"
    if _SPECIAL_IN_QUOTES.search(value):
        raise UnquotableError(value)
    return f'$env:{name} = "{value}"'
