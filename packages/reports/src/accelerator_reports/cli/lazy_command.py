"""Describes a command that is not imported yet, and the packages that it needs."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, distribution, requires
from typing import NamedTuple

import click

# Refuses commands whose optional packages are not installed.
#
# Which packages an extra installs is stated once, in the metadata of the package that has the
# extra.


class Extra(NamedTuple):
    """An extra of one of this project's packages, such as `site` of `accelerator-portal`."""

    package: str
    name: str


class MissingExtraError(click.ClickException):
    """Raised if a command needs an extra that is not installed. Says how to install it."""

    exit_code = 2

    def __init__(self, command: str, extra: Extra) -> None:
        from accelerator_reports.files.wording import install_command

        super().__init__(
            f"`accelerator-portal {command}` needs the optional packages of the extra "
            f"`{extra.name}`. In a clone of the portal, run: {install_command(*extra)}"
        )


def is_installed(extra: Extra) -> bool:
    """Return whether all packages that an extra requires are installed, in any version."""
    from packaging.requirements import Requirement

    requirements = map(Requirement, requires(extra.package) or ())
    return all(
        _is_package_installed(requirement.name)
        for requirement in requirements
        if requirement.marker
        and requirement.marker.evaluate({"extra": extra.name})
        and not requirement.marker.evaluate({"extra": ""})
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

    return click.Command(
        name,
        callback=refuse,
        params=[click.Argument(["_arguments"], nargs=-1, type=click.UNPROCESSED)],
        help=summary,
        add_help_option=False,
        context_settings={"ignore_unknown_options": True},
    )


def _is_package_installed(name: str) -> bool:
    try:
        return bool(distribution(name))
    except PackageNotFoundError:
        return False


class LazyCommand(NamedTuple):
    """A subcommand that is not imported yet.

    `place` is its module and name, such as `accelerator_portal.cli.check:check`. `summary` is the
    first sentence of its help. `extra` is the extra of its package that it needs, or empty.
    `commands` has the subcommands of a group, by name; the place of such a group is its package.
    """

    place: str
    summary: str
    extra_name: str = ""
    commands: Mapping[str, LazyCommand] = {}

    @property
    def extra(self) -> Extra | None:
        """The extra that the command needs, or None."""
        package = self.place.partition(".")[0].replace("_", "-")
        return Extra(package, self.extra_name) if self.extra_name else None
