"""Turns an error that ends a command into a one-line message and an exit status.

Every command loads this module, so it imports only modules that load fast.
"""

from __future__ import annotations

import errno
import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import click

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
