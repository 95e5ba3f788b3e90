"""Imports the command `accelerator-portal`, and prints one line if Ctrl+C stops the import."""

import sys


def _exit_after_interrupt() -> None:
    """Print that nothing was done, and exit. Called after Ctrl+C during the import below."""
    sys.stderr.write("Interrupted. Nothing was done. To start again, run the command again.\n")
    sys.exit(130)


try:
    from accelerator_reports.cli.main import main
except KeyboardInterrupt:
    _exit_after_interrupt()

__all__ = ["main"]
