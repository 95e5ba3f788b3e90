"""Quotes words for a shell: POSIX sh on Linux and macOS, PowerShell and cmd on Windows.

A quoted word for Windows means the same in PowerShell and in cmd, because readers may use either.
A word that cannot be quoted for both is refused.
"""

from __future__ import annotations

import re
import shlex

from accelerator_reports.files.fields import Os

# PowerShell splats a word that begins with `@`, and splits a word such as `-Dx.y=1` at the dot.
_PLAIN_ON_WINDOWS = re.compile(r"(?!@|-(?!-)[^.]*\.)[A-Za-z0-9_@+=:./\\-]+")
_SPECIAL_IN_QUOTES = re.compile(r"[\"$`%!\x00-\x1f“”„]")


class UnquotableError(ValueError):
    """Raised if a word cannot be quoted so that both PowerShell and cmd read it unchanged."""


def quote(word: str, os: Os) -> str:
    """Return `word` quoted for the shell of `os`. Raises UnquotableError."""
    if os != "windows":
        return shlex.quote(word)
    if _PLAIN_ON_WINDOWS.fullmatch(word):
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


def set_variable_command(name: str, value: str, os: Os) -> str:
    """Return the shell command that sets an environment variable (PowerShell on Windows).

    Raises UnquotableError if the value cannot be quoted.
    """
    if os != "windows":
        return f"export {name}={shlex.quote(value)}"
    if _SPECIAL_IN_QUOTES.search(value):
        raise UnquotableError(value)
    return f'$env:{name} = "{value}"'
