"""Formats texts for messages: a count with its noun, and the command that installs this project."""

from __future__ import annotations


def count(number: int, thing: str) -> str:
    """Return a number with a noun: `1 problem`, `2,000 problems`. The plural ends with "s"."""
    return f"{number:,} {thing}" if number == 1 else f"{number:,} {thing}s"


PACKAGES = {
    "accelerator-reports": ("./packages/reports",),
    "accelerator-validation": ("./packages/reports", "./packages/validation"),
    "accelerator-portal": ("./packages/reports", "."),
    "accelerator-automation": ("./packages/reports", ".", "./packages/automation"),
}
"""The packages of this project, and the folders in a clone that pip needs to install each one."""


def install_command(package: str, extra: str = "") -> str:
    """Return the command that installs a package of this project in a clone.

    With `extra`, the command installs the package's optional packages, too:
    `pip install ./packages/reports '.[site]'`.
    """
    *others, folder = PACKAGES[package]
    return " ".join(["pip install", *others, f"'{folder}[{extra}]'" if extra else folder])
