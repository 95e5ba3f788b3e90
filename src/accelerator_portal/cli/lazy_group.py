"""A group of commands whose modules are imported when they are called, not before."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any, NamedTuple

import click

from accelerator_portal.cli.extras import Extra, is_installed, refusing_command


class LazyCommand(NamedTuple):
    """Where a command is, as `module:name`, the first sentence of its help, and its extra."""

    place: str
    summary: str
    extra: Extra | None = None


class LazyGroup(click.Group):
    """A group that lists its commands without importing them.

    Source: "Lazily Loading Subcommands", click's documentation.
    """

    def __init__(self, *, lazy_commands: Mapping[str, LazyCommand], **options: Any) -> None:  # noqa: ANN401 - click's own
        super().__init__(**options)
        self.lazy_commands = lazy_commands

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands, in the order of the alphabet."""
        return sorted({*super().list_commands(ctx), *self.lazy_commands})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command, imported now; None where there is none of this name.

        Where its extra is not installed, a command that says so stands for it.
        """
        if cmd_name not in self.lazy_commands:
            return super().get_command(ctx, cmd_name)
        place, summary, extra = self.lazy_commands[cmd_name]
        if extra and not is_installed(extra):
            return refusing_command(cmd_name, summary, extra)
        module, _, name = place.partition(":")
        command: click.Command = getattr(import_module(module), name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands from their summaries."""
        listed = {
            name: click.Command(name, help=command.summary)
            for name, command in self.lazy_commands.items()
        }
        click.Group(commands={**self.commands, **listed}).format_commands(ctx, formatter)
