"""Formats texts for messages: a count with its noun, and the command that installs this project."""

from __future__ import annotations


def count(number: int, thing: str) -> str:
    """Return a number with a noun: `1 problem`, `2,000 problems`. The plural ends with "s"."""
    return f"{number:,} {thing}" if number == 1 else f"{number:,} {thing}s"


def install_command(extra: str = "") -> str:
    """Return the command that installs this project from a clone: `pip install '.[packages]'`.

    `extra` is the optional dependency group to install, such as `packages`.
    """
    return f"pip install '.[{extra}]'" if extra else "pip install ."
