"""Lists the modules of each optional extra, and refuses commands whose extra is not installed.

`validate`, `report` and `check` need only the base dependencies, so that the harness can be
installed beside a plugin. Modules that only other commands import are in an extra.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from typing import Literal

import click

Extra = Literal["automation", "cluster", "packages", "site"]

MODULES: Mapping[Extra, tuple[str, ...]] = {
    "automation": ("fsspec", "github"),
    "cluster": ("dask", "distributed"),
    "packages": ("httpcore", "httpx", "pypi_simple", "tenacity", "uv"),
    "site": (
        *("babel", "jinja2", "markdown", "markdownify", "material", "mkdocs"),
        *("nh3", "pandas", "pyarrow", "rjieba", "selectolax"),
    ),
}
"""The modules that each extra installs. A test compares this table with pyproject.toml."""

INCLUDED: Mapping[Extra, tuple[Extra, ...]] = {"automation": ("packages", "site")}
"""Maps an extra to the extras that it includes. Extras that include none are absent."""

OLDEST_PYTHON = (3, 11)
"""The oldest Python version for extras. It does not apply to extras in ANY_PYTHON_EXTRAS."""

ANY_PYTHON_EXTRAS: frozenset[Extra] = frozenset({"cluster"})
"""Extras that support every Python that the base dependencies support."""


_PYTHON_HINT = f"They need Python {'.'.join(map(str, OLDEST_PYTHON))} or newer."


class MissingExtraError(click.ClickException):
    """Raised if a command needs an extra that is not installed.

    The message has the install command, or says that the extra needs a newer Python.
    """

    exit_code = 2

    def __init__(self, command: str, extra: Extra) -> None:
        from accelerator_portal.catalog.wording import install_command

        error_text = (
            f"`accelerator-portal {command}` needs the optional packages of the extra `{extra}`"
        )
        install = f"In a clone of the portal, run: {install_command(extra)}"
        super().__init__(
            f"{error_text}. {install}"
            if _is_python_supported(extra)
            else f"{error_text}. {_PYTHON_HINT}"
        )


def is_installed(extra: Extra) -> bool:
    """Return whether this Python is new enough for an extra, and all its modules are installed.

    The modules of the extras that it includes count, too.
    """
    extras = (extra, *INCLUDED.get(extra, ()))
    return _is_python_supported(extra) and all(
        _is_module_installed(module) for extra_name in extras for module in MODULES[extra_name]
    )


def require_extra(extra: Extra, command: str) -> None:
    """Raise MissingExtraError if an extra that a command needs is not installed."""
    if not is_installed(extra):
        raise MissingExtraError(command, extra)


def missing_extra_command(name: str, summary: str, extra: Extra) -> click.Command:
    """Return a command `name` that always fails with the message that `extra` is not installed.

    `summary` is its help text.
    """

    def refuse(_arguments: tuple[str, ...]) -> None:
        raise MissingExtraError(name, extra)

    callback: Callable[[tuple[str, ...]], None] = refuse
    any_arguments = click.Argument(["_arguments"], nargs=-1, type=click.UNPROCESSED)
    return click.Command(
        name,
        callback=callback,
        params=[any_arguments],
        help=summary,
        add_help_option=False,
        context_settings={"ignore_unknown_options": True},
    )


def _is_python_supported(extra: Extra) -> bool:
    return extra in ANY_PYTHON_EXTRAS or sys.version_info[:2] >= OLDEST_PYTHON


def _is_module_installed(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ImportError:  # an import hook that refuses it
        return False
