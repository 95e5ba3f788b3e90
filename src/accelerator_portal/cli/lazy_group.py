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
        listed = {name: click.Command(name, help=c.summary) for name, c in lazy_commands.items()}
        super().__init__(commands=listed, **options)  # click lists, completes and suggests these
        self.lazy_commands = lazy_commands

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
        click.Group(commands=self.commands).format_commands(ctx, formatter)

    def invoke(self, ctx: click.Context) -> Any:  # noqa: ANN401 - click's own
        """Run a command; what stops it is told in a line."""
        from accelerator_portal.cli.options import failures_as_messages

        with failures_as_messages():
            return super().invoke(ctx)
