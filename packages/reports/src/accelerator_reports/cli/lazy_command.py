"""Describes a command that is not imported yet."""

from __future__ import annotations

from typing import NamedTuple

from accelerator_reports.cli.extras import Extra


class LazyCommand(NamedTuple):
    """A subcommand that is not imported yet.

    `place` is its module and name, such as `accelerator_portal.cli.check:check`. `summary` is the
    first sentence of its help. `extra` is the extra of its package that it needs, or empty.
    """

    place: str
    summary: str
    extra_name: str = ""

    @property
    def extra(self) -> Extra | None:
        """The extra that the command needs, or None."""
        package = self.place.partition(".")[0].replace("_", "-")
        return Extra(package, self.extra_name) if self.extra_name else None
