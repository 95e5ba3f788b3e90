"""Words and variables for a shell: POSIX sh on Linux and macOS, PowerShell and cmd on Windows.

A quoted word for Windows means the same to PowerShell and to cmd, because a reader may paste it
into either; a word for which no such form exists is refused.
"""

from __future__ import annotations

import re
import shlex

from accelerator_portal.catalog.fields import Os

_PLAIN_ON_WINDOWS = re.compile(r"[A-Za-z0-9_@+=:./\\-]+")
_SPECIAL_IN_QUOTES = re.compile(r"[\"$`%!\x00-\x1f“”„]")


class UnquotableError(ValueError):
    """A word that cannot be written so that PowerShell and cmd read it alike."""


def quote(word: str, os: Os) -> str:
    """Return `word` as the shell of `os` must see it to mean exactly itself."""
    if os != "windows":
        return shlex.quote(word)
    if _PLAIN_ON_WINDOWS.fullmatch(word) and not word.startswith("@"):
        return word
    if not word or _SPECIAL_IN_QUOTES.search(word) or word.endswith("\\"):
        raise UnquotableError(word)
    return f'"{word}"'


def quote_address(url: str, os: Os) -> str:
    """Return an address as the shell of `os` must see it, where no other word has a percent sign.

    A single percent sign stays as it is at the prompt of cmd and in an argument of PowerShell; in
    a batch file it would have to be doubled.
    """
    if (
        os == "windows"
        and url.count("%") == 1
        and _PLAIN_ON_WINDOWS.fullmatch(url.replace("%", ""))
    ):
        return url
    return quote(url, os)


def command_line(words: list[str], os: Os) -> str:
    """Return the words as one line for the shell of `os`."""
    return " ".join(quote(word, os) for word in words)


def set_variable(name: str, value: str, os: Os) -> str:
    """Return the line that sets an environment variable (PowerShell on Windows)."""
    if os != "windows":
        return f"export {name}={shlex.quote(value)}"
    if _SPECIAL_IN_QUOTES.search(value):
        raise UnquotableError(value)
    return f'$env:{name} = "{value}"'
