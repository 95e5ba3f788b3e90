"""Which import a program needs beside that of torch, as a page says it."""

from __future__ import annotations

from dataclasses import dataclass

from accelerator_portal.catalog import Platform


@dataclass(frozen=True, slots=True)
class ExtraImport:
    """Words, the statement, or the words that lead to the statement."""

    platform: Platform
    words: str
    statement: str = ""


def extra_import(platform: Platform) -> ExtraImport:
    """Return what a platform needs: nothing where PyTorch has it or loads its plugin."""
    package = platform.accelerator.package
    statement = f"import {package.module}"
    if platform.in_tree:
        return ExtraImport(platform, "none")
    if package.autoload is None:
        return ExtraImport(platform, "not stated")
    if not package.autoload:
        return ExtraImport(platform, "", statement)
    if package.autoload_since is None:
        return ExtraImport(platform, "none")
    since = f"none since {package.name} {package.autoload_since}; before that: "
    return ExtraImport(platform, since, statement)
