"""The command `accelerator-portal`."""

import sys


def _end() -> None:
    """Tell in a line that Ctrl+C came while Python imports what the command needs."""
    sys.stderr.write("Interrupted. Nothing was done. To start again, run the command again.\n")
    sys.exit(130)


try:
    from accelerator_portal.cli.main import main
except KeyboardInterrupt:
    _end()

__all__ = ["main"]
