"""Defines the command `accelerator-portal`, and turns errors into one-line messages."""

from __future__ import annotations

import errno
import io
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any

import click

from accelerator_reports.cli.lazy_command import LazyCommand, is_installed, missing_extra_command
from accelerator_reports.commands import COMMANDS
from accelerator_reports.files.wording import PACKAGES

# Turns an error that ends a command into a one-line message and an exit status.
#
# Every command loads this module, so it imports only modules that load fast.

# A shell's exit status for a command that Ctrl+C ended.
INTERRUPTED_EXIT_STATUS = 130


@contextmanager
def failures_as_messages() -> Iterator[None]:
    """Print an error of the `with` block as one line instead of a traceback, and exit.

    A ProblemsError is printed as one line for each problem. The exit status is 1 for problems in
    the data and system errors, and 130 after Ctrl+C. Errors of click keep their exit status, which
    is 2 for wrong usage. Unexpected exceptions are raised again.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a terminal or log that is not UTF-8
            stream.reconfigure(errors="backslashreplace")
    try:
        yield
    except KeyboardInterrupt:
        click.echo(
            "Interrupted. No file is incomplete. To continue, run the command again.", err=True
        )
        sys.exit(INTERRUPTED_EXIT_STATUS)
    except (click.ClickException, click.exceptions.Exit):
        raise
    except Exception as error:  # noqa: BLE001 - an unexpected error is raised again
        _exit_with_message(error)


def _exit_with_message(error: Exception) -> None:
    from accelerator_reports.cli.options import print_problems
    from accelerator_reports.files.problem import (
        ProblemsError,
        UserError,
        printable,
        system_error_text,
    )

    if isinstance(error, ProblemsError):
        print_problems(error.problems)
        sys.exit(1)
    if isinstance(error, UserError):
        raise click.ClickException(str(error)) from None
    if not isinstance(error, OSError) or error.errno == errno.EPIPE:  # click ends quietly
        raise error
    raise click.ClickException(printable(system_error_text(error))) from None


class LazyGroup(click.Group):
    """A command group that lists its subcommands without importing them.

    Source: "Lazily Loading Subcommands", click's documentation.
    """

    def __init__(self, *, lazy_commands: Mapping[str, LazyCommand], **options: Any) -> None:  # noqa: ANN401 - click's own
        stubs = {name: click.Command(name, help=c.summary) for name, c in lazy_commands.items()}
        super().__init__(commands=stubs, **options)  # click lists, completes and suggests these
        self.lazy_commands = lazy_commands

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return the subcommand `cmd_name`, or return None if there is none.

        If its extra is not installed, return a command that says how to install the extra.
        """
        if cmd_name not in self.lazy_commands:
            return super().get_command(ctx, cmd_name)
        lazy_command = self.lazy_commands[cmd_name]
        if lazy_command.commands:
            return LazyGroup(
                name=cmd_name, help=lazy_command.summary, lazy_commands=lazy_command.commands
            )
        if lazy_command.extra and not is_installed(lazy_command.extra):
            return missing_extra_command(cmd_name, lazy_command.summary, lazy_command.extra)
        module, _, name = lazy_command.place.partition(":")
        command: click.Command = getattr(import_module(module), name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the subcommand that `args` names, and its arguments.

        Raises click.UsageError if there is no such command. Its message names the packages with
        commands that are not installed.
        """
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            installed = _installed_packages()
            missing = ", ".join(name for name in PACKAGES if name not in installed)
            if not missing or ctx.parent:
                raise
            error_text = f"Other commands are in {missing} (not installed)."
            raise click.UsageError(f"{error.format_message()} {error_text}", ctx) from None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of subcommands to the help text, each with its summary."""
        click.Group(commands=self.commands).format_commands(ctx, formatter)

    def make_context(self, *words: Any, **options: Any) -> click.Context:  # noqa: ANN401 - click's own
        """Parse the command line; errors are printed as messages, without a traceback."""
        with failures_as_messages():
            return super().make_context(*words, **options)

    def invoke(self, ctx: click.Context) -> Any:  # noqa: ANN401 - click's own
        """Run the subcommand; errors are printed as messages, without a traceback."""
        with failures_as_messages():
            return super().invoke(ctx)


ENTRY_POINTS = "accelerator_portal.commands"
"""The entry point group of the packages' tables of commands. This package needs no entry point, so
that its commands also run from a clone of which nothing is installed."""


def installed_commands() -> dict[str, LazyCommand]:
    """Return the commands of all installed packages of this project, by name."""
    tables = [COMMANDS, *(point.load() for point in sorted(entry_points(group=ENTRY_POINTS)))]
    return dict(sorted((name, command) for table in tables for name, command in table.items()))


def _installed_packages() -> dict[str, str]:
    from accelerator_reports.environment import installed_versions

    return installed_versions(PACKAGES)


def _show_version(context: click.Context, _option: click.Parameter, wanted: bool) -> None:
    if not wanted or context.resilient_parsing:
        return
    versions = _installed_packages()
    if not versions:
        raise click.ClickException(
            "The version is not known, because no package of the portal is installed. "
            "In a clone of the portal, run: make setup"
        )
    for package, version in versions.items():
        click.echo(f"{package} {version}")
    context.exit()


@click.group(
    cls=LazyGroup,
    lazy_commands=installed_commands(),
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_show_version,
    help="Show the version of each installed package and exit.",
)
def main() -> None:
    """Manage the PyTorch accelerator portal: data, site, test reports and automation."""
